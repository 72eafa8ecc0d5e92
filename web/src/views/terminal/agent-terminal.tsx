/** The live mirror of an agent's pane, and keys to it where this device may type. Watching never resizes the pane. */
import "./terminal.css";

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Agent, Machine } from "../../api/types";
import { go, isPopOut, popOut } from "../../kit/navigate";
import { addressOf } from "../../store/routes";
import { useKeys } from "../../kit/keys";
import { copyText } from "../../kit/copy";
import { line } from "../../kit/text";
import { age, clock } from "../../kit/time";
import { loadDevices } from "../../live/devices";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Menu } from "../../parts/menu";
import { Title } from "../../parts/title";
import { showToast } from "../../parts/toast";
import { Catch } from "./catch";
import { STEP } from "./fit";
import { KeyRow } from "./key-row";
import { AGENT_KEYS, KEY_ROW, type Sticky } from "./keys";
import { useTypingRight } from "./own-right";
import { Reader } from "./reader";
import { cellOf } from "./screen";
import { TargetSheet } from "./target-sheet";
import type { Target } from "./targets";
import { TextField } from "./text-field";
import { asKeys, Typist, type Note } from "./typist";
import { UnlockHere } from "./unlock-here";
import { useMirror } from "./use-mirror";

/** Without a frame for this long the view says why there may be none. */
const WAIT_MS = 3000;
const NOTE_MS = 8000;

