import { expect, test } from "vitest";

import { emptyDraft, fit, freeName, isEmpty, isSendable, MOST_BYTES, MOST_DRAFTS, sizeOf, withShared, type Draft } from "./drafts";

function draft(chatId: string, more: Partial<Draft> = {}): Draft {
  return { ...emptyDraft(chatId, "agt_1"), text: "x", changedMs: 5, ...more };
}

test("blanks are no draft, a quote is one that cannot be sent yet", () => {
  expect(isEmpty(draft("a", { text: " \n" }))).toBe(true);
  const quoted = draft("a", { text: "", quote: { author: "shop", text: "hi" } });
  expect([isEmpty(quoted), isSendable(quoted)]).toEqual([false, false]);
});

test("the draft too many is told, with the oldest, and nothing is dropped", () => {
  const others = Array.from({ length: MOST_DRAFTS }, (_, at) => draft(`c${at}`, { changedMs: 100 - at }));
  expect(fit(others, draft("new"))).toEqual({ fits: false, why: "count", oldest: others.at(-1) });
  expect(fit(others, draft("c3"))).toEqual({ fits: true });
  expect(fit(others.slice(1), draft("new"))).toEqual({ fits: true });
  expect(fit(others, draft("new", { text: "" }))).toEqual({ fits: true });
});

test("bytes of files count", () => {
  const file = (size: number) => ({ id: `file_${size}`, name: "a", size, type: "" });
  const large = draft("a", { files: [file(MOST_BYTES - 10)] });
  expect(sizeOf(large)).toBe(MOST_BYTES - 8);
  expect(fit([large], draft("b", { text: "1234" }))).toEqual({ fits: true });
  expect(fit([large], draft("b", { text: "12345" }))).toMatchObject({ fits: false, why: "bytes", oldest: large });
  expect(fit([], draft("b", { files: [file(MOST_BYTES + 1)] }))).toMatchObject({ fits: false, oldest: null });
});

test("what is shared stands behind what was written, and nothing twice", () => {
  const shared = { title: "A page", text: "A page https://example.org/x", url: "https://example.org/x" };
  expect(withShared(draft("a", { text: "see " }), shared, [], 9)).toMatchObject({ text: "see\nA page https://example.org/x", changedMs: 9 });
  expect(withShared(draft("a", { text: "" }), { title: "", text: "", url: "https://example.org" }, [], 9).text).toBe("https://example.org");
});

test("names in one message differ", () => {
  const files = [{ id: "1", name: "a.png", size: 1, type: "" }, { id: "2", name: "a-2.png", size: 1, type: "" }];
  expect(freeName("a.png", files)).toBe("a-3.png");
  expect(freeName(".env", [{ id: "1", name: ".env", size: 1, type: "" }])).toBe(".env-2");
});
