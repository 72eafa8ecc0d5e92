import { describe, expect, it } from "vitest";

import { againMs, bodyOf, IDLE, isLost, isOwn, refusalWords, stepAct, type Act, type ActEvent, type ActState } from "./question-act";
import { closed, question } from "./samples";

const ANSWER: Act = { deed: "answer", options: ["1"], text: "and soon", label: "Per tenant" };
const after = (...events: ActEvent[]): ActState => events.reduce(stepAct, IDLE);
const sent: ActEvent = { type: "act", act: ANSWER, requestId: "req_1" };

describe("an act", () => {
  it("is one at a time", () => {
    const state = after(sent, { type: "act", act: { deed: "skip", label: "Skip" }, requestId: "req_2" });
    expect(state).toEqual({ at: "sending", act: ANSWER, requestId: "req_1", tries: 0 });
  });
  it("is over when it is done", () => expect(after(sent, { type: "done", requestId: "req_1" })).toBe(IDLE));
  it("keeps its id when no word came", () => {
    expect(after(sent, { type: "lost", requestId: "req_1" })).toEqual({ at: "sending", act: ANSWER, requestId: "req_1", tries: 1 });
  });
  it("may be given up only when a word is missing, and then nobody says that it was not done", () => {
    expect(after(sent, { type: "stop" }).at).toBe("sending");
    expect(after(sent, { type: "lost", requestId: "req_1" }, { type: "stop" })).toEqual({ at: "unsure", act: ANSWER });
  });
  it("stays said when it was refused, until it was read", () => {
    const state = after(sent, { type: "refused", requestId: "req_1", code: "conflict", text: "It was answered by you already." });
    expect(state).toMatchObject({ at: "refused", wasFirst: true });
    expect(stepAct(state, { type: "understood" })).toBe(IDLE);
  });
  it("is not ended by the word about another", () => {
    expect(after(sent, { type: "done", requestId: "req_0" }).at).toBe("sending");
    expect(after(sent, { type: "refused", requestId: "req_0", code: "conflict", text: "" }).at).toBe("sending");
  });
});

it("waits longer each time, and not for ever", () => {
  expect([1, 2, 3, 9].map(againMs)).toEqual([1_000, 2_000, 4_000, 15_000]);
  expect(["unreachable", "garbage", "conflict", "internal"].map(isLost)).toEqual([true, true, false, false]);
});

describe("the body", () => {
  it("holds option and note together", () => expect(bodyOf(ANSWER, question("q"), "r")).toEqual({ request_id: "r", option: "1", text: "and soon" }));
  it("holds several where several can be chosen", () => {
    expect(bodyOf({ deed: "answer", options: ["1", "2"], text: null, label: "" }, question("q", { multi: true }), "r")).toEqual({ request_id: "r", option: ["1", "2"] });
  });
  it("holds words alone", () => expect(bodyOf({ deed: "answer", options: [], text: "no", label: "no" }, question("q"), "r")).toEqual({ request_id: "r", text: "no" }));
  it("holds why", () => expect(bodyOf({ deed: "dismiss", why: "Looks answered.", label: "" }, question("q"), "r")).toEqual({ request_id: "r", why: "Looks answered." }));
});

describe("a conflict with oneself", () => {
  const done = closed(question("q"), "answered", 5, "device:dev_1", { answer: { by: "device:dev_1", at_ms: 5, option: "1", text: "and soon" } });
  it("is no conflict", () => expect(isOwn(ANSWER, done, "device:dev_1")).toBe(true));
  it("is one when another answer stands, or another device gave it", () => {
    expect(isOwn({ ...ANSWER, text: null }, done, "device:dev_1")).toBe(false);
    expect(isOwn(ANSWER, done, "device:dev_2")).toBe(false);
    expect(isOwn(ANSWER, done, null)).toBe(false);
  });
  it("holds for skip and dismiss", () => {
    expect(isOwn({ deed: "skip", label: "" }, closed(question("q"), "skipped", 5, "device:dev_1"), "device:dev_1")).toBe(true);
    expect(isOwn({ deed: "skip", label: "" }, closed(question("q"), "dismissed", 5, "device:dev_1"), "device:dev_1")).toBe(false);
  });
});

it("says what was not done, and who was first", () => {
  const refused = (code: string, text = "") => refusalWords({ at: "refused", act: ANSWER, code, text, wasFirst: false });
  expect(refused("conflict", "It was skipped by you already.")).toBe("Your answer was not sent. It was skipped by you already.");
  expect(refused("changed")).toBe("The agent asks something else now. Nothing was sent.");
  expect(refused("internal", "The disk is full.")).toBe("Your answer was not sent: The disk is full.");
});
