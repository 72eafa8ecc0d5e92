/**
 * The lock of this page: whether anything may be shown. Pure; the hub keeps a lock of its own and decides for
 * itself, this one hides at once and without asking.
 *
 * A page is shut when it is opened anew, when nobody did anything for the idle time, when the hub refuses with
 * `locked`, and when another window of this device was locked. Only the passkey opens it: an act never does.
 * The clock is the device's own; one that was set back shuts, because nobody knows how long it has been.
 */

export interface LockSettings {
  /** Whether the passkey is asked for at all. */
  readonly app: boolean;
  readonly idleMs: number;
}

export interface LockState {
  readonly settings: LockSettings;
  readonly isShut: boolean;
  /** The last thing that the person did in any window of this device. */
  readonly actedMs: number;
}

export type LockEvent =
  | { type: "opened"; settings: LockSettings; isAnew: boolean; actedMs: number; nowMs: number }
  | { type: "settings"; settings: LockSettings; nowMs: number }
  | { type: "acted"; nowMs: number }
  /** Another window of this device, open like this one, told of an act. */
  | { type: "told"; actedMs: number }
  /** Time passes, the page comes back to the front. */
  | { type: "looked"; nowMs: number }
  /** The hub answered `locked`. */
  | { type: "refused" }
  /** The person, or another window. */
  | { type: "locked" }
  | { type: "unlocked"; nowMs: number };

export const NO_LOCK: LockSettings = { app: false, idleMs: 300_000 };
export const CLOSED_LOCK: LockState = { settings: NO_LOCK, isShut: false, actedMs: 0 };
const CLOCK_SLACK_MS = 60_000;

export function lockAfter(state: LockState, event: LockEvent): LockState {
  switch (event.type) {
    case "opened": {
      const opened = { settings: event.settings, actedMs: event.actedMs, isShut: false };
      const isShut = event.settings.app && (event.isAnew || isIdle(opened, event.nowMs));
      return { ...opened, isShut };
    }
    case "settings":
      // What is shut stays so: settings that come late must not open anything.
      return looked({ ...state, settings: event.settings }, event.nowMs);
    case "acted": {
      const seen = looked(state, event.nowMs);
      return seen.isShut ? seen : { ...seen, actedMs: event.nowMs };
    }
    case "told":
      return state.isShut || event.actedMs <= state.actedMs ? state : { ...state, actedMs: event.actedMs };
    case "looked":
      return looked(state, event.nowMs);
    case "refused":
    case "locked":
      return state.settings.app ? { ...state, isShut: true } : state;
    case "unlocked":
      return { ...state, isShut: false, actedMs: event.nowMs };
    default:
      return event satisfies never;
  }
}

/** When this page has to look again, in ms from now; null: never. */
export function looksIn(state: LockState, nowMs: number): number | null {
  if (!state.settings.app || state.isShut) return null;
  return Math.max(0, state.actedMs + state.settings.idleMs - nowMs);
}

function looked(state: LockState, nowMs: number): LockState {
  return state.settings.app && !state.isShut && isIdle(state, nowMs) ? { ...state, isShut: true } : state;
}

function isIdle(state: LockState, nowMs: number): boolean {
  const forMs = nowMs - state.actedMs;
  return forMs >= state.settings.idleMs || forMs < -CLOCK_SLACK_MS;
}

/** Settings as they were kept; whatever cannot be used counts as a lock, because one was kept. */
export function parseLock(text: string | null): LockSettings {
  if (text === null) return NO_LOCK;
  try {
    const said = JSON.parse(text) as { app?: unknown; idleMs?: unknown } | null;
    const idleMs = said?.idleMs;
    const isNumber = typeof idleMs === "number" && Number.isFinite(idleMs) && idleMs > 0;
    return { app: said?.app !== false, idleMs: isNumber ? idleMs : NO_LOCK.idleMs };
  } catch {
    return { ...NO_LOCK, app: true };
  }
}
