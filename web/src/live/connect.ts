/** Makes the room of this page: one socket, one state, one clock. Starts at once. */
import { signal, type Signal } from "@preact/signals";

import { Http } from "../api/http";
import { watchForLeaving } from "../kit/leave";
import { onKeyChanged, readKey } from "../kit/login";
import { readHint } from "../store/read";
import { Line, type Outside } from "./line";
import { newId, type Room } from "./room";
import { Talk } from "./talk";

/** The clock on the wall of every view. */
const TICK_MS = 1_000;
/** A tick that comes this late: the device slept, or its clock was set. */
const LATE_MS = 5_000;

export function makeRoom(outside: Outside = browser()): Room {
  const line: Line = new Line(outside, {
    delivered: (frame) => talk.delivered(frame),
    event: (name, data) => {
      const hint = name === "chat.items" ? readHint(data) : null;
      if (hint !== null) talk.hint(hint.chat_id);
    },
    resumed: () => talk.resumed(),
    live: () => talk.live(),
    passed: (name) => talk.passed(name),
    gone: () => talk.gone(),
    dead: () => http.renew(),
  });
  const talk = new Talk({
    get isLive() {
      return line.isLive;
    },
    send: (frame) => line.send(frame),
    mark: (name) => line.on({ type: "mark", name }),
  });
  const http = new Http(readKey, ({ code }) => {
    // The hub may see us differently than the link does. It does not open by knocking, so only a live one is doubted.
    if ((code === "locked" || code === "not_paired") && line.isLive) line.on({ type: "prove" });
  });
  const now = signal(line.nowMs());
  listen(line);
  tick(line, now);
  line.on({ type: "start", hasNetwork: navigator.onLine, isVisible: document.visibilityState !== "hidden" });
  return {
    http,
    state: line.state,
    link: line.told,
    now,
    isOld: line.isOld,
    clockOffMs: line.aheadMs,
    nowMs: () => line.nowMs(),
    tell: (event) => line.store(event),
    openChat: (chatId, sink) => talk.openChat(chatId, sink),
    watch: (agentId, sink) => talk.watch(agentId, sink),
    keys: (agentId, keys, seenRevision) =>
      talk.keys(newId("req"), agentId, keys, seenRevision ?? null, line.told.peek().kind === "proving"),
    seen: (chatId, itemId) => talk.seen(chatId, itemId),
    prove: () => line.on({ type: "prove" }),
  };
}

function browser(): Outside {
  const quiet = new Http(readKey);
  return {
    open: (url) => new WebSocket(url),
    ownMs: () => Date.now(),
    roll: () => Math.random(),
    key: readKey,
    fleet: () => quiet.request("GET", "/fleet"),
  };
}

function listen(line: Line): void {
  const visible = () => line.on({ type: "visible", is: document.visibilityState !== "hidden" });
  document.addEventListener("visibilitychange", visible);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) visible(); // back from the browser's cache, with a socket from before
  });
  window.addEventListener("online", () => line.on({ type: "network", has: true }));
  window.addEventListener("offline", () => line.on({ type: "network", has: false }));
  onKeyChanged(() => line.on({ type: "prove" }));
  watchForLeaving(document, window);
}

/** Moves the clock, and notices when the device slept without hiding the page. */
function tick(line: Line, now: Signal<number>): void {
  let lastMs = Date.now();
  const move = () => {
    const ownMs = Date.now();
    const lateMs = ownMs - lastMs - TICK_MS;
    lastMs = ownMs;
    if (document.visibilityState === "hidden") return;
    if (lateMs > LATE_MS || lateMs < -LATE_MS) line.on({ type: "prove" });
    now.value = line.nowMs();
  };
  setInterval(move, TICK_MS);
  line.aheadMs.subscribe(() => (now.value = line.nowMs()));
  document.addEventListener("visibilitychange", () => {
    lastMs = Date.now() - TICK_MS;
    move();
  });
}