export function AgentTerminal({ agentId }: { agentId: string }) {
  const room = useRoom();
  const agent = room.state.value.agents.get(agentId);
  const right = useTypingRight();
  const [target, setTarget] = useState<Target | null>(null);
  const [reading, setReading] = useState<"no" | "read" | "find">("no");
  const [sticky, setSticky] = useState<Sticky>("none");
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const [note, say] = useNote();
  const isForbidden = note?.code === "not_allowed";
  // The right may have ended a moment ago; or it is another one that this prompt needs.
  useEffect(() => { if (isForbidden) void loadDevices(room); }, [isForbidden]);
  const field = useRef<HTMLInputElement>(null);
  const catcher = useRef<HTMLTextAreaElement>(null);
  const dialog = useDialog(agent);

  const typist = useRef<Typist | null>(null);
  const view = useMirror(agentId, setTarget, () => typist.current?.painted());
  const lostMs = lostSince(agent, room.state.value.machines);
  const oldMs = view.oldSinceMs ?? lostMs;
  const isOld = oldMs !== null || room.link.value.kind !== "live";
  const old = useRef(isOld);
  old.current = isOld;
  if (typist.current === null) {
    typist.current = new Typist(room, agentId, () => ({
      revision: old.current ? null : (view.mirror.current?.shown?.revision ?? null), dialog: dialog.current.id, dialogShownMs: dialog.current.shownMs,
    }), say);
  }
  const typed = typist.current;
  const isLocked = note?.code === "locked";
  const canType = right !== "no";
  const isMasked = view.shown?.echo === false;

  useKeys({
    f: { label: "Fit the pane", group: "Terminal", run: () => view.fit() },
    "+": { label: "Larger text", group: "Terminal", run: () => view.zoom(STEP) },
    "-": { label: "Smaller text", group: "Terminal", run: () => view.zoom(1 / STEP) },
    "/": { label: "Find in the terminal", group: "Terminal", run: () => setReading("find") },
    Enter: { label: "Type into the pane", group: "Terminal", run: (event) => event.target instanceof HTMLElement && event.target.closest("button, a, input") !== null ? false : focusPane() },
  });

  const focusPane = (): boolean => {
    catcher.current?.focus({ preventScroll: true });
    return catcher.current !== null;
  };
  const leave = (): void => {
    catcher.current?.blur();
    if (!isPopOut) go({ at: "agent", agentId });
  };
  const press = (keys: readonly string[]): void => {
    view.follow(true);
    void typed.press(keys);
  };
  const insert = (pasted: string): void => {
    const keys = asKeys(pasted);
    view.follow(true);
    void (keys === null ? typed.type(pasted, false) : typed.press(keys));
  };
  const submit = async (): Promise<void> => {
    setBusy(true);
    view.follow(true);
    const isDone = await typed.type(text, true);
    setBusy(false);
    if (isDone) setText("");
    field.current?.focus();
  };
  const copy = async (): Promise<boolean> => {
    const chosen = view.mirror.current?.terminal.getSelection() ?? "";
    if (chosen === "") return false;
    showToast({ text: (await copyText(chosen)) ? "Copied" : "This browser does not allow copying here.", forMs: 3000 });
    return true;
  };
  const hasSelection = (): boolean => view.mirror.current?.terminal.hasSelection() === true;

  // A password never stays in the page.
  useEffect(() => { if (isMasked) setText(""); }, [isMasked]);

  const name = line(agent?.name ?? "Agent", 80);
  const cursor = useCursor(view, hasFocus);
  const rows = useMemo(() => [KEY_ROW, AGENT_KEYS[agent?.kind ?? ""] ?? []], [agent?.kind]);
  const size = view.shown === null ? "" : `${view.shown.width} × ${view.shown.height}`;

  return (
    <>
    <div class="term">
      <header class="term-head">
        {isPopOut ? null : <a class="icon-btn" href={addressOf({ at: "agent", agentId })} aria-label="Back to the chat"><Icon name="back" /></a>}
        <div class="chat-id">
          <Title class="chat-name"><span class="vh">Terminal of </span><bdi>{name}</bdi></Title>
          <p class="chat-state">
            <span class={isOld || view.shown === null ? "term-dot" : "term-dot is-live"} aria-hidden="true" />
            <span>{view.shown === null ? (lostMs === null ? "Waiting for the screen" : "No screen") : isOld
              ? `As it was at ${clock(oldMs ?? room.now.value, room.now.value)}, ${age(oldMs ?? room.now.value, room.now.value)} ago · ${size}`
              : `Live · ${size} · pane keeps its size`}</span>
          </p>
        </div>
        <button class="icon-btn" type="button" aria-label="Select and copy text" onClick={() => void copy().then((isDone) => { if (!isDone) setReading("read"); })}><Icon name="copy" /></button>
        <Menu
          label="More for this terminal"
          items={[
            { label: "Find", icon: "search", keys: "/", run: () => setReading("find") },
            { label: "Older rows", icon: "list", run: () => setReading("read") },
            { label: "Shells of this machine", icon: "term", run: () => go({ at: "shells" }) },
            ...(isPopOut ? [] : [{ label: "In its own window", icon: "move", run: () => popOut({ at: "terminal", agentId }) }]),
          ]}
        />
      </header>
      <div class="term-view">
        <div
          class={["screen", hasFocus ? "is-focused" : "", isOld ? "is-old" : ""].filter(Boolean).join(" ")} ref={view.window}
          {...(canType ? { "data-keys": "own" } : { tabIndex: 0 })} role="group" aria-label="Screen of the pane"
          onPointerUp={(event) => { if (event.pointerType === "mouse" && !hasSelection()) focusPane(); }}
          onClick={(event) => { if (isTouch(event)) setTarget(view.at(event.clientX, event.clientY)); }}
          onWheel={(event) => { if (event.deltaY < 0 && !event.ctrlKey && isAtTop(view.window.current) && wheelUp(event)) setReading("read"); }}
        >
          <div class="term-pad">
            <div ref={view.place} />
            {canType ? (
              <Catch
                field={catcher} label="Keys for the pane. Escape twice leaves." left={cursor.left} top={cursor.top}
                onKeys={press} onText={insert} onLeave={leave} onFocus={setFocus}
                onCopy={() => { if (!hasSelection()) return false; void copy(); return true; }}
              />
            ) : null}
          </div>
        </div>
        {view.shown === null ? <NoScreen agent={agent} /> : null}
        {reading === "no" ? null : (
          <Reader agentId={agentId} px={Math.max(view.px, 10)} isFinding={reading === "find"} onTarget={setTarget} onClose={() => { setReading("no"); if (!matchMedia("(pointer: coarse)").matches) focusPane(); }} />
        )}
      </div>
      {view.shown !== null && lostMs !== null ? <p class="term-note is-bad" role="status">{lostWords(agent, room.state.value.machines)}</p> : null}
      {reading !== "no" || (view.shown === null && lostMs !== null) ? null : <>
      {view.part === null || dialog.current.id !== null ? null : (
        <div class="map-wrap only-phone"><button class="minimap" type="button" aria-label="Show the whole pane" onClick={view.fit}>
          <i style={{ left: share(view.part.left), top: share(view.part.top), width: share(view.part.width), height: share(view.part.height) }} />
        </button></div>
      )}
      {dialog.current.id !== null ? (
        <p class="term-note"><Icon name="info" small /><span class="grow">It asks something here. Keys go to that prompt. <a href={addressOf({ at: "agent", agentId })}>Answer in the chat</a></span></p>
      ) : null}
      <div role="status">{note === null || isLocked ? null : <p class="term-note is-bad">{note.text}</p>}</div>
      <div class="term-tools">
        <span class="grow only-phone">Pinch to zoom</span>
        <span class="grow only-wide">{!canType ? "Watching only" : hasFocus ? <>Keys go to the pane · <kbd>Esc</kbd> twice leaves</> : <>Click or <kbd>Enter</kbd> to type · <kbd>F</kbd> fit · <kbd>/</kbd> find</>}</span>
        <button class="icon-btn" type="button" aria-label="Smaller text" onClick={() => view.zoom(1 / STEP)}><span aria-hidden="true" style="font-size:.8rem">A</span></button>
        <button class="icon-btn" type="button" aria-label="Larger text" onClick={() => view.zoom(STEP)}><span aria-hidden="true" style="font-size:1.15rem">A</span></button>
        <button class="btn btn-plain" type="button" onClick={view.fit}>Fit</button>
        <button class="btn btn-plain" type="button" aria-pressed={view.isFollowing} onClick={() => view.follow(!view.isFollowing)}>Follow</button>
      </div>
      {!canType ? (
        <p class="term-note" role="status">This device has no right to type here, it only watches. The right “terminal” is given on the machine: controlroom devices.</p>
      ) : isLocked ? (
        <UnlockHere what="Typing is locked on this device." onUnlocked={() => say(null)} />
      ) : (
        <>
          <KeyRow rows={rows} sticky={sticky} onSticky={setSticky} onKeys={press} onNothing={() => say({ code: "", text: "There is no such key. Nothing was pressed." })} />
          <TextField
            field={field} value={text} isMasked={isMasked} isBusy={isBusy} sticky={sticky} onValue={setText} onSubmit={() => void submit()}
            onKey={(key) => { setSticky("none"); if (key !== null) press([key]); }}
          />
        </>
      )}
      </>}
    </div>
    {target === null ? null : (
      <TargetSheet target={target} onClose={() => setTarget(null)} {...(canType && !isMasked ? { onInsert: (chosen: string) => { setText((before) => (before === "" || before.endsWith(" ") ? before : `${before} `) + chosen); field.current?.focus(); } } : {})} />
    )}
    </>
  );
}

