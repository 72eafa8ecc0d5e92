import { render } from "preact";
import { act } from "preact/test-utils";
import { useRef } from "preact/hooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Agent, Machine } from "../../api/types";
import { arrange } from "../../store/agents";
import { SETTLE_MS, useHeld, useKeptFocus } from "./held";

const MACHINES = new Map<string, Machine>([
  ["m", { id: "m", name: "m", primary: true, online: true, last_seen_ms: 1, version: "1", capabilities: [] }],
]);

function agent(id: string, part: Partial<Agent> = {}): Agent {
  return {
    id, chat_id: id, name: id, kind: "claude", machine_id: "m", activity: "idle", since_ms: 1, helpers: 0, unread: 0,
    evidence: { rule: "idle", source: "registry", detail: "", at_ms: 1 }, ...part,
  };
}

function List(props: { agents: readonly Agent[]; filter?: string }) {
  const list = useRef<HTMLDivElement>(null);
  const agents = new Map(props.agents.map((each) => [each.id, each]));
  const { groups, settling, isShifting } = useHeld(list, arrange(props.agents, MACHINES), agents, props.filter ?? "");
  useKeptFocus(list);
  return (
    <div ref={list} id="list" data-shifting={isShifting}>
      {groups.map((group) => (
        <section key={group.id} data-group={group.id}>
          {group.agents.map((each) => <a key={each.id} href="#" data-agent={each.id} data-settling={settling.has(each.id)}>{each.activity}</a>)}
        </section>
      ))}
    </div>
  );
}

const show = (agents: readonly Agent[], filter = "") => act(() => render(<List agents={agents} filter={filter} />, document.body));
const places = () => [...document.querySelectorAll<HTMLElement>("[data-agent]")].map((row) => `${row.closest<HTMLElement>("section")?.dataset["group"]} ${row.dataset["agent"]} ${row.textContent}`);
const settling = () => [...document.querySelectorAll<HTMLElement>('[data-settling="true"]')].map((row) => row.dataset["agent"]);
const isShifting = () => document.getElementById("list")?.dataset["shifting"];
const pointer = (type: string, on: EventTarget) => act(() => { on.dispatchEvent(new Event(type, { bubbles: true })); });
const pass = (ms: number) => act(() => { vi.advanceTimersByTime(ms); });
const list = () => document.getElementById("list") as HTMLElement;

const [a, b] = [agent("a", { since_ms: 2 }), agent("b")];
const blocked = agent("b", { activity: "blocked", since_ms: 5 });

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  act(() => render(null, document.body));
  vi.useRealTimers();
});

describe("the list", () => {
  it("settles what came from another group, and takes no tap where something moved", () => {
    show([a, b]);
    expect([settling(), isShifting()]).toEqual([[], "false"]);
    show([a, blocked]);
    expect(places()).toEqual(["needs b blocked", "idle a idle"]);
    expect([settling(), isShifting()]).toEqual([["b"], "true"]);
    pass(SETTLE_MS - 1);
    expect(isShifting()).toBe("true");
    pass(1);
    expect([settling(), isShifting()]).toEqual([[], "false"]);
  });

  it("keeps its order under a finger, and tells what is so; the rest comes when the finger is off", () => {
    show([a, b]);
    pointer("pointerdown", list());
    pass(10_000);
    show([a, blocked, agent("new")]);
    expect(places()).toEqual(["idle a idle", "idle b blocked"]);
    expect(settling()).toEqual([]);
    pointer("pointerup", window);
    pass(1000);
    expect(places()).toEqual(["needs b blocked", "idle a idle", "idle new idle"]);
    expect(settling()).toEqual(["b", "new"]);
  });

  it("does not wait for ever for a finger that nobody saw leave", () => {
    show([a, b]);
    pointer("pointerdown", list());
    show([a, blocked]);
    pass(31_000);
    expect(places()).toEqual(["needs b blocked", "idle a idle"]);
  });

  it("is not held by a hand elsewhere", () => {
    show([a, b]);
    pointer("pointerdown", document.body);
    pointer("pointerup", window);
    show([a, blocked]);
    expect(places()).toEqual(["needs b blocked", "idle a idle"]);
  });

  it("waits for the end of a scroll", () => {
    show([a, b]);
    pointer("scroll", list());
    show([a, blocked]);
    expect(places()).toEqual(["idle a idle", "idle b blocked"]);
    pass(200);
    pointer("scroll", list());
    pass(200);
    expect(places()).toEqual(["idle a idle", "idle b blocked"]);
    pass(1000);
    expect(places()).toEqual(["needs b blocked", "idle a idle"]);
  });

  it("shows another choice at once, also under a finger", () => {
    show([a, b]);
    pointer("pointerdown", list());
    show([a, blocked], "unread");
    expect(places()).toEqual(["needs b blocked", "idle a idle"]);
    expect(settling()).toEqual([]);
  });

  it("does not settle what the first answer brings", () => {
    show([]);
    show([a, b]);
    expect([settling(), isShifting()]).toEqual([[], "false"]);
  });

  it("keeps the focus on a row that moves", () => {
    show([a, b]);
    document.querySelector<HTMLElement>('[data-agent="b"]')?.focus();
    show([a, blocked]);
    expect((document.activeElement as HTMLElement).dataset["agent"]).toBe("b");
  });
});
