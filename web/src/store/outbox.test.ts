import { describe, expect, test } from "vitest";

import type { Message } from "../api/types";
import {
  behind, bodyOf, eventOf, inOrder, isDone, KEPT_MS, mayRetry, newMessage, next, RETRY_AFTER_MS, step, takenUp, toShow, waiting, withQuote,
  type OutEvent, type OutMessage,
} from "./outbox";

const T = 1_000_000;

function message(id = "msg_1", more: Partial<OutMessage> = {}): OutMessage {
  const parts = { id, chatId: "cht_1", agentId: "agt_1", text: "hi", when: "idle", onDraft: "wait", files: [] } as const;
  return { ...newMessage(parts, T), ...more };
}

function play(start: OutMessage, ...events: OutEvent[]): OutMessage {
  return events.reduce((one, event) => step(one, event, T, 0.5), start);
}

test("a message is tried, accepted, and forgotten when the chat shows it", () => {
  const sent = play(message(), { type: "try" });
  expect(sent.state).toEqual({ kind: "sending" });
  const accepted = play(sent, { type: "accepted", state: "accepted" });
  expect(accepted.state).toEqual({ kind: "accepted", atMs: T, state: "accepted" });
  expect(isDone(accepted, T + KEPT_MS)).toBe(false);
  expect(isDone(accepted, T + KEPT_MS + 1)).toBe(true);
});

test("a lost try waits longer each time, and not for ever", () => {
  let one = message();
  const waits: number[] = [];
  for (let count = 0; count < 8; count += 1) {
    one = play(one, { type: "try" }, { type: "lost", why: "Nobody there." });
    waits.push(one.state.kind === "saved" ? one.state.nextMs - T : -1);
  }
  expect(waits).toEqual([1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 30_000, 30_000]);
});

test("the hub says how long to wait", () => {
  const one = play(message(), { type: "try" }, { type: "lost", why: "Too many.", afterMs: 60_000 });
  expect(one.state).toEqual({ kind: "saved", nextMs: T + 60_000, why: "Too many." });
});

test("what was accepted stays accepted, whatever comes late", () => {
  const accepted = play(message(), { type: "try" }, { type: "accepted", state: "accepted" });
  const late: OutEvent[] = [
    { type: "lost", why: "x" }, { type: "refused", code: "bad_request", why: "x" },
    { type: "again", isPerson: true }, { type: "progress", done: 1, total: 2 },
  ];
  for (const event of late) expect(step(accepted, event, T, 0)).toBe(accepted);
});

test("a refused message waits for a person", () => {
  const refused = play(message(), { type: "try" }, { type: "refused", code: "too_large", why: "Too large." });
  expect(step(refused, { type: "again", isPerson: false }, T, 0)).toBe(refused);
  expect(next([refused], T)).toEqual({ message: null, atMs: null });
  expect(step(refused, { type: "again", isPerson: true }, T, 0).state).toEqual({ kind: "saved", nextMs: T });
});

test("Retry comes after three minutes, and at once when it was refused", () => {
  const tried = play(message(), { type: "try" }, { type: "lost", why: "x" });
  expect(mayRetry(message(), T + 1e9)).toBe(false);
  expect(mayRetry(tried, T + RETRY_AFTER_MS - 1)).toBe(false);
  expect(mayRetry(tried, T + RETRY_AFTER_MS)).toBe(true);
  expect(mayRetry(play(tried, { type: "refused", code: "changed", why: "x" }), T)).toBe(true);
  expect(mayRetry(play(tried, { type: "accepted", state: "accepted" }), T + 1e9)).toBe(false);
});

describe("next", () => {
  test("keeps the order within a chat, and chats do not wait for each other", () => {
    const first = message("msg_1", { madeMs: 1 });
    const second = message("msg_2", { madeMs: 2 });
    const other = message("msg_3", { madeMs: 3, chatId: "cht_2" });
    expect(next([second, other, first], T).message?.id).toBe("msg_1");
    const sending = play(first, { type: "try" });
    expect(next([second, other, sending], T).message?.id).toBe("msg_3");
    expect(next([second, sending], T)).toEqual({ message: null, atMs: null });
  });

  test("a clock that was set right does not change the order", () => {
    const early = message("msg_1", { madeMs: T + 86_400_000 });
    const late = behind([early, message("msg_9", { chatId: "cht_2", madeMs: 1e15 })], message("msg_0"));
    expect(inOrder([late, early]).map((one) => one.id)).toEqual(["msg_1", "msg_0"]);
    expect(behind([], early)).toBe(early);
  });

  test("says when to look again", () => {
    const lost = play(message(), { type: "try" }, { type: "lost", why: "x" });
    expect(next([lost, message("msg_2", { madeMs: T + 1 })], T)).toEqual({ message: null, atMs: T + 1_000 });
  });

  test("a refused one holds up nobody", () => {
    const refused = play(message("msg_1", { madeMs: 1 }), { type: "refused", code: "bad_request", why: "x" });
    expect(next([refused, message("msg_2", { madeMs: 2 })], T).message?.id).toBe("msg_2");
  });
});

test("what a dead page left half sent is sent again with the same id", () => {
  const taken = takenUp(play(message(), { type: "try" }), T);
  expect(taken.id).toBe("msg_1");
  expect(next([taken], T).message).toEqual(taken);
});

test("files that the hub dropped are uploaded again", () => {
  const file = { id: "file_1", name: "a.png", size: 1, type: "image/png" };
  const uploaded = play(message("msg_1", { files: [file] }), { type: "try" }, { type: "uploaded", fileId: "file_1", uploadId: "up_1" });
  expect(bodyOf(uploaded).attachments).toEqual(["up_1"]);
  const gone = play(uploaded, eventOf({ code: "not_found", text: "attachments: up_1 is not here any more." }, true));
  expect(gone.files).toEqual([file]);
  expect(gone.state.kind).toBe("saved");
});

test.each([
  ["unreachable", "lost"], ["garbage", "lost"], ["offline", "lost"], ["failed", "lost"], ["too_many", "lost"], ["locked", "lost"],
  ["not_paired", "lost"], ["bad_request", "refused"], ["not_allowed", "refused"], ["conflict", "refused"],
  ["too_large", "refused"], ["not_found", "refused"], ["something_new", "refused"],
])("%s: %s", (code, type) => {
  expect(eventOf({ code, text: "x" }, false).type).toBe(type);
});

test("the body leaves out what is usual, and is the same each time", () => {
  expect(bodyOf(message())).toEqual({ id: "msg_1", text: "hi" });
  const body = bodyOf(message("msg_1", { when: "now", onDraft: "after" }));
  expect(body).toEqual({ id: "msg_1", text: "hi", when: "now", on_draft: "after" });
});

test("a quote stands above the text", () => {
  expect(withQuote("why?", { author: "shop", text: "one\n\ntwo" })).toBe("> one\n>\n> two\n\nwhy?");
  expect(withQuote("why?", null)).toBe("why?");
});

test("the chat shows what it does not have as an item", () => {
  const all = [message("msg_2", { madeMs: 2 }), message("msg_1", { madeMs: 1 }), message("msg_3", { chatId: "cht_2" })];
  expect(toShow(all, "cht_1", new Set(["msg_2"])).map((one) => one.id)).toEqual(["msg_1"]);
});

test("what waits at the hub is told in its order", () => {
  const at = (id: string, created_at_ms: number, state = "accepted") => ({ id, chat_id: "cht_1", created_at_ms, state }) as Message;
  expect(waiting([at("b", 2), at("a", 1), at("c", 0, "delivered")], "cht_1").map((one) => one.id)).toEqual(["a", "b"]);
});
