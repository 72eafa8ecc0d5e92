import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Agent, Machine } from "../../api/types";
import { route } from "../../kit/navigate";
import { RoomContext, type Room } from "../../live/room";
import { listed, NO_QUESTIONS } from "../../store/questions";
import { EMPTY, type State } from "../../store/state";

const wide = vi.hoisted(() => ({ isWide: { value: false } }));
vi.mock("../../kit/media", () => wide);
const { Inbox, waitingId } = await import(".");

const NOW = 10_000_000;
const agent = (id: string, part: Partial<Agent> = {}): Agent => ({
  id, chat_id: id, name: id, kind: "claude", machine_id: "m", activity: "idle", since_ms: NOW - 60_000, helpers: 0, unread: 0,
  evidence: { rule: "idle", source: "registry", detail: "Now or later?", at_ms: 1 }, ...part,
});
const prompt = (id: string, ago: number) => ({ activity: "blocked" as const, waiting_for: { id, kind: "permission", text: "Run it?\nrm -r x", since_ms: NOW - ago } });
const machine: Machine = { id: "m", name: "studio", primary: true, online: true, last_seen_ms: NOW, version: "1", capabilities: [] };
const state = signal<State>(EMPTY);
const room = {
  state, now: signal(NOW), nowMs: () => NOW, isOld: signal(false), link: signal({ kind: "live" }), http: { request: vi.fn().mockResolvedValue({ ok: false, refusal: { code: "aborted", text: "", status: 0 } }) },
} as unknown as Room;

const know = (...agents: Agent[]) => act(() => {
  state.value = { ...EMPTY, seq: 1, questions: listed(NO_QUESTIONS, [], true), agents: new Map(agents.map((each) => [each.id, each])), machines: new Map([["m", machine]]) };
});
const show = (questionId?: string) => act(() => render(
  <RoomContext.Provider value={room}><Inbox {...(questionId === undefined ? {} : { questionId })} /></RoomContext.Provider>, document.body));
const detail = () => document.querySelector(".pane-detail")?.textContent ?? "";

beforeEach(() => {
  wide.isWide.value = false;
  state.value = EMPTY;
});
afterEach(() => act(() => render(null, document.body)));

describe("the Inbox", () => {
  it("shows who waits, the longest first, and nobody else", () => {
    know(agent("asks", { activity: "question" }), agent("stopped", prompt("dlg", 120_000)), agent("works", { activity: "working" }), agent("put-away", { ...prompt("d2", 1), archived: true }));
    show();
    expect([...document.querySelectorAll(".inbox-card .who")].map((name) => name.textContent)).toEqual(["stopped", "asks"]);
    expect(document.querySelector(".head-sum")?.textContent).toBe("2 wait for you");
  });

  it("says a fault and the prompt behind it", () => {
    know(agent("a", { ...prompt("dlg", 1), fault: { code: "signed_out", text: "Sign in on studio.", since_ms: NOW } }));
    show();
    expect(document.querySelector(".inbox-card")?.textContent).toContain("Sign in on studio.");
    expect(document.querySelector(".inbox-card")?.textContent).toContain("Run it?");
  });

  it("says that nothing waits", () => {
    know(agent("a"));
    show();
    expect(document.querySelector("h2")?.textContent).toBe("Nothing waits for you");
  });

  it("opens the first one by its address, once, and never swaps it for another by itself", () => {
    wide.isWide.value = true;
    const [first, second] = [agent("first", prompt("dlg-1", 120_000)), agent("second", prompt("dlg-2", 60_000))];
    know(first, second);
    show();
    expect(route.value).toEqual({ at: "question", questionId: waitingId(first) });
    show("dlg-1");
    expect(detail()).toContain("first");
    know(agent("first", { activity: "working" }), second);
    expect(detail()).toContain("This is not open any more");
    know(agent("first", prompt("dlg-9", 1)), second);
    expect(detail()).toContain("This is not open any more");
  });
});
