/**
 * Shells on the host, in its own tmux server: they go on when the page goes, and are found again from any device.
 * Unlike an agent's pane a shell follows the size of this window.
 */
import "./terminal.css";

import { useEffect, useReducer, useRef, useState } from "preact/hooks";

import { addressOf } from "../../store/routes";
import { isPopOut, popOut } from "../../kit/navigate";
import { readKey } from "../../kit/login";
import { line } from "../../kit/text";
import { age } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Menu } from "../../parts/menu";
import { Sheet } from "../../parts/sheet";
import { Title } from "../../parts/title";
import { useTypingRight } from "./own-right";
import { ShellLink, type ShellEvent, type ShellRow } from "./shell-link";
import { changed, freeName, MOST_TABS, NO_SHELLS, type Tab } from "./shells";
import { ShellView } from "./shell-view";
import { TargetSheet } from "./target-sheet";
import type { Target } from "./targets";
import { UnlockHere } from "./unlock-here";

const LIST_EVERY_MS = 5_000;
/** Who cannot find out asks the hub by opening a shell. */
const RIGHT_WITHIN_MS = 3_000;

export function HostShells() {
  const right = useTypingRight();
  const isLate = useLater(RIGHT_WITHIN_MS);
  if (right === "no") return <Forbidden />;
  // A socket that is refused leaves a warning in the browser's log: the right is known a moment later.
  return right === "unknown" && !isLate ? <div class="term"><Head said="Connecting" /></div> : <Shells />;
}

/** False until so much time went by. */
function useLater(ms: number): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isLate;
}

function Head({ said, children }: { said: string; children?: preact.ComponentChildren }) {
  return (
    <header class="term-head">
      {isPopOut ? null : <a class="icon-btn only-phone" href={addressOf({ at: "agents" })} aria-label="Back to the agents"><Icon name="back" /></a>}
      <div class="chat-id"><Title class="chat-name">Shells</Title><p class="chat-state"><span>{said}</span></p></div>
      {children}
    </header>
  );
}

function Forbidden() {
  return (
    <div class="term">
      <Head said="Not for this device" />
      <div class="empty"><h2>No right to use shells</h2><p>This device has no right “terminal”. It is given on the machine: controlroom devices.</p></div>
    </div>
  );
}

function Shells() {
  const room = useRoom();
  const [shells, act] = useReducer(changed, NO_SHELLS);
  const [asking, setAsking] = useState<string | null>(null);
  const [isNaming, setNaming] = useState(false);
  const [target, setTarget] = useState<Target | null>(null);
  const hears = useRef(new Map<string, (event: ShellEvent) => void>());
  const link = useRef<ShellLink | null>(null);
  if (link.current === null) {
    link.current = new ShellLink(readKey, (event) => {
      act(event);
      if ("name" in event) hears.current.get(event.name)?.(event);
      if (event.type === "ready") {
        link.current?.list();
        for (const hear of hears.current.values()) hear(event);
      }
      if (event.type === "detached") link.current?.list();
    });
  }
  const socket = link.current;
  useEffect(() => {
    socket.open();
    return () => {
      socket.close();
      link.current = null;
    };
  }, []);
  const isList = shells.shown === null;
  useEffect(() => {
    if (!isList || shells.link !== "ready") return;
    socket.list();
    const timer = setInterval(() => { if (document.visibilityState === "visible") socket.list(); }, LIST_EVERY_MS);
    return () => clearInterval(timer);
  }, [isList, shells.link]);

  const open = (name: string): void => act({ type: "opened", name });
  const start = (): void => {
    if (shells.tabs.filter(({ state }) => state !== "ended").length >= MOST_TABS) act({ type: "error", name: "", text: `At most ${MOST_TABS} shells are open in one page. Close a tab first.` });
    else setNaming(true);
  };
  const closeTab = (tab: Tab): void => {
    if (tab.state === "attached") socket.detach(tab.name);
    act({ type: "tab closed", name: tab.name });
  };
  const again = (): void => {
    act({ type: "again" });
    socket.open();
  };

  const shown = shells.tabs.find(({ name }) => name === shells.shown);
  const isLocked = shells.refusal?.code === "locked";
  return (
    <>
    <div class="term">
      <Head said={shells.link === "ready" ? (shown === undefined ? "They go on when you leave" : "Follows this window’s size") : shells.link === "refused" ? "Not connected" : "Connecting"}>
        <button class="icon-btn" type="button" aria-label="Start a shell" disabled={shells.link !== "ready"} onClick={start}><Icon name="plus" /></button>
        <Menu
          label="More for shells"
          items={[
            ...(shown === undefined ? [] : [
              { label: "Detach, it goes on", icon: "move", run: () => closeTab(shown) },
              { label: "End this shell", icon: "stop", isBad: true, run: () => setAsking(shown.name) },
              null,
            ]),
            { label: "All shells", icon: "list", run: () => act({ type: "showed", name: null }) },
            ...(isPopOut ? [] : [{ label: "In its own window", icon: "move", run: () => popOut({ at: "shells" }) }]),
          ]}
        />
      </Head>
      {shells.tabs.length === 0 ? null : (
        <div class="shell-tabs" role="tablist" aria-label="Open shells">
          <button class="shell-tab" type="button" role="tab" aria-selected={isList} onClick={() => act({ type: "showed", name: null })}>All</button>
          {shells.tabs.map((tab) => (
            <button key={tab.name} class="shell-tab" type="button" role="tab" aria-selected={tab.name === shells.shown} onClick={() => act({ type: "showed", name: tab.name })}>
              <span class={tab.state === "attached" ? "term-dot is-live" : "term-dot"} aria-hidden="true" /><span><bdi>{line(tab.name, 40)}</bdi></span>
            </button>
          ))}
        </div>
      )}
      {isLocked ? <UnlockHere what="Shells are locked on this device." onUnlocked={again} /> : shells.trouble === "" ? null : (
        <p class="term-note is-bad" role="alert"><span class="grow">{shells.trouble}</span>{shells.link === "refused" ? <button class="btn btn-line" type="button" onClick={again}>Try again</button> : null}</p>
      )}
      {isList ? <List rows={shells.rows} hasTmux={shells.hasTmux} nowMs={room.now.value} onOpen={open} onEnd={setAsking} onStart={start} isReady={shells.link === "ready"} /> : null}
      {shells.tabs.map((tab) => (
        <ShellView
          key={tab.name} tab={tab} isShown={tab.name === shells.shown} isReady={shells.link === "ready"} link={socket}
          hear={(listener) => { hears.current.set(tab.name, listener); return () => hears.current.delete(tab.name); }}
          onTarget={setTarget} onAgain={() => open(tab.name)} onClose={() => closeTab(tab)}
        />
      ))}
    </div>
    {asking === null ? null : (
      <Sheet
        title="End this shell?" onClose={() => setAsking(null)}
        foot={<>
          <button class="btn btn-line" type="button" onClick={() => setAsking(null)}>Cancel</button>
          <button class="btn btn-fault" type="button" onClick={() => { socket.kill(asking); setAsking(null); }}>End it</button>
        </>}
      >
        <p><bdi><b>{line(asking, 60)}</b></bdi> and everything that runs in it ends, on all devices. This cannot be undone. Closing the tab instead leaves it running.</p>
      </Sheet>
    )}
    {isNaming ? <NameSheet free={freeName(shells.rows, shells.tabs)} onClose={() => setNaming(false)} onName={(name) => { setNaming(false); open(name); }} /> : null}
    {target === null ? null : <TargetSheet target={target} onClose={() => setTarget(null)} onInsert={(text) => { if (shells.shown !== null) socket.input(shells.shown, text); }} />}
    </>
  );
}

