/**
 * What the views want of the live socket: chats that are open, panes that are watched, keys, read marks.
 *
 * Open chats and watched panes are wishes and survive every socket. Keys are acts: they are sent once, and
 * when the socket breaks before their ack, nobody knows whether they were pressed; that is said, never repeated.
 */
import type { Ack, FromClient, FromServer, Item, ScreenFrame } from "../api/types";

/** The part of the line that this needs. */
export interface Speaks {
  readonly isLive: boolean;
  send(frame: FromClient): boolean;
  mark(name: string): void;
}

type ItemSink = (items: readonly Item[] | null) => void;
type FrameSink = (frame: ScreenFrame | null) => void;

interface Pane {
  sinks: Set<FrameSink>;
  last: ScreenFrame | null;
}

interface Press {
  frame: Extract<FromClient, { type: "keys" }>;
  isSent: boolean;
  timer: ReturnType<typeof setTimeout>;
  resolve: (ack: Ack) => void;
}

/** Pushed items follow their hint at once; when they do not, they are fetched. */
const ITEMS_WITHIN_MS = 2_000;
/** The hub itself gives keys 10 s; then nobody knows. */
const ACK_WITHIN_MS = 20_000;
const MOST_HELD_KEYS = 50;

export class Talk {
  private readonly chats = new Map<string, Set<ItemSink>>();
  private readonly hinted = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly panes = new Map<string, Pane>();
  private readonly presses = new Map<string, Press>();
  private readonly seenItems = new Map<string, string>();

  constructor(private readonly line: Speaks) {}

  // ---- wishes ------------------------------------------------------------------------------------------------

  openChat(chatId: string, sink: ItemSink): () => void {
    const sinks = this.chats.get(chatId) ?? new Set();
    sinks.add(sink);
    this.chats.set(chatId, sinks);
    if (this.line.isLive) this.sayOpen(chatId);
    return () => {
      if (!sinks.delete(sink) || sinks.size > 0) return;
      this.chats.delete(chatId);
      this.forgetHint(chatId);
      if (this.line.isLive) this.line.send({ type: "close", chat_id: chatId });
    };
  }

  watch(agentId: string, sink: FrameSink): () => void {
    const pane = this.panes.get(agentId) ?? { sinks: new Set(), last: null };
    const isNew = pane.sinks.size === 0;
    pane.sinks.add(sink);
    this.panes.set(agentId, pane);
    if (isNew && this.line.isLive) this.line.send({ type: "watch", agent_id: agentId });
    if (pane.last !== null) sink(pane.last); // an unchanged screen is not sent again
    return () => {
      if (!pane.sinks.delete(sink) || pane.sinks.size > 0) return;
      this.panes.delete(agentId);
      if (this.line.isLive) this.line.send({ type: "unwatch", agent_id: agentId });
    };
  }

  seen(chatId: string, itemId: string): void {
    if (this.seenItems.get(chatId) === itemId) return;
    this.seenItems.set(chatId, itemId);
    if (this.line.isLive) this.saySeen(chatId, itemId);
  }

  // ---- acts --------------------------------------------------------------------------------------------------

  /** While the link is only being proven they are held; they were not sent then, so they may still go. */
  keys(requestId: string, agentId: string, keys: readonly string[], seenRevision: string | null, mayHold: boolean): Promise<Ack> {
    const frame: Press["frame"] = { type: "keys", request_id: requestId, agent_id: agentId, keys: [...keys], seen_revision: seenRevision };
    const held = [...this.presses.values()].filter((press) => !press.isSent).length;
    if (!this.line.isLive && !(mayHold && held < MOST_HELD_KEYS)) return Promise.resolve(notSent(requestId));
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(requestId, notKnown(requestId)), ACK_WITHIN_MS);
      const press: Press = { frame, isSent: false, timer, resolve };
      this.presses.set(requestId, press);
      if (this.line.isLive) this.press(press);
    });
  }

  // ---- what the line says ---------------------------------------------------------------------------------------

  delivered(frame: Extract<FromServer, { type: "items" | "frame" | "ack" }>): void {
    switch (frame.type) {
      case "items":
        this.forgetHint(frame.chat_id);
        this.tell(frame.chat_id, frame.items);
        return;
      case "frame": {
        const pane = this.panes.get(frame.agent_id);
        if (pane === undefined) return;
        pane.last = frame;
        for (const sink of pane.sinks) sink(frame);
        return;
      }
      case "ack":
        this.settle(frame.request_id, frame);
        return;
      default:
        frame satisfies never;
    }
  }

  /** A chat has news. Those of an open one are pushed; a push may get lost where the hint does not. */
  hint(chatId: string): void {
    if (!this.chats.has(chatId) || this.hinted.has(chatId)) return;
    this.hinted.set(chatId, setTimeout(() => {
      this.hinted.delete(chatId);
      this.tell(chatId, null);
    }, ITEMS_WITHIN_MS));
  }

  resumed(): void {
    for (const chatId of this.chats.keys()) this.sayOpen(chatId);
    for (const agentId of this.panes.keys()) this.line.send({ type: "watch", agent_id: agentId });
    for (const [chatId, itemId] of this.seenItems) this.saySeen(chatId, itemId);
  }

  live(): void {
    for (const press of this.presses.values()) {
      if (!press.isSent) this.press(press);
    }
  }

  passed(name: string): void {
    const [what = "", chatId = "", itemId = ""] = name.split("\n");
    if (what === "open") this.tell(chatId, null);
    else if (this.seenItems.get(chatId) === itemId) this.seenItems.delete(chatId);
  }

  gone(): void {
    for (const pane of this.panes.values()) {
      pane.last = null;
      for (const sink of pane.sinks) sink(null);
    }
    for (const [id, press] of this.presses) this.settle(id, press.isSent ? notKnown(id) : notSent(id));
  }

  // ---- the small things -------------------------------------------------------------------------------------------

  /** The sinks hear `null` when the hub has surely opened it: what they fetch then, and pushes, leave no hole. */
  private sayOpen(chatId: string): void {
    this.line.send({ type: "open", chat_id: chatId });
    this.line.mark(`open\n${chatId}`);
  }

  private saySeen(chatId: string, itemId: string): void {
    this.line.send({ type: "seen", chat_id: chatId, item_id: itemId });
    this.line.mark(`seen\n${chatId}\n${itemId}`);
  }

  private press(press: Press): void {
    press.isSent = true;
    if (!this.line.send(press.frame)) this.settle(press.frame.request_id, notSent(press.frame.request_id));
  }

  private settle(requestId: string, ack: Ack): void {
    const press = this.presses.get(requestId);
    if (press === undefined) return;
    this.presses.delete(requestId);
    clearTimeout(press.timer);
    press.resolve(ack);
  }

  private tell(chatId: string, items: readonly Item[] | null): void {
    for (const sink of this.chats.get(chatId) ?? []) sink(items);
  }

  private forgetHint(chatId: string): void {
    clearTimeout(this.hinted.get(chatId));
    this.hinted.delete(chatId);
  }
}

function notSent(requestId: string): Ack {
  return { type: "ack", request_id: requestId, code: "offline", text: "Not connected. The keys were not sent." };
}

function notKnown(requestId: string): Ack {
  return { type: "ack", request_id: requestId, code: "offline", text: "The connection broke. Look at the screen: the keys may have been pressed." };
}
