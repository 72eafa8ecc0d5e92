/**
 * The lock of this page: `store/lock` fed by what the person does, by the clock, by the hub's answers and by the
 * other windows of this device. Where the lock is off nothing of it is felt.
 */
import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import type { Device } from "../api/types";
import { CLOSED_LOCK, lockAfter, looksIn, parseLock, type LockEvent, type LockState } from "../store/lock";
import { loadDevices } from "./devices";
import type { Room } from "./room";

const SETTINGS = "controlroom.lock";
const ACTED = "controlroom.acted";
const SHUT = "controlroom.shut";
const OPEN = "controlroom.open"; // in the session: this window was open already
const WINDOW = "controlroom.window"; // a lock of the browser that each of our windows holds
const ACTED_EVERY_MS = 5_000; // how often an act is told to the other windows
const LOOK_AT_MOST_MS = 30_000;
const ACTS = ["pointerdown", "keydown", "wheel", "touchmove"] as const;

const state = signal<LockState>(CLOSED_LOCK);
let isOthers = false; // who shut it
let hubToldMs = 0;

/** Nothing may be shown, and nothing asked for. */
export const isShut: ReadonlySignal<boolean> = computed(() => state.value.isShut);

/**
 * Before anything is drawn: whether this page begins shut. Reads what was kept only; a reload and a second window are
 * no opening.
 */
export async function openLock(): Promise<void> {
  const settings = parseLock(read(SETTINGS));
  const isReload = wasOpen();
  const isAnew = read(SHUT) !== null || (settings.app && !isReload && !(await hasOtherWindow()));
  holdWindow();
  take({ type: "opened", settings, isAnew, actedMs: Number(read(ACTED)) || 0, nowMs: Date.now() });
}

/** Follow the person and the room until the page is closed. */
export function keepLock(room: Room): void {
  let toldMs = 0;
  let timer = 0;
  const acted = (): void => {
    const nowMs = Date.now();
    take({ type: "acted", nowMs });
    const { isShut: isNow, settings } = state.value;
    if (isNow || !settings.app) return;
    if (Math.abs(nowMs - toldMs) < Math.min(ACTED_EVERY_MS, settings.idleMs / 4)) return;
    toldMs = nowMs;
    write(ACTED, String(nowMs));
    tellHub(room, nowMs);
  };
  const look = (): void => {
    window.clearTimeout(timer);
    const nowMs = Date.now();
    // This window may have slept, and have heard of nothing.
    take({ type: "told", actedMs: Number(read(ACTED)) || 0 });
    if (read(SHUT) !== null) take({ type: "locked" }, true);
    take({ type: "looked", nowMs });
    const waitMs = looksIn(state.value, nowMs);
    if (waitMs !== null) timer = window.setTimeout(look, Math.min(waitMs + 10, LOOK_AT_MOST_MS));
  };
  for (const name of ACTS) window.addEventListener(name, acted, { capture: true, passive: true });
  for (const name of ["visibilitychange", "resume"]) document.addEventListener(name, look);
  for (const name of ["pageshow", "focus"]) window.addEventListener(name, look);
  window.addEventListener("storage", (event) => {
    if (event.key === ACTED) take({ type: "told", actedMs: Number(event.newValue) || 0 });
    if (event.key === SETTINGS) take({ type: "settings", settings: parseLock(event.newValue), nowMs: Date.now() });
    if (event.key !== SHUT) return;
    // What is now counts, not what was when this window slept.
    if (read(SHUT) !== null) take({ type: "locked" }, true);
    else if (untracked(() => isShut.value)) take({ type: "unlocked", nowMs: Date.now() });
  });
  effect(() => {
    if (room.link.value.kind === "locked") take({ type: "refused" }, true);
  });
  effect(() => {
    if (!isShut.value) return;
    write(SHUT, "1");
    if (!isOthers) void room.http.request("POST", "/lock"); // the hub ends the unlock in all windows
  });
  const settings = computed(() => state.value.settings);
  effect(() => {
    void settings.value;
    void isShut.value;
    untracked(look);
  });
}

/** The person locks this device now. */
export function lockNow(): void {
  take({ type: "locked" });
}

/** The passkey was shown. */
export function unlocked(): void {
  const nowMs = Date.now();
  forget(SHUT);
  write(ACTED, String(nowMs));
  take({ type: "unlocked", nowMs });
}

/** What the hub says of this device's own lock. */
export function setLock(device: Device): void {
  const lock = device.lock ?? {};
  const settings = { app: (lock.app ?? false) && (device.passkeys ?? 0) > 0, idleMs: (lock.idle_s ?? 300) * 1000 };
  const known = state.value.settings;
  if (known.app === settings.app && known.idleMs === settings.idleMs) return;
  const nowMs = Date.now();
  if (settings.app && !known.app) {
    forget(SHUT);
    write(ACTED, String(nowMs)); // for windows that are opened beside this one
    take({ type: "unlocked", nowMs }); // it begins now, and not long ago
  }
  take({ type: "settings", settings, nowMs });
  write(SETTINGS, JSON.stringify(settings));
}

/** This browser is no device any more: there is nothing to lock. */
export function forgetLock(): void {
  state.value = CLOSED_LOCK;
  for (const name of [SETTINGS, ACTED, SHUT]) forget(name);
}

/** Reading is an act too, of which the hub would hear nothing. */
function tellHub(room: Room, nowMs: number): void {
  const everyMs = Math.min(60_000, state.value.settings.idleMs / 3);
  if (Math.abs(nowMs - hubToldMs) < everyMs) return;
  hubToldMs = nowMs;
  void loadDevices(room);
}

/** `byOthers`: whoever locked it has told the hub; telling it late would end an unlock that came since. */
function take(event: LockEvent, byOthers = false): void {
  const before = state.peek();
  const next = lockAfter(before, event);
  if (next.isShut && !before.isShut) isOthers = byOthers;
  state.value = next;
}

// ---- windows ---------------------------------------------------------------------------------------------

function wasOpen(): boolean {
  try {
    const was = sessionStorage.getItem(OPEN) !== null;
    sessionStorage.setItem(OPEN, "1");
    return was;
  } catch {
    return false;
  }
}

/** Only where passkeys are possible is there this lock of the browser, and only there can the page be locked. */
async function hasOtherWindow(): Promise<boolean> {
  try {
    const { held } = await navigator.locks.query();
    return held?.some((lock) => lock.name === WINDOW) ?? false;
  } catch {
    return false;
  }
}

function holdWindow(): void {
  try {
    void navigator.locks.request(WINDOW, { mode: "shared" }, () => new Promise(() => undefined)).catch(() => undefined);
  } catch {
    // An old browser: each window is an opening.
  }
}

// ---- storage ---------------------------------------------------------------------------------------------

function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function write(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
  } catch {
    // Full or denied: this window knows it, the others find out from the hub.
  }
}

function forget(name: string): void {
  try {
    localStorage.removeItem(name);
  } catch {
    // As above.
  }
}
