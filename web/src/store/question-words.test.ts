import { describe, expect, it } from "vitest";

import type { Question } from "../api/types";
import { answerWords, byWords, canUndo, chosenLabels, defaultWords, endWords, newsWords, stepWords } from "./question-words";
import { closed, question, questionStep } from "./samples";

const clock = (ms: number) => `T${ms}`;
const now = { nowMs: 1_500, isPaused: false, clock };
const said = (one: Question, change: Partial<typeof now> = {}) => {
  const { before, mark, after, note, share } = defaultWords(one, { ...now, ...change });
  return [before + mark + after, note, share];
};
const fallback = { text: "I count per tenant", due_at_ms: 2_000 };

describe("the default", () => {
  it("says what happens, and when", () => expect(said(question("q", { default: fallback }))).toEqual(["If you say nothing: I count per tenant, at T2000.", null, 50]));
  it("says that there is none", () => expect(said(question("q"))[0]).toBe("No default. It waits for you."));
  it("of a blocking one is shown and never used", () => {
    expect(said(question("q", { blocking: true, default: fallback }))).toEqual(["Its default would be I count per tenant. It is never used: this one waits for you.", null, null]);
  });
  it("without a clear time is not used, and says what is wrong", () => {
    const unclear = { text: "wait", due_at_ms: null, said: "noonish", problem: "That is no time." };
    expect(said(question("q", { default: unclear }))).toEqual(["Its default would be wait, by “noonish”. It is not used by itself.", "That is no time.", null]);
  });
  it("rests while the control room is paused", () => expect(said(question("q", { default: fallback }), { isPaused: true })[1]).toMatch(/^The control room is paused/));
  it("that is due says so", () => expect(said(question("q", { default: fallback }), { nowMs: 2_000 })[0]).toBe("Its time was T2000. The agent is told to use its default: I count per tenant"));
});

describe("an end", () => {
  const end = (state: Question["state"], by: string, change: Partial<Question> = {}) => {
    const { head, rest } = endWords(closed(question("q"), state, 5, by, change), clock);
    return `${head}. ${rest}`;
  };
  it("says who and what", () => {
    expect(end("answered", "device:d", { answer: { by: "device:d", at_ms: 5, option: "1", text: "and soon" } })).toBe("Answered by you. “Per tenant”, with the note “and soon”");
    expect(end("answered", "chief", { answer: { by: "chief", at_ms: 5, option: "2" } })).toBe("Answered by the chief. “Per key”");
    expect(end("default", "timer", { default: fallback })).toBe("Default used. You did not answer by T2000. It was told to use its default: “I count per tenant”.");
    expect(end("resolved", "agent:a")).toBe("Resolved by the agent. Because.");
    expect(end("resolved", "checker")).toBe("Closed by the checker. Because.");
    expect(end("superseded", "agent")).toBe("Replaced by a newer question. Because.");
    expect(end("skipped", "host")).toBe("Skipped by you. Skipping is not approval. The agent is told so.");
    expect(end("skipped", "host", { source: "policy" })).toBe("Skipped by you. Skipping is not approval.");
    expect(stepWords(questionStep("open", 1, "policy"))).toBe("Asked by the policy");
    expect(end("dismissed", "device:d")).toBe("Dismissed by you. Nothing was sent to the agent.");
    expect(end("expired", "timer")).toBe("It cannot be answered any more. Because.");
  });
  it("says late", () => {
    const late = { ...question("q", { default: fallback }), state: "default" as const, history: [questionStep("default", 9, "timer", { late: true })] };
    expect(endWords(late, clock).rest).toMatch(/^Late\. /);
    expect(stepWords(questionStep("default", 9, "timer", { late: true }))).toBe("Default used, late");
  });
  it("knows the terminal", () => {
    const there = { ...question("q"), state: "answered" as const, history: [questionStep("answered", 9, "host", { why: "Answered in the terminal." })], answer: { by: "host", at_ms: 9, option: "2" } };
    expect(endWords(there, clock).head).toBe("Answered by you in the terminal");
  });
  it("of a state that is newer than this app is an end", () => {
    const odd = { ...question("q"), state: "mislaid" as never, history: [questionStep("mislaid" as never, 9, "host")] };
    expect(endWords(odd, clock)).toMatchObject({ head: "Closed", rest: "Because." });
  });
});

it("names options by their labels, also when keys are unknown", () => {
  const answered = (option: string) => question("q", { answer: { by: "host", at_ms: 1, option } });
  expect(chosenLabels(answered("1, 2"))).toEqual(["Per tenant", "Per key"]);
  expect(chosenLabels(answered("9"))).toEqual(["9"]);
  expect(answerWords(question("q", { answer: { by: "host", at_ms: 1, text: "no" } }))).toBe("“no”");
});

it("can be undone while it is so, or until its time", () => {
  expect([0, 1_000, 2_000].map((undo_until_ms) => canUndo(question("q", { undo_until_ms }), 1_500))).toEqual([true, false, true]);
  expect(canUndo(question("q"), 1)).toBe(false);
});

it("says news", () => {
  expect(newsWords(question("q", { blocking: true }), "api", clock)).toBe("New blocking question from api: Per tenant or per key?");
  expect(newsWords(closed(question("q"), "skipped", 1, "host"), "api", clock)).toBe("Skipped by you: Per tenant or per key?");
  expect(["chief", "timer", "agent:x", "policy"].map(byWords)).toEqual(["the chief", "the clock", "the agent", "the policy"]);
});