/** Since when the pane cannot be the one that is shown: its agent is gone, has no pane any more, or its machine is away. */
export function lostSince(agent: Agent | undefined, machines: ReadonlyMap<string, Machine>): number | null {
  if (agent === undefined) return 0;
  const machine = machines.get(agent.machine_id);
  if (machine !== undefined && !machine.online) return machine.last_seen_ms;
  return agent.activity === "gone" || agent.pane == null ? agent.since_ms : null;
}

function share(part: number): string {
  return `${(part * 100).toFixed(2)}%`;
}

function isTouch(event: MouseEvent): boolean {
  return "pointerType" in event && event.pointerType !== "mouse";
}

function isAtTop(box: HTMLElement | null): boolean {
  return box !== null && box.scrollTop <= 0;
}

let wheeled = { sum: 0, atMs: 0 };

/** Whether the wheel was turned far enough up to mean the rows above. */
function wheelUp(event: WheelEvent): boolean {
  const sum = event.timeStamp - wheeled.atMs < 500 ? wheeled.sum - event.deltaY : -event.deltaY;
  wheeled = { sum, atMs: event.timeStamp };
  if (sum < 240) return false;
  wheeled.sum = 0;
  return true;
}

/** Which dialog is open, and since when this page shows it. */
function useDialog(agent: Agent | undefined): { current: { id: string | null; shownMs: number } } {
  const id = agent === undefined ? null : (agent.waiting_for?.id ?? (agent.activity === "blocked" ? "blocked" : null));
  const dialog = useRef<{ id: string | null; shownMs: number }>({ id, shownMs: Date.now() });
  if (dialog.current.id !== id) dialog.current = { id, shownMs: Date.now() };
  return dialog;
}

/** What the person is told of their keys; it goes after a while, unless they have to unlock first. */
function useNote(): [Note | null, (note: Note | null) => void] {
  const [note, setNote] = useState<Note | null>(null);
  useEffect(() => {
    if (note === null || note.code === "locked") return;
    const timer = setTimeout(() => setNote(null), NOTE_MS);
    return () => clearTimeout(timer);
  }, [note]);
  return [note, setNote];
}

/** Where the cursor stands, for windows of input methods. Looked at only while keys go here. */
function useCursor(view: ReturnType<typeof useMirror>, hasFocus: boolean): { left: number; top: number } {
  const live = view.mirror.current;
  if (!hasFocus || live === null || live.shown === null) return { left: 8, top: 8 };
  const cell = cellOf(live.terminal);
  return { left: 8 + live.shown.cursor.column * cell.width, top: 8 + live.shown.cursor.row * cell.height };
}

function lostWords(agent: Agent | undefined, machines: ReadonlyMap<string, Machine>): string {
  if (agent === undefined) return "This agent is not in the list.";
  const machine = machines.get(agent.machine_id);
  if (machine !== undefined && !machine.online) return `${line(machine.name, 60)} is not reachable.`;
  return agent.activity === "gone" ? "This agent is gone, and its pane with it." : "This agent runs without a pane that could be shown.";
}

function NoScreen({ agent }: { agent: Agent | undefined }) {
  const room = useRoom();
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  const { machines } = room.state.value;
  const why = lostSince(agent, machines) !== null ? lostWords(agent, machines) : isLong ? "Its screen did not come yet." : null;
  if (why === null) return null;
  return (
    <div class="empty" style="position:absolute;inset:0">
      <h2>No screen right now</h2>
      <p>{why}</p>
      {agent === undefined ? null : <a class="btn btn-line" href={addressOf({ at: "agent", agentId: agent.id })}>Open the chat</a>}
    </div>
  );
}
