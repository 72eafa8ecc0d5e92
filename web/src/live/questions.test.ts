import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { countsOf } from "../store/agents";
import { agent, closed, fleet, machine, question } from "../store/samples";
import { openOf } from "../store/questions";
import { apply, EMPTY, type State } from "../store/state";
import { keepQuestions, questionsTrouble } from "./questions";
import type { Room } from "./room";

const state = signal<State>(EMPTY);
const link = signal<{ kind: string }>({ kind: "connecting" });
const request = vi.fn();
const room = { state, link, http: { request }, tell: (event: Parameters<typeof apply>[1]) => { state.value = apply(state.value, event); } } as unknown as Room;
const paths = () => request.mock.calls.map(([, path]) => path as string);
const flush = () => vi.advanceTimersByTimeAsync(20);
const open = () => openOf(state.value.questions).map(({ id }) => id);
const hub = (questions: unknown, paused: unknown = null) => {
  request.mockImplementation((_method: string, path: string) => Promise.resolve(path === "/status" ? { ok: true, value: { paused } } : questions));
};

beforeEach(() => {
  vi.useFakeTimers();
  state.value = EMPTY;
  link.value = { kind: "connecting" };
  request.mockReset();
});
afterEach(() => vi.useRealTimers());

it("asks once for each fleet and each time the link is back, never because of what it is told", async () => {
  hub({ ok: true, value: { questions: [question("q_1"), { id: "broken" }] } }, { since_ms: 5, by: "host" });
  keepQuestions(room);
  await flush();
  expect(paths()).toEqual([]);
  state.value = apply(state.value, { type: "fleet", fleet: fleet(1, []) });
  link.value = { kind: "live" };
  await flush();
  expect(paths()).toEqual(["/status", "/questions"]);
  expect(open()).toEqual(["q_1"]);
  expect(state.value.questions.isWhole).toBe(true);
  expect(state.value.paused).toEqual({ since_ms: 5, by: "host" });
  state.value = apply(state.value, { type: "event", seq: 2, atMs: 1, name: "question.changed", data: question("q_2") });
  await flush();
  expect(paths()).toHaveLength(2);
  state.value = apply(state.value, { type: "fleet", fleet: fleet(9, []) });
  expect(state.value.questions.isWhole).toBe(false);
  await flush();
  expect(paths()).toHaveLength(4);
  expect(open()).toEqual(["q_1"]);
  link.value = { kind: "waiting" };
  link.value = { kind: "live" };
  await flush();
  expect(paths()).toHaveLength(6);
});

it("looks how the question of an agent ended that stands at it without a card", async () => {
  const end = closed(question("q_1"), "dismissed", 2_000, "host");
  request.mockImplementation((_method: string, path: string, options?: { query: { state: string } }) => Promise.resolve(
    path === "/status" ? { ok: true, value: {} } : { ok: true, value: { questions: options?.query.state === "all" ? [end] : [] } }));
  keepQuestions(room);
  state.value = apply(state.value, { type: "fleet", fleet: fleet(1, [agent("agt_1", { activity: "question" }), agent("agt_2")]) });
  link.value = { kind: "live" };
  await flush();
  const asked = request.mock.calls.map(([, , options]) => (options as { query?: { agent?: string } } | undefined)?.query?.agent).filter((id) => id !== undefined);
  expect(new Set(asked)).toEqual(new Set(["agt_1"]));
  expect(countsOf(state.value.agents, new Map([["mac_1", machine("mac_1")]]), state.value.questions).waiting).toBe(0);
});

it("says that they could not be read, and tries again", async () => {
  hub({ ok: false, refusal: { code: "internal", text: "No disk.", status: 500 } });
  keepQuestions(room);
  state.value = apply(state.value, { type: "fleet", fleet: fleet(1, []) });
  link.value = { kind: "live" };
  await flush();
  expect(questionsTrouble.value?.text).toBe("No disk.");
  expect(state.value.questions.isKnown).toBe(false);
  hub({ ok: true, value: { questions: [question("q_1")] } });
  await vi.advanceTimersByTimeAsync(10_100);
  expect(questionsTrouble.value).toBeNull();
  expect(open()).toEqual(["q_1"]);
});
