/** One open shell: a terminal that talks both ways and takes this window's size. */
import type { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "preact/hooks";

import { copyText } from "../../kit/copy";
import { showToast } from "../../parts/toast";
import { cellsFor, clampPx, STEP } from "./fit";
import { KeyRow } from "./key-row";
import { bytesOf, KEY_ROW, withSticky, type Sticky } from "./keys";
import { cellOf, linkProvider, makeTerminal } from "./screen";
import type { ShellEvent, ShellLink } from "./shell-link";
import type { Tab } from "./shells";
import type { Target } from "./targets";

const SETTLE_MS = 120; // a window that is dragged changes its size many times
let lastPx = 13;

export interface ShellViewProps {
  tab: Tab;
  isShown: boolean;
  isReady: boolean;
  link: ShellLink;
  hear(listener: (event: ShellEvent) => void): () => void;
  onTarget(target: Target): void;
  onAgain(): void;
  onClose(): void;
}

export function ShellView({ tab, isShown, isReady, link, hear, onTarget, onAgain, onClose }: ShellViewProps) {
  const place = useRef<HTMLDivElement>(null);
  const terminal = useRef<Terminal | null>(null);
  const size = useRef({ cols: 80, rows: 24 });
  const [px, setPx] = useState(lastPx);
  const [sticky, setSticky] = useState<Sticky>("none");
  const held = useRef<Sticky>("none");
  held.current = sticky;
  const { name, state } = tab;

  const type = (data: string): void => {
    if (!link.input(name, data)) showToast({ text: "Not connected. Nothing was typed." });
  };
  /** Takes the room that there is; tells the shell when that changed. */
  const fit = (): void => {
    const box = place.current;
    const live = terminal.current;
    if (box === null || live === null || box.clientWidth === 0) return;
    const css = getComputedStyle(box);
    const room = {
      width: box.clientWidth - parseFloat(css.paddingLeft) - parseFloat(css.paddingRight) - 14, // xterm's scroll bar
      height: box.clientHeight - parseFloat(css.paddingTop) - parseFloat(css.paddingBottom),
    };
    const next = cellsFor(room, cellOf(live));
    if (next.cols === size.current.cols && next.rows === size.current.rows) return;
    size.current = next;
    live.resize(next.cols, next.rows);
    link.resize(name, next.cols, next.rows);
  };

  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    const live = makeTerminal(box, px, false);
    terminal.current = live;
    live.registerLinkProvider(linkProvider(live, onTarget));
    live.onData((data) => {
      if (held.current !== "none" && [...data].length === 1) {
        const key = withSticky(data, held.current);
        setSticky("none");
        if (key !== null) type(bytesOf(key));
        return;
      }
      type(data);
    });
    live.attachCustomKeyEventHandler((event) => {
      const isCopy = event.ctrlKey && event.shiftKey && event.key.toLowerCase() === "c";
      if (event.type === "keydown" && isCopy && live.hasSelection()) {
        event.preventDefault();
        void copyText(live.getSelection()).then((isDone) => showToast({ text: isDone ? "Copied" : "This browser does not allow copying here.", forMs: 3000 }));
      }
      return !isCopy && !(event.ctrlKey && event.shiftKey && event.key.toLowerCase() === "v");
    });
    if (live.textarea !== undefined) live.textarea.setAttribute("aria-label", `Keys for the shell ${name}`);
    const stop = hear((event) => {
      if (event.type === "attached") {
        live.reset();
        if (event.replay !== "") live.write(event.replay.replace(/\n/g, "\r\n"));
      } else if (event.type === "output") {
        live.write(event.data);
      }
    });
    const stopDragging = dragToScroll(box, live, type);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(fit, SETTLE_MS);
    });
    observer.observe(box);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      stopDragging();
      stop();
      live.dispose();
      terminal.current = null;
    };
  }, [name]);

  useEffect(() => {
    if (!isReady || state !== "attaching") return;
    fit();
    link.attach(name, size.current.cols, size.current.rows);
  }, [isReady, state, name]);

  useEffect(() => {
    if (!isShown) return;
    fit();
    if (!matchMedia("(pointer: coarse)").matches) terminal.current?.focus();
  }, [isShown, state]);

  useEffect(() => {
    lastPx = px;
    if (terminal.current !== null) terminal.current.options.fontSize = px;
    fit();
  }, [px]);

  const paste = async (): Promise<void> => {
    try {
      terminal.current?.paste(await navigator.clipboard.readText());
    } catch {
      showToast({ text: "This browser does not give the clipboard here. Press and hold in the terminal to paste." });
    }
  };
  return (
    <div class="shell-panel" role="tabpanel" aria-label={`Shell ${name}`} hidden={!isShown}>
      <div class="shell-place" data-keys="own" ref={place} onClick={() => terminal.current?.focus()} />
      {state === "attached" ? null : (
        <p class="term-note" role="status">
          <span class="grow">{state === "ended" ? tab.why : isReady ? "Attaching…" : "The link is gone. It is attached again as soon as it is back; the shell goes on."}</span>
          {state === "ended" ? <><button class="btn btn-line" type="button" onClick={onAgain}>Open again</button><button class="btn btn-line" type="button" onClick={onClose}>Close the tab</button></> : null}
        </p>
      )}
      <div class="term-tools">
        <span class="grow">{tab.state === "attached" ? "Connected" : ""}</span>
        <button class="btn btn-plain" type="button" onClick={() => void paste()}>Paste</button>
        <button class="icon-btn" type="button" aria-label="Smaller text" onClick={() => setPx(clampPx(px / STEP))}><span aria-hidden="true" style="font-size:.8rem">A</span></button>
        <button class="icon-btn" type="button" aria-label="Larger text" onClick={() => setPx(clampPx(px * STEP))}><span aria-hidden="true" style="font-size:1.15rem">A</span></button>
      </div>
      <KeyRow
        rows={[KEY_ROW]} sticky={sticky} onSticky={setSticky}
        onKeys={(keys) => { type(keys.map(bytesOf).join("")); terminal.current?.focus(); }}
        onNothing={() => showToast({ text: "There is no such key.", forMs: 3000 })}
      />
    </div>
  );
}

/** A finger that drags turns the wheel of the mouse, which is how tmux shows older rows. */
function dragToScroll(box: HTMLElement, terminal: Terminal, type: (data: string) => void): () => void {
  let lastY: number | null = null;
  const onStart = (event: TouchEvent): void => {
    lastY = event.touches.length === 1 ? (event.touches[0]?.clientY ?? null) : null;
  };
  const onMove = (event: TouchEvent): void => {
    const y = event.touches[0]?.clientY;
    if (lastY === null || y === undefined || terminal.modes.mouseTrackingMode === "none") return;
    const height = cellOf(terminal).height;
    const rows = Math.trunc((y - lastY) / (2 * height));
    if (rows === 0) return;
    if (event.cancelable) event.preventDefault();
    lastY += rows * 2 * height;
    type(`\x1b[<${rows > 0 ? 64 : 65};1;1M`.repeat(Math.abs(rows)));
  };
  box.addEventListener("touchstart", onStart, { passive: true });
  box.addEventListener("touchmove", onMove, { passive: false });
  return () => {
    box.removeEventListener("touchstart", onStart);
    box.removeEventListener("touchmove", onMove);
  };
}
