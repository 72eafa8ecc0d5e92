/** One chat that is open: its pages from the hub, what is pushed, what is hidden. Decisions are `store/chat.ts`. */
import { effect, signal, type ReadonlySignal } from "@preact/signals";

import type { Answer, Refusal } from "../../api/http";
import type { FoundItems, Items } from "../../api/types";
import type { Room } from "../../live/room";
import { firstLimit, newerCursor, NO_CHAT, olderCursor, stepChat, type ChatEvent, type ChatState } from "../../store/chat";

const PAGE = 60;
const LARGEST_PAGE = 200;
/** A chat that is further behind than this many pages is opened anew. */
const CATCH_UP_PAGES = 5;
/** A page far back is found by reading the file from its end. */
const AROUND_MS = 20_000;

export type Loading = "first" | "older" | "newer" | null;

export class ChatModel {
  private readonly current = signal<ChatState>(NO_CHAT);
  private readonly busy = signal<Loading>(null);
  private readonly failed = signal<{ of: Exclude<Loading, null>; refusal: Refusal } | null>(null);
  private readonly stops: (() => void)[] = [];
  private readonly abort = new AbortController();
  private hidesSeq: number | null = null;

  readonly state: ReadonlySignal<ChatState> = this.current;
  readonly loading: ReadonlySignal<Loading> = this.busy;
  /** What could not be fetched last. */
  readonly trouble: ReadonlySignal<{ of: Exclude<Loading, null>; refusal: Refusal } | null> = this.failed;

  constructor(private readonly room: Room, readonly chatId: string) {}

  /** Opens the chat, at an item or at its end with what is unread, and follows it until `close`. */
  start(unread: number, itemId?: string): void {
    this.stops.push(this.room.openChat(this.chatId, (items) => {
      if (items !== null) this.take({ type: "pushed", items });
      else if (this.current.peek().isLoaded) void this.catchUp();
    }));
    this.stops.push(effect(() => this.followHides()));
    void (itemId === undefined ? this.openEnd(unread) : this.openAround(itemId));
  }

  close(): void {
    this.abort.abort();
    for (const stop of this.stops.splice(0)) stop();
  }

  openEnd(unread = 0): Promise<boolean> {
    return this.open({ limit: firstLimit(unread) }, true);
  }

  openAround(itemId: string): Promise<boolean> {
    return this.open({ around: itemId }, false);
  }

  /** Opens the page that a search found: the one before this cursor, null the newest. */
  openPage(before: string | null): Promise<boolean> {
    return this.open({ limit: LARGEST_PAGE, before: before ?? undefined }, before === null);
  }

  async loadOlder(): Promise<void> {
    const cursor = olderCursor(this.current.peek());
    if (cursor === null || this.busy.peek() !== null) return;
    const page = await this.fetch("older", { before: cursor, limit: PAGE });
    if (page !== null) this.take({ type: "older", page, cursor });
  }

  async loadNewer(): Promise<void> {
    const cursor = newerCursor(this.current.peek());
    if (cursor === null || this.busy.peek() !== null) return;
    const page = await this.fetch("newer", { after: cursor, limit: PAGE });
    if (page !== null) this.take({ type: "newer", page, cursor, isAtEnd: isEnd(page, cursor) });
  }

  search(text: string, before: string | null, signal: AbortSignal): Promise<Answer<FoundItems>> {
    return this.room.http.request<FoundItems>("GET", `/chats/${encodeURIComponent(this.chatId)}/search`, {
      query: { q: text, before: before ?? undefined }, signal, withinMs: AROUND_MS,
    });
  }

  /** Hides an item on all devices; false: it was refused and shows again. */
  async hide(itemId: string): Promise<Refusal | null> {
    this.take({ type: "hidden", id: itemId });
    const answer = await this.room.http.request("DELETE", this.itemPath(itemId));
    if (answer.ok) return null;
    this.take({ type: "shown", id: itemId });
    return answer.refusal;
  }

  async restore(itemId: string): Promise<Refusal | null> {
    const answer = await this.room.http.request("POST", `${this.itemPath(itemId)}/restore`);
    if (!answer.ok) return answer.refusal;
    this.take({ type: "shown", id: itemId });
    return null;
  }

  private itemPath(itemId: string): string {
    return `/chats/${encodeURIComponent(this.chatId)}/items/${encodeURIComponent(itemId)}`;
  }

  private take(event: ChatEvent): void {
    this.current.value = stepChat(this.current.peek(), event);
  }

  private async open(query: Record<string, string | number | undefined>, isAtEnd: boolean): Promise<boolean> {
    const page = await this.fetch("first", query);
    if (page === null) return false;
    this.take({ type: "opened", page, isAtEnd });
    if (!isAtEnd) await this.fillEnd();
    return true;
  }

  /** A page around something near the end is followed by what lies behind it, so that the reader can go on. */
  private async fillEnd(): Promise<void> {
    await this.loadNewer();
  }

  /** The link was away: what was said meanwhile lies behind the newest cursor. */
  private async catchUp(): Promise<void> {
    for (let round = 0; round < CATCH_UP_PAGES; round++) {
      const state = this.current.peek();
      const cursor = newerCursor(state);
      if (!state.isAtEnd || cursor === null || this.busy.peek() !== null) return;
      const page = await this.fetch("newer", { after: cursor, limit: LARGEST_PAGE });
      if (page === null) return;
      const end = isEnd(page, cursor);
      // While more lies behind it the reader still counts as at the end: the rest is on its way.
      this.take({ type: "newer", page, cursor, isAtEnd: true });
      if (end) return;
    }
    await this.openEnd();
  }

  private async fetch(of: Exclude<Loading, null>, query: Record<string, string | number | undefined>): Promise<Items | null> {
    if (of !== "first" && this.busy.peek() !== null) return null;
    this.busy.value = of;
    const answer = await this.room.http.request<Items>("GET", `/chats/${encodeURIComponent(this.chatId)}/items`, {
      query, signal: this.abort.signal, withinMs: AROUND_MS,
    });
    if (this.abort.signal.aborted) return null;
    this.busy.value = null;
    if (answer.ok && isPage(answer.value)) {
      this.failed.value = null;
      return answer.value;
    }
    const refusal: Refusal = answer.ok ? { code: "garbage", text: "The answer is not the control room's.", status: 200 } : answer.refusal;
    this.failed.value = { of, refusal };
    // The machine came back: its own cursors count again.
    if (refusal.code === "changed" && of !== "first") void this.openEnd();
    return null;
  }

  private followHides(): void {
    const hides = this.room.state.value.hides.get(this.chatId);
    const before = this.hidesSeq;
    this.hidesSeq = hides?.seq ?? null;
    if (hides === undefined || hides.seq === before) return;
    let isShownAgain = hides.beforeMs !== undefined;
    for (const [id, isHidden] of hides.items) {
      const knows = this.current.peek().hidden.has(id);
      if (isHidden && !knows) this.take({ type: "hidden", id });
      if (!isHidden && knows) this.take({ type: "shown", id });
      else if (!isHidden && !this.current.peek().items.some((item) => item.id === id)) isShownAgain = true;
    }
    if (isShownAgain && this.current.peek().isLoaded) void this.openEnd();
  }
}

function isEnd(page: Items, cursor: string): boolean {
  return page.items.length === 0 || page.after === cursor;
}

function isPage(page: unknown): page is Items {
  return typeof page === "object" && page !== null && Array.isArray((page as Items).items) && typeof (page as Items).after === "string";
}
