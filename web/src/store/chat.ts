/**
 * One chat as this device holds it: a window of items that can grow at both ends, and what is new in it.
 *
 * The theory. Pages come with cursors at both of their ends; the window is a run of such pages ("segments") without a
 * gap. It may be dropped at the far end when it grows too large, because the nearest cursor leads back there. While
 * the window reaches the newest item (`isAtEnd`), pushed items go to its end; otherwise they only count as missed. An
 * item with a known id takes the place of the old one, wherever it stands. Pure.
 */
import type { Item, Items } from "../api/types";

/** More items than this are not held at once: what is far away is fetched again. */
export const MOST_ITEMS = 600;

export interface Segment {
  items: readonly Item[];
  before: string | null;
  after: string;
}

export interface ChatState {
  /** False until the first page came. */
  isLoaded: boolean;
  segments: readonly Segment[];
  /** All items of the segments in order, without what is hidden or still waits to be delivered. */
  items: readonly Item[];
  /** Messages that are in no file yet (kind `message`): shown after everything else. */
  waiting: readonly Item[];
  isAtEnd: boolean;
  /** What was pushed while the window did not reach the end. */
  missed: number;
  /** Pushed before the first page. */
  early: readonly Item[];
  /** Rows of the transcript that could not be read. */
  skipped: number;
  hidden: ReadonlySet<string>;
}

export const NO_CHAT: ChatState = {
  isLoaded: false, segments: [], items: [], waiting: [], isAtEnd: false, missed: 0, early: [], skipped: 0, hidden: new Set(),
};

export type ChatEvent =
  /** The newest page, or (`isAtEnd` false) the page around an item: the window begins anew with it. */
  | { type: "opened"; page: Items; isAtEnd: boolean }
  | { type: "older"; page: Items; cursor: string }
  /** What lies behind the newest cursor. `isAtEnd`: nothing more does. */
  | { type: "newer"; page: Items; cursor: string; isAtEnd: boolean }
  | { type: "pushed"; items: readonly Item[] }
  | { type: "hidden"; id: string }
  | { type: "shown"; id: string };

export function stepChat(state: ChatState, event: ChatEvent): ChatState {
  switch (event.type) {
    case "opened": {
      const segment: Segment = { items: spoken(event.page.items), before: event.page.before ?? null, after: event.page.after };
      const opened: ChatState = {
        ...state, isLoaded: true, segments: [segment], isAtEnd: event.isAtEnd, early: [],
        missed: event.isAtEnd ? 0 : state.missed, skipped: event.page.skipped,
        waiting: event.isAtEnd ? event.page.items.filter(isWaiting) : state.waiting,
      };
      return withItems(state.early.length > 0 ? pushed(opened, state.early) : opened);
    }
    case "older": {
      const first = state.segments[0];
      if (first === undefined || first.before !== event.cursor) return state; // an answer to a window that is gone
      const known = ids(state.segments);
      const fresh = spoken(event.page.items).filter((item) => !known.has(item.id));
      const segment: Segment = { items: fresh, before: event.page.before ?? null, after: event.page.after };
      return withItems(trimmed({ ...state, segments: [segment, ...state.segments], skipped: state.skipped + event.page.skipped }, "end"));
    }
    case "newer": {
      const last = state.segments[state.segments.length - 1];
      if (last === undefined || last.after !== event.cursor) return state;
      const { segments, fresh } = replaced(state.segments, spoken(event.page.items));
      const segment: Segment = { items: fresh, before: event.cursor, after: event.page.after };
      // Between two cursors of a quiet chat lies nothing: no segment for that.
      const all = fresh.length === 0 ? [...segments.slice(0, -1), { ...(segments[segments.length - 1] ?? segment), after: event.page.after }] : [...segments, segment];
      const grown = { ...state, segments: all, isAtEnd: event.isAtEnd, missed: event.isAtEnd ? 0 : state.missed, skipped: state.skipped + event.page.skipped };
      return withItems(trimmed(grown, "start"));
    }
    case "pushed":
      return state.isLoaded ? withItems(pushed(state, event.items)) : { ...state, early: [...state.early, ...event.items].slice(-MOST_ITEMS) };
    case "hidden":
      return state.hidden.has(event.id) ? state : withItems({ ...state, hidden: new Set([...state.hidden, event.id]) });
    case "shown":
      return state.hidden.has(event.id) ? withItems({ ...state, hidden: new Set([...state.hidden].filter((id) => id !== event.id)) }) : state;
  }
}

/** The cursor to ask for what is older; null at the beginning of the conversation. */
export function olderCursor(state: ChatState): string | null {
  return state.segments[0]?.before ?? null;
}

/** The cursor to ask for what is newer. */
export function newerCursor(state: ChatState): string | null {
  return state.segments[state.segments.length - 1]?.after ?? null;
}

function isWaiting(item: Item): boolean {
  return item.kind === "message";
}

function spoken(items: readonly Item[]): Item[] {
  return items.filter((item) => !isWaiting(item));
}

function ids(segments: readonly Segment[]): Set<string> {
  return new Set(segments.flatMap((segment) => segment.items.map((item) => item.id)));
}

/** Known items in their places; `fresh` are those that were not known, the newest of each id. */
function replaced(segments: readonly Segment[], items: readonly Item[]): { segments: readonly Segment[]; fresh: Item[] } {
  const news = new Map(items.map((item) => [item.id, item]));
  const known = new Set<string>();
  const next = segments.map((segment) => {
    if (!segment.items.some((item) => news.has(item.id))) return segment;
    return { ...segment, items: segment.items.map((item) => {
      const newer = news.get(item.id);
      if (newer === undefined) return item;
      known.add(item.id);
      return newer;
    }) };
  });
  return { segments: next, fresh: [...news.values()].filter((item) => !known.has(item.id)) };
}

