import { describe, expect, it } from "vitest";

import type { Item, Items } from "../api/types";
import { correction, firstLimit, firstUnread, MOST_ITEMS, newerCursor, newestSeen, NO_CHAT, olderCursor, standOf, stepChat, wants, type ChatEvent, type ChatState, isOverlong } from "./chat";

const item = (n: number, kind: Item["kind"] = "assistant", more: Partial<Item> = {}): Item =>
  ({ id: `i${n}`, at_ms: n * 1000, kind, text: `text ${n}`, ...more });

/** A transcript whose cursors are positions, as a node pages it. */
const page = (from: number, to: number, more: Partial<Items> = {}): Items => ({
  items: Array.from({ length: to - from }, (_, n) => item(from + n)),
  before: from > 0 ? `c${from}` : null, after: `c${to}`, skipped: 0, ...more,
});

const play = (...events: ChatEvent[]): ChatState => events.reduce(stepChat, NO_CHAT);
const numbers = (state: ChatState): number[] => state.items.map((one) => Number(one.id.slice(1)));
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);
const opened = (from: number, to: number, isAtEnd = true): ChatEvent => ({ type: "opened", page: page(from, to), isAtEnd });

describe("a window of a chat", () => {
  it("opens with a page, and grows at both ends", () => {
    const state = play(opened(50, 100, false), { type: "older", page: page(0, 50), cursor: "c50" },
      { type: "newer", page: page(100, 120), cursor: "c100", isAtEnd: true });
    expect(numbers(state)).toEqual(range(0, 120));
    expect([olderCursor(state), newerCursor(state), state.isAtEnd]).toEqual([null, "c120", true]);
  });

  it("takes pushed items at its end, and replaces known ones where they stand", () => {
    const newer = item(10, "tool");
    const state = play(opened(0, 20), { type: "pushed", items: [newer, item(20), item(21)] });
    expect(numbers(state)).toEqual(range(0, 22));
    expect(state.items[10]).toBe(newer);
  });

  it("only counts what is pushed while it does not reach the end", () => {
    const state = play(opened(0, 20, false), { type: "pushed", items: [item(90), item(91, "tool")] });
    expect(numbers(state)).toEqual(range(0, 20));
    expect(state.missed).toBe(1);
  });

  it("does not put behind its end what belongs before its beginning", () => {
    const state = play(opened(50, 70), { type: "pushed", items: [item(3), item(49), item(70)] });
    expect(state.items.map((one) => one.id)).toEqual([...Array.from({ length: 20 }, (_, n) => `i${50 + n}`), "i70"]);
  });

  it("says when pushes have made it too large", () => {
    const at = play(opened(0, 20), { type: "pushed", items: range(20, MOST_ITEMS).map((one) => item(one)) });
    expect(isOverlong(at)).toBe(false);
    expect(isOverlong(stepChat(at, { type: "pushed", items: [item(MOST_ITEMS)] }))).toBe(true);
  });

  it("keeps what was pushed before the first page", () => {
    const state = play({ type: "pushed", items: [item(19), item(20)] }, opened(0, 20));
    expect(numbers(state)).toEqual(range(0, 21));
  });

  it("ignores the answer to a cursor that is not its edge any more", () => {
    const state = play(opened(50, 100));
    expect(stepChat(state, { type: "older", page: page(0, 50), cursor: "c99" })).toBe(state);
    expect(stepChat(state, { type: "newer", page: page(0, 50), cursor: "c99", isAtEnd: true })).toBe(state);
  });

  it("keeps messages that are in no file apart until their row comes", () => {
    const message = item(900, "message", { id: "msg_1", delivery: { id: "msg_1", state: "accepted" } });
    const state = play({ type: "opened", page: page(0, 3, { items: [item(0), message] }), isAtEnd: true });
    expect(numbers(state)).toEqual([0]);
    expect(state.waiting).toEqual([message]);
    const row = item(1, "user", { delivery: { id: "msg_1", state: "delivered" } });
    expect(stepChat(state, { type: "pushed", items: [row] }).waiting).toEqual([]);
  });

  it("hides and shows an item again", () => {
    const state = play(opened(0, 3), { type: "hidden", id: "i1" });
    expect(numbers(state)).toEqual([0, 2]);
    expect(numbers(stepChat(state, { type: "shown", id: "i1" }))).toEqual([0, 1, 2]);
  });

  it("changes nothing that did not change", () => {
    const state = play(opened(0, 3));
    expect(stepChat(state, { type: "pushed", items: [] }).items).toBe(state.items);
  });

  it("drops what is far away and can go back there", () => {
    let state = play(opened(9_900, 10_000));
    while (olderCursor(state) !== null) {
      const to = Number(olderCursor(state)?.slice(1));
      state = stepChat(state, { type: "older", page: page(Math.max(0, to - 100), to), cursor: `c${to}` });
      expect(state.items.length).toBeLessThanOrEqual(MOST_ITEMS);
    }
    expect(numbers(state)).toEqual(range(0, MOST_ITEMS));
    expect([state.isAtEnd, newerCursor(state)]).toEqual([false, `c${MOST_ITEMS}`]);
  });

  it("never has a gap, a double or a wrong order, in seeded random walks", () => {
    const next = random(4);
    for (let round = 0; round < 30; round++) {
      let end = 3000;
      const start = Math.floor(next() * end);
      let state = play(opened(start, Math.min(end, start + 100), start + 100 >= end));
      for (let n = 0; n < 60; n++) {
        const kind = Math.floor(next() * 4);
        if (kind === 0) {
          const fresh = Math.floor(next() * 4);
          state = stepChat(state, { type: "pushed", items: range(Math.max(0, end - 2), end + fresh).map((one) => item(one)) });
          end += fresh;
        } else if (kind === 1 && olderCursor(state) !== null) {
          const to = Number(olderCursor(state)?.slice(1));
          state = stepChat(state, { type: "older", page: page(Math.max(0, to - 100), to), cursor: `c${to}` });
        } else if (kind === 2) {
          const from = Number(newerCursor(state)?.slice(1));
          const to = Math.min(end, from + 100);
          state = stepChat(state, { type: "newer", page: page(from, to), cursor: `c${from}`, isAtEnd: to === end });
        }
        const all = numbers(state);
        expect(all.every((one, at) => one === (all[0] ?? 0) + at)).toBe(true);
        expect(all.length).toBeLessThanOrEqual(MOST_ITEMS + 100);
        if (state.isAtEnd) expect(all[all.length - 1]).toBe(end - 1);
      }
    }
  });
});

