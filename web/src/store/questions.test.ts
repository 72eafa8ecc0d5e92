import { describe, expect, it } from "vitest";

import type { Question } from "../api/types";
import { asShown, begun, changed, firstOf, isOpen, listed, MOST_CLOSED, NO_QUESTIONS, openOf, type Asked } from "./questions";
import { agent, closed, question } from "./samples";

const due = (due_at_ms: number) => ({ text: "go on", due_at_ms });
const ids = (asked: Asked) => openOf(asked).map(({ id }) => id);

describe("open questions", () => {
  it("stand blocking first, then by the soonest default, then the oldest", () => {
    const all = [
      question("old", { asked_at_ms: 1 }), question("late", { default: due(900), asked_at_ms: 2 }), question("soon", { default: due(500), asked_at_ms: 9 }),
      question("new", { asked_at_ms: 8 }), question("stop", { blocking: true, asked_at_ms: 9 }), question("stop-old", { blocking: true, asked_at_ms: 3, default: due(9_999) }),
    ];
    expect(ids(listed(NO_QUESTIONS, all, true))).toEqual(["stop-old", "stop", "soon", "late", "old", "new"]);
    expect(ids(listed(NO_QUESTIONS, [...all].reverse(), true))).toEqual(["stop-old", "stop", "soon", "late", "old", "new"]);
  });
  it("leave when an event closes them, and come back when one opens them", () => {
    const start = listed(NO_QUESTIONS, [question("q_1")], true);
    const end = changed(start, closed(question("q_1"), "skipped", 5, "host"));
    expect(ids(end)).toEqual([]);
    expect(end.byId.get("q_1")?.state).toBe("skipped");
    expect(ids(changed(end, closed(closed(question("q_1"), "skipped", 5, "host"), "open", 6, "host")))).toEqual(["q_1"]);
  });
  it("are found by their agent", () => {
    const asked = listed(NO_QUESTIONS, [question("q_1"), question("q_2", { agent_id: "agt_2", blocking: true })], true);
    expect(firstOf(asked, "agt_1")?.id).toBe("q_1");
    expect(firstOf(asked, "agt_3")).toBeNull();
  });
});

describe("a list and events that cross", () => {
  const asked = listed(NO_QUESTIONS, [question("q_1")], true);
  const end = closed(question("q_1"), "answered", 2_000, "host");

  it("an older list does not open again what an event closed", () => {
    expect(ids(listed(changed(asked, end), [question("q_1")], true))).toEqual([]);
  });
  it("a newer list goes before an older event", () => {
    expect(ids(listed(changed(asked, question("q_1")), [end], false))).toEqual([]);
  });
  it("of one length the event counts: it may say more of the delivery", () => {
    const typed = { ...end, answer: { by: "host", at_ms: 5, option: "1" } };
    expect(listed(changed(asked, typed), [end], false).byId.get("q_1")?.answer).toEqual(typed.answer);
  });
  it("what is not open any more after a gap is not shown as open", () => {
    expect(ids(listed(begun(asked), [], true))).toEqual([]);
    expect(ids(listed(changed(begun(asked), question("q_2")), [], true))).toEqual(["q_2"]);
    expect(listed(begun(asked), [], true).isWhole).toBe(true);
  });
  it("shortened texts of an event never take the place of whole ones", () => {
    const short = { ...end, question: "Per te…", clipped: true };
    expect(changed(asked, short).byId.get("q_1")).toMatchObject({ question: "Per tenant or per key?", state: "answered", clipped: false });
    const fetched = listed(changed(NO_QUESTIONS, short), [end], false).byId.get("q_1");
    expect(fetched).toMatchObject({ question: "Per tenant or per key?", state: "answered", clipped: false });
  });
  it("the last steps of a long history are no older state", () => {
    const long = Array.from({ length: 30 }, (_, at) => at).reduce((one, at) => closed(one, at % 2 === 0 ? "skipped" : "open", 2_000 + at, "host"), question("q_1"));
    const ended = closed(long, "dismissed", 9_000, "host");
    const short = { ...ended, question: "Per…", history: ended.history.slice(-20), clipped: true };
    const here = changed(listed(NO_QUESTIONS, [long], true), short);
    expect(ids(here)).toEqual([]);
    expect(listed(here, [ended], false).byId.get("q_1")?.history).toHaveLength(32);
  });
  it("an old event after a newer one changes nothing", () => {
    expect(ids(changed(changed(asked, end), question("q_1")))).toEqual([]);
  });
});