interface ListProps {
  rows: readonly ShellRow[] | null;
  hasTmux: boolean;
  nowMs: number;
  isReady: boolean;
  onOpen(name: string): void;
  onEnd(name: string): void;
  onStart(): void;
}

function List({ rows, hasTmux, nowMs, isReady, onOpen, onEnd, onStart }: ListProps) {
  if (rows === null) return <p class="term-note">Asking which shells there are…</p>;
  if (rows.length === 0) {
    return (
      <div class="empty">
        <h2>No shell runs</h2>
        <p>{hasTmux ? "A shell that is started here goes on when the page is closed." : "There is no tmux on the machine: a shell ends with this page."}</p>
        <button class="btn btn-primary" type="button" disabled={!isReady} onClick={onStart}>Start a shell</button>
      </div>
    );
  }
  return (
    <ul class="shell-list" aria-label="Shells on the machine">
      {rows.map((row) => (
        <li key={row.name} class="shell-row">
          <div>
            <b><bdi>{line(row.name, 60)}</bdi></b>
            <small>{row.createdS > 0 ? `${age(row.createdS * 1000, nowMs)} old` : ""}{row.isHere ? " · open here" : row.attached > 0 ? " · open elsewhere" : ""}</small>
          </div>
          <button class="btn btn-line" type="button" onClick={() => onOpen(row.name)}>Open<span class="vh"> {line(row.name, 60)}</span></button>
          <button class="icon-btn" type="button" aria-label={`End the shell ${line(row.name, 60)}`} onClick={() => onEnd(row.name)}><Icon name="stop" /></button>
        </li>
      ))}
    </ul>
  );
}

function NameSheet({ free, onName, onClose }: { free: string; onName(name: string): void; onClose(): void }) {
  const [name, setName] = useState(free);
  const clean = name.trim().replace(/[\s.:\\]+/gu, "-").replace(/[^\p{L}\p{N}_-]/gu, "").slice(0, 60);
  return (
    <Sheet title="Start a shell" onClose={onClose} foot={<button class="btn btn-primary" type="submit" form="shell-name" disabled={clean === ""}>Start</button>}>
      <form id="shell-name" onSubmit={(event) => { event.preventDefault(); if (clean !== "") onName(clean); }}>
        <label class="stack-s"><span>Name</span><input class="input" type="text" value={name} autocapitalize="off" autocomplete="off" spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} /></label>
      </form>
    </Sheet>
  );
}
