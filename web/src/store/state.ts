/**
 * What this device knows of the control room, and how each frame of the live socket changes it.
 *
 * Pure: `apply(state, event)` gives the next state and touches nothing else. No DOM, no fetch, no clock: times
 * come in with the events. Unknown event names are counted and ignored (a newer hub may send them).
 */
import type { Agent, ChatItems, Device, Fleet, Item, Machine, Message, Receipt } from "../api/types";

/** How sure we are that what is shown is what is. */
export type Freshness =
  | { kind: "never" } // nothing was heard yet
  | { kind: "live" }
  | { kind: "stale"; sinceMs: number }; // the link is not proven since then, server's clock

export interface State {
  /** The last event that is in here; null before the first fleet. */
  seq: number | null;
  freshness: Freshness;
  machines: ReadonlyMap<string, Machine>;
  agents: ReadonlyMap<string, Agent>;
  /** Messages of this session by id, as the hub sees them. */
  messages: ReadonlyMap<string, Message>;
  /** Newest hint of each chat that has new items. */
  hints: ReadonlyMap<string, ChatItems>;
  /** Receipts by id, oldest first; a window of the newest. */
  receipts: readonly Receipt[];
  /** Devices by id; null until asked for. */
  devices: ReadonlyMap<string, Device> | null;
  /** Version that the hub says, null before `welcome`. */
  serverVersion: string | null;
  /** Events of names that this version does not know. */
  unknown: number;
}

export type StoreEvent =
  | { type: "welcome"; version: string }
  | { type: "fleet"; fleet: Fleet }
  | { type: "event"; seq: number; atMs: number; name: string; data: unknown }
  | { type: "receipts"; receipts: readonly Receipt[] }
  | { type: "devices"; devices: readonly Device[] }
  | { type: "message"; message: Message }
  | { type: "freshness"; freshness: Freshness };

export const EMPTY: State = {
  seq: null,
  freshness: { kind: "never" },
  machines: new Map(),
  agents: new Map(),
  messages: new Map(),
  hints: new Map(),
  receipts: [],
  devices: null,
  serverVersion: null,
  unknown: 0,
};

export type { Agent, Item, Machine, Message, Receipt };