function pushed(state: ChatState, items: readonly Item[]): ChatState {
  const { segments, fresh: unknown } = replaced(state.segments, spoken(items));
  const fresh = unknown.filter((item) => !isBefore(item, segments));
  const messages = new Map(state.waiting.map((item) => [item.id, item]));
  for (const item of items) if (isWaiting(item)) messages.set(item.id, item);
  // A row that carries a delivery has taken the place of its message.
  for (const item of items) if (!isWaiting(item) && item.delivery) messages.delete(item.delivery.id);
  const waiting = [...messages.values()];
  if (!state.isAtEnd) return { ...state, segments, waiting, missed: state.missed + fresh.filter(isSaid).length };
  const last = segments[segments.length - 1];
  if (last === undefined || fresh.length === 0) return { ...state, segments, waiting };
  return trimmed({ ...state, waiting, segments: [...segments.slice(0, -1), { ...last, items: [...last.items, ...fresh] }] }, "start");
}

/** Whether an item belongs before the window: the hub still reads a file whose end was fetched already. */
function isBefore(item: Item, segments: readonly Segment[]): boolean {
  const first = segments.find((segment) => segment.items.length > 0)?.items[0];
  return first !== undefined && item.at_ms < first.at_ms;
}

/**
 * Whether what was pushed has made the window too large: pushed items come without cursors, so they can only be
 * dropped by opening the end anew, which is for a moment when the reader stands there.
 */
export function isOverlong(state: ChatState): boolean {
  return (state.segments[state.segments.length - 1]?.items.length ?? 0) > MOST_ITEMS;
}

/** Drops whole segments at one side while the window is too large. The one at the other side always stays. */
function trimmed(state: ChatState, side: "start" | "end"): ChatState {
  const segments = [...state.segments];
  let count = segments.reduce((sum, segment) => sum + segment.items.length, 0);
  let isAtEnd = state.isAtEnd;
  while (count > MOST_ITEMS && segments.length > 1) {
    const dropped = side === "start" ? segments.shift() : segments.pop();
    count -= dropped?.items.length ?? 0;
    if (side === "end") isAtEnd = false;
  }
  return segments.length === state.segments.length ? state : { ...state, segments, isAtEnd };
}

function withItems(state: ChatState): ChatState {
  const all = state.segments.flatMap((segment) => segment.items);
  const items = state.hidden.size === 0 ? all : all.filter((item) => !state.hidden.has(item.id));
  const isSame = items.length === state.items.length && items.every((item, at) => item === state.items[at]);
  return isSame ? { ...state, items: state.items } : { ...state, items };
}

// --- unread --------------------------------------------------------------------------------------------

/** What the agent says to a person: what the hub counts as unread. */
export function isSaid(item: Item): boolean {
  return item.kind === "assistant" || item.kind === "question" || item.kind === "result";
}

/** The first of the last `count` things that the agent said; null when there is none (or `count` is 0). */
export function firstUnread(items: readonly Item[], count: number): string | null {
  let left = count;
  let found: string | null = null;
  for (let at = items.length - 1; at >= 0 && left > 0; at--) {
    const item = items[at];
    if (item === undefined || !isSaid(item)) continue;
    found = item.id;
    left -= 1;
  }
  return found;
}

/** How many items to ask for, so that the first unread one is among them. */
export function firstLimit(unread: number): number {
  return Math.max(60, Math.min(200, unread * 6 + 40));
}

/** The newest item of those that were seen when it is newer than what was told already; else null. */
export function newestSeen(items: readonly Item[], seenIds: ReadonlySet<string>, toldId: string | null): string | null {
  for (let at = items.length - 1; at >= 0; at--) {
    const id = items[at]?.id;
    if (id === undefined) continue;
    if (id === toldId) return null;
    if (seenIds.has(id)) return id;
  }
  return null;
}

// --- where the view stands -----------------------------------------------------------------------------

/** Nearer to the end than this counts as at the end. */
export const END_PX = 32;

export type Stand =
  /** At the end: it follows what is new. */
  | { at: "end" }
  /** This block's top stands so many px below the top of the view, whatever grows above it. */
  | { at: "block"; key: string; offset: number };

export interface Place {
  key: string;
  top: number;
  bottom: number;
}

/** What the reader stands at: `places` are the blocks' edges relative to the top of the view, in order. */
export function standOf(places: readonly Place[], distanceToEnd: number, isAtEnd: boolean): Stand {
  if (isAtEnd && distanceToEnd <= END_PX) return { at: "end" };
  const first = places.find((place) => place.bottom > 0) ?? places[places.length - 1];
  return first === undefined ? { at: "end" } : { at: "block", key: first.key, offset: first.top };
}

/** How many px to scroll so that the reader stands where they stood; 0 when nothing moved or the block is gone. */
export function correction(stand: Stand, topOf: (key: string) => number | null, distanceToEnd: number): number {
  if (stand.at === "end") return distanceToEnd;
  const top = topOf(stand.key);
  return top === null ? 0 : top - stand.offset;
}

/** Near an edge of the window, the next page is fetched before the reader gets there. */
export const NEAR_PX = 600;

export function wants(scrollTop: number, distanceToEnd: number, state: ChatState): "older" | "newer" | null {
  if (!state.isLoaded) return null;
  if (scrollTop < NEAR_PX && olderCursor(state) !== null) return "older";
  if (distanceToEnd < NEAR_PX && !state.isAtEnd && newerCursor(state) !== null) return "newer";
  return null;
}