describe("unread", () => {
  const items = [item(0), item(1, "tool"), item(2, "user"), item(3), item(4, "result"), item(5, "notice"), item(6, "question")];
  it.each([[0, null], [1, "i6"], [2, "i4"], [3, "i3"], [4, "i0"], [9, "i0"]])("%i unread begin at %s", (count, id) => {
    expect(firstUnread(items, count)).toBe(id);
  });

  it("asks for enough to find it", () => {
    expect([firstLimit(0), firstLimit(10), firstLimit(500)]).toEqual([60, 100, 200]);
  });

  it("tells only what is newer than what was told", () => {
    expect(newestSeen(items, new Set(["i1", "i3"]), null)).toBe("i3");
    expect(newestSeen(items, new Set(["i1", "i3"]), "i3")).toBeNull();
    expect(newestSeen(items, new Set(["i1"]), "i3")).toBeNull();
    expect(newestSeen(items, new Set(), null)).toBeNull();
  });
});

describe("where the reader stands", () => {
  const places = [{ key: "a", top: -90, bottom: -10 }, { key: "b", top: -5, bottom: 60 }, { key: "c", top: 60, bottom: 90 }];
  it("follows the end only when the reader is there", () => {
    expect(standOf(places, 10, true)).toEqual({ at: "end" });
    expect(standOf(places, 10, false)).toEqual({ at: "block", key: "b", offset: -5 });
    expect(standOf(places, 500, true)).toEqual({ at: "block", key: "b", offset: -5 });
    expect(standOf([], 500, true)).toEqual({ at: "end" });
  });

  it("stays at its block when something grows above", () => {
    expect(correction({ at: "block", key: "b", offset: -5 }, () => 295, 1000)).toBe(300);
    expect(correction({ at: "block", key: "b", offset: -5 }, () => null, 1000)).toBe(0);
    expect(correction({ at: "end" }, () => null, 120)).toBe(120);
  });

  it("wants the next page before the reader gets to an edge", () => {
    const state = play(opened(50, 100, false));
    expect(wants(0, 5000, state)).toBe("older");
    expect(wants(5000, 0, state)).toBe("newer");
    expect(wants(5000, 5000, state)).toBeNull();
    expect(wants(0, 0, NO_CHAT)).toBeNull();
    expect(wants(0, 5000, play(opened(0, 100)))).toBeNull();
  });
});

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
}
