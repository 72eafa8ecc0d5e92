import { describe, expect, it } from "vitest";

import { answerOf, isOver, noticeOf, placeOf } from "./notice";
import { NO_QUESTIONS } from "./questions";
import { agent, question } from "./samples";

const GOOD = {
  id: "ntc_1", kind: "question", tag: "agt_1", title: "limiter asks", body: "Keep it?", open: "inbox/q_1", at_ms: 5, badge: 2,
  actions: [{ action: "1", title: "Keep" }, { action: "2", title: "Drop" }, { action: "3", title: "Third" }], question_id: "q_1", gone: ["agt_2"],
};

describe("a push", () => {
  it("is read", () => {
    const notice = noticeOf(JSON.stringify(GOOD));
    expect(notice).toMatchObject({ title: "limiter asks", open: "inbox/q_1", badge: 2, questionId: "q_1", gone: ["agt_2"], isUrgent: false });
    expect(notice.actions.map((one) => one.title)).toEqual(["Keep", "Drop"]);
  });

  it.each(["", "null", "7", "[]", "{", "{}", '{"title":5,"tag":"x"}', '{"title":"x"}'])("that cannot be read still says something: %s", (text) => {
    expect(noticeOf(text)).toMatchObject({ title: "Control Room", body: "Something may wait for you.", actions: [], open: "" });
  });

  it("is kept within bounds", () => {
    const notice = noticeOf(JSON.stringify({
      ...GOOD, title: "x".repeat(5000), body: "y".repeat(5000), badge: -3, at_ms: "soon", actions: [null, 5, { action: "", title: "x" }], gone: "all", question_id: 9,
    }));
    expect([notice.title.length, notice.body.length, notice.badge, notice.atMs]).toEqual([200, 1000, 0, 0]);
    expect([notice.actions, notice.gone, notice.questionId]).toEqual([[], [], null]);
  });
});

describe("the place it opens", () => {
  it.each([
    ["inbox/q_1", "inbox/q_1"],
    ["/settings/notifications", "settings/notifications"],
    ["agents/agt_1/terminal", "agents/agt_1/terminal"],
    ["", ""],
    ["../api/v1/pair", ""],
    ["inbox/../../x", ""],
    ["https://else.test/", ""],
    ["inbox/q?x=1", ""],
    ["inbox/q#pair=1", ""],
    ["inbox\\q", ""],
  ])("%s: %s", (open, expected) => expect(placeOf(open)).toBe(expected));
});

describe("a button", () => {
  const notice = noticeOf(JSON.stringify(GOOD));
  it("asks for its option, and twice is once", () => {
    expect(answerOf(notice, "1")).toEqual({ path: "/questions/q_1/answer", body: { request_id: "req_ntc_1_1", option: "1" } });
    expect(answerOf(notice, "1")).toEqual(answerOf(notice, "1"));
  });
  it("that is not there asks for nothing", () => {
    expect(answerOf(notice, "9")).toBeNull();
    expect(answerOf({ ...notice, questionId: null }, "1")).toBeNull();
  });
});

describe("what a notice told", () => {
  const of = (kind: string, questionId: string | null = null) => ({ kind, questionId, agentId: "agt_1" });
  const agents = (more: Parameters<typeof agent>[1]) => new Map([["agt_1", agent("agt_1", more)]]);
  const asked = (state: "open" | "answered") => ({ ...NO_QUESTIONS, isKnown: true, byId: new Map([["q_1", question("q_1", { state })]]) });

  it("is over when the question is closed, not when it is not known", () => {
    expect(isOver(of("question", "q_1"), new Map(), asked("open"))).toBe(false);
    expect(isOver(of("question", "q_1"), new Map(), asked("answered"))).toBe(true);
    expect(isOver(of("question", "q_1"), new Map(), { ...asked("answered"), isKnown: false })).toBe(false);
    expect(isOver(of("question", "q_2"), new Map(), asked("answered"))).toBe(false);
  });
  it("is over when the agent waits no more, or its end was read", () => {
    expect(isOver(of("waiting"), agents({ activity: "blocked" }), NO_QUESTIONS)).toBe(false);
    expect(isOver(of("waiting"), agents({ activity: "unknown" }), NO_QUESTIONS)).toBe(false);
    expect(isOver(of("waiting"), agents({ activity: "working" }), NO_QUESTIONS)).toBe(true);
    expect(isOver(of("waiting"), new Map(), NO_QUESTIONS)).toBe(false);
    expect(isOver(of("finished"), agents({ activity: "idle", finished: { at_ms: 1, busy_ms: 2, text: "x" } }), NO_QUESTIONS)).toBe(false);
    expect(isOver(of("finished"), agents({ activity: "idle" }), NO_QUESTIONS)).toBe(true);
    expect(isOver(of("trouble"), agents({ activity: "idle" }), NO_QUESTIONS)).toBe(false);
  });
});