it("keeps the newest closed ones only, and every open one", () => {
  const all = Array.from({ length: MOST_CLOSED + 50 }, (_, at) => closed(question(`q_${at}`), "default", 5, "timer"));
  const asked = listed(listed(NO_QUESTIONS, [question("open")], true), all, false);
  expect(asked.byId.size).toBe(MOST_CLOSED + 1);
  expect(asked.byId.has("open")).toBe(true);
  expect(asked.byId.has("q_0")).toBe(false);
});

describe("an agent whose last reply asks", () => {
  const asking = agent("agt_1", { activity: "question", since_ms: 100 });
  const agents = new Map([[asking.id, asking], ["agt_2", agent("agt_2", { activity: "question", since_ms: 100 })]]);
  const activity = (asked: Asked) => asShown(agents, asked).get("agt_1")?.activity;

  it("asks until its question is known to be closed", () => {
    expect(activity(NO_QUESTIONS)).toBe("question");
    expect(activity(listed(NO_QUESTIONS, [], true))).toBe("question");
    expect(activity(listed(NO_QUESTIONS, [question("q_1")], true))).toBe("question");
    expect(activity(listed(NO_QUESTIONS, [closed(question("q_1"), "dismissed", 150, "host")], true))).toBe("idle");
  });
  it("asks again with a newer reply, or while another of its questions is open", () => {
    const past = closed(question("q_1"), "dismissed", 50, "host");
    expect(activity(listed(NO_QUESTIONS, [past], true))).toBe("question");
    expect(activity(listed(NO_QUESTIONS, [closed(question("q_1"), "dismissed", 150, "host"), question("q_2")], true))).toBe("question");
  });
  it("leaves all others as they are, and the same fleet the same", () => {
    expect(asShown(agents, NO_QUESTIONS)).toBe(agents);
    const asked = listed(NO_QUESTIONS, [closed(question("q_1"), "dismissed", 150, "host")], true);
    expect(asShown(agents, asked).get("agt_2")).toBe(agents.get("agt_2"));
    expect(asShown(agents, asked).get("agt_1")).toBe(asShown(agents, asked).get("agt_1"));
  });
});

function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % sides;
  };
}

describe("whatever crosses", () => {
  it.each(Array.from({ length: 60 }, (_, seed) => [seed + 1]))("in the end it is what the hub has: seed %i", (seed) => {
    const roll = dice(seed * 7919);
    const hub = new Map<string, Question>();
    let here = begun(NO_QUESTIONS);
    let answers: { questions: Question[]; isWhole: boolean }[] = [];
    let events: Question[] = [];
    const deliver = (): void => {
      const event = events.shift();
      if (event !== undefined) here = changed(here, event);
    };
    for (let step = 0; step < 120; step++) {
      const id = `q_${roll(6)}`;
      const known = hub.get(id);
      switch (roll(5)) {
        case 0:
        case 1: {
          const next = known === undefined ? question(id) : closed(known, isOpen(known) ? "skipped" : "open", step, "host");
          hub.set(id, next);
          events.push(next);
          break;
        }
        case 2: answers.push({ questions: [...hub.values()].filter(isOpen), isWhole: true }); break;
        case 3: deliver(); break;
        case 4: {
          const answer = answers.shift();
          if (answer !== undefined) here = listed(here, answer.questions, answer.isWhole);
        }
      }
    }
    answers = answers.slice(-1);
    while (events.length > 0) deliver();
    const last = [...hub.values()].filter(isOpen);
    here = listed(here, last, true);
    expect(new Set(ids(here))).toEqual(new Set(last.map((one) => one.id)));
  });
});
