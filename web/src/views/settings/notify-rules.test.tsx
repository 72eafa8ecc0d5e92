import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Rules } from "../../live/notify-rules";
import { RoomContext, type Room } from "../../live/room";
import { agent } from "../../store/samples";
import { EMPTY, type State } from "../../store/state";
import { AgentNotify } from "../agents/notify";
import { shown } from "../agents/shown";
import { Notifications } from "./notifications";

const NOW = 10_000_000;
const RULES: Rules = {
  question: "on", waiting: "on", finished: "always", trouble: "off", only_blocking: false, quiet: "", previews: "words", agents: {}, snoozes: [],
  finished_after_s: 60, waiting_after_s: 120, zone: "UTC",
};
const state = signal<State>(EMPTY);
const request = vi.fn();
const room = { state, now: signal(NOW), nowMs: () => NOW, isOld: signal(false), link: signal({ kind: "live" }), http: { request } } as unknown as Room;
let rules = RULES;
let refuses = false;

const settle = () => act(async () => { for (let turn = 0; turn < 8; turn++) await Promise.resolve(); });
const asked = () => request.mock.calls.filter(([method]) => method !== "GET").map(([, path, options]) => [path, (options as { body: unknown }).body]);
const select = (label: string) => [...document.querySelectorAll("label")].find((one) => one.textContent.startsWith(label))?.querySelector("select") as HTMLSelectElement;
async function choose(label: string, value: string): Promise<void> {
  act(() => { select(label).value = value; select(label).dispatchEvent(new Event("change", { bubbles: true })); });
  await settle();
}
async function show(what: preact.ComponentChildren): Promise<void> {
  act(() => render(<RoomContext.Provider value={room}>{what}</RoomContext.Provider>, document.body));
  await settle();
}

beforeEach(() => {
  rules = RULES;
  refuses = false;
  state.value = { ...EMPTY, agents: new Map([["agt_1", agent("agt_1", { name: "shop" })], ["agt_2", agent("agt_2", { name: "pears", muted: true })], ["agt_3", agent("agt_3")]]) };
  request.mockReset().mockImplementation((method: string, path: string) => Promise.resolve(
    refuses && method !== "GET" ? { ok: false, refusal: { code: "not_allowed", text: "This device may not change that.", status: 403 } }
      : path.startsWith("/notifications/s") ? { ok: true, value: rules }
        : { ok: true, value: path === "/notifications" ? { notifications: [], before: null } : { subscriptions: [] } },
  ));
});
afterEach(() => act(() => { shown.value = null; render(null, document.body); }));

it("sets each kind for all devices, also for quiet hours", async () => {
  await show(<Notifications />);
  expect([select("A question").value, select("Finished work").value, select("Trouble").value]).toEqual(["on", "always", "off"]);
  await choose("A question", "always");
  expect(asked()).toEqual([["/notifications/settings", { question: "always" }]]);
});

it("holds everything for a time, says until when, and ends it", async () => {
  await show(<Notifications />);
  rules = { ...RULES, snoozes: [{ what: "", until_ms: NOW + 3_600_000 }] };
  await choose("Hold everything", "3600000");
  expect(select("Hold everything").selectedOptions[0]?.textContent).toMatch(/^Until /);
  await choose("Hold everything", "");
  expect(asked()).toEqual([["/notifications/snooze", { what: "", until_ms: NOW + 3_600_000 }], ["/notifications/snooze", { what: "", until_ms: 0 }]]);
});

it("lists the agents with rules of their own, and opens their sheet", async () => {
  rules = { ...RULES, agents: { agt_1: "blocking", agt_9: "off" }, snoozes: [{ what: "agt_1", until_ms: NOW + 60_000 }, { what: "agt_3", until_ms: NOW - 1 }] };
  await show(<Notifications />);
  const rows = [...document.querySelectorAll("li")].map((row) => row.textContent).filter((text) => text.includes("You are told"));
  expect(rows).toEqual([expect.stringMatching(/^shopYou are told only what blocks, held until /), expect.stringMatching(/^pearsYou are told nothing/)]);
  act(() => [...document.querySelectorAll("button")].find((one) => one.textContent === "Change shop")?.click());
  expect(shown.value).toBe("agt_1");
});

it("sets what is told of one agent, and holds it", async () => {
  await show(<AgentNotify agent={agent("agt_1")} />);
  rules = { ...RULES, agents: { agt_1: "blocking" } };
  await choose("You are told of", "blocking");
  expect(select("You are told of").value).toBe("blocking");
  await choose("Hold them", String(4 * 3_600_000));
  expect(asked()).toEqual([
    ["/notifications/settings", { agents: { agt_1: "blocking" } }], ["/notifications/snooze", { what: "agt_1", until_ms: NOW + 4 * 3_600_000 }],
  ]);
});

it("takes the mute of an agent away with any rule that tells of it", async () => {
  await show(<AgentNotify agent={agent("agt_2", { muted: true })} />);
  expect(select("You are told of").value).toBe("off");
  await choose("You are told of", "all");
  expect(asked()).toEqual([["/notifications/settings", { agents: { agt_2: "all" } }], ["/agents/agt_2", { muted: false }]]);
});

it("says what was refused, and shows what is so", async () => {
  await show(<AgentNotify agent={agent("agt_1")} />);
  refuses = true;
  await choose("You are told of", "off");
  expect(document.querySelector('[role="alert"]')?.textContent).toBe("This device may not change that.");
  expect(select("You are told of").value).toBe("all");
});
