/**
 * The control room as views see it: one state, one clock, one socket, one way to ask.
 *
 * A view reads signals and calls these; it never opens a socket and never keeps a copy of the fleet.
 */
import type { ReadonlySignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";

import type { Http } from "../api/http";
import type { Ack, Item, ScreenFrame } from "../api/types";
import type { LinkState } from "../store/link-state";
import type { State, StoreEvent } from "../store/state";

/** What views may tell the state: answers of requests about nouns that it holds. */
export type Told = Extract<StoreEvent, { type: "receipts" | "devices" | "message" | "questions" | "paused" | "accounts" | "operations" }>;

export interface Room {
  readonly http: Http;
  readonly state: ReadonlySignal<State>;
  readonly link: ReadonlySignal<LinkState>;
  /** The hub's clock in ms, moving once a second while the page is visible. Ages are told with it, never with the device's own clock. */
  readonly now: ReadonlySignal<number>;
  /** True when what is shown must be told in the past tense: the link has not been proven for more than 3 s. */
  readonly isOld: ReadonlySignal<boolean>;
  /** How far this device's own clock is ahead of the hub's, in ms; null before the hub was heard. */
  readonly clockOffMs: ReadonlySignal<number | null>;
  /** The hub's clock right now, in ms. */
  nowMs(): number;
  /** Puts the answer of a request into the state. */
  tell(event: Told): void;
  /**
   * Items of this chat are pushed to `sink` until the returned function is called; survives reconnects. `null` may
   * come at any time, the first time as soon as pushes are on: fetch what lies behind the last item you have.
   */
  openChat(chatId: string, sink: (items: readonly Item[] | null) => void): () => void;
  /** Frames of this agent's pane until the returned function is called. `null`: the link is gone, the last frame is old. */
  watch(agentId: string, sink: (frame: ScreenFrame | null) => void): () => void;
  /** Presses keys; the ack says whether they were. Resolves with code `offline` when the link breaks before the ack: not repeated. */
  keys(agentId: string, keys: readonly string[], seenRevision?: string): Promise<Ack>;
  /** The person has seen this chat up to this item. */
  seen(chatId: string, itemId: string): void;
  /** Prove the link now: the page became visible, the person asks, the device was just paired or unlocked. */
  prove(): void;
}

export type { LinkState };

export const RoomContext = createContext<Room | null>(null);

export function useRoom(): Room {
  const room = useContext(RoomContext);
  if (room === null) throw new Error("no RoomContext above this view");
  return room;
}

/** A new id for something this device makes: `msg_…`, `req_…`. Works without a secure context too. */
export function newId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
