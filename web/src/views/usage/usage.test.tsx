import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Account, PolicyReport, Profile, UsageReport } from "../../api/types";
import { RoomContext, type Room } from "../../live/room";
import { account, accountWindow, agent, machine, operation } from "../../store/samples";
import { apply, EMPTY, type State, type StoreEvent } from "../../store/state";

const wide = vi.hoisted(() => ({ isWide: { value: true } }));
vi.mock("../../kit/media", () => wide);
const { showToast } = vi.hoisted(() => ({ showToast: vi.fn() }));
vi.mock("../../parts/toast", async (original) => ({ ...await original<object>(), showToast }));
const { Usage } = await import(".");
const { wish } = await import("../operations/wish");

const NOW = 1_700_000_000_000;
const MIN = 60_000;
const state = signal<State>(EMPTY);
const link = signal<{ kind: string; sinceMs?: number }>({ kind: "live" });
const isOld = signal(false);
let answers: Record<string, unknown>;
const request = vi.fn((_: string, path: string, options?: { query?: { by?: string } }): Promise<object> => {
  const value = answers[path === "/usage" ? `/usage ${options?.query?.by}` : path];
  return Promise.resolve(value === undefined ? { ok: false, refusal: { code: "internal", text: "The database rests.", status: 500 } } : { ok: true, value });
});
const room = {
  state, link, isOld, now: signal(NOW), nowMs: () => NOW, http: { request }, tell: (event: StoreEvent) => { state.value = apply(state.value, event); },
} as unknown as Room;

const seen = (minutes: number, used: number | null) => accountWindow(minutes, used, { taken_at_ms: NOW - 2 * MIN, resets_at_ms: NOW + 90 * MIN });
const one: Account = account("acc_1", { name: "work@example.com", windows: [seen(300, 64), seen(10_080, null)], profiles: ["prf_1"] });
const profile: Profile = { id: "prf_1", name: "work", machine_id: "mac_1", kind: "claude", folder: "/w", account: "acc_1", login: "ok" };
const POLICY: PolicyReport = { at_ms: NOW, rules: { week_min_pct: 3, five_hours_min_pct: 10, margin_pct: 5, cool_down_min: 30 }, advice: [] };
const sums = (key: string, change: Partial<UsageReport> = {}): UsageReport => ({
  rows: [{ key, input_tokens: 1, cache_read_tokens: 2, cache_write_tokens: 3, output_tokens: 12_345, answers: 5, cost_usd: null }], unpriced: ["llama"], ...change,
});

const settle = () => act(async () => { for (let turn = 0; turn < 12; turn++) await Promise.resolve(); });
const text = () => document.body.textContent ?? "";
const pressed = (name: string) => act(() => [...document.querySelectorAll("button")].find((button) => button.textContent === name)?.click());

async function show(): Promise<void> {
  await act(() => render(<RoomContext.Provider value={room}><Usage /></RoomContext.Provider>, document.body));
  await settle();
}

beforeEach(() => {
  vi.useFakeTimers();
  wide.isWide.value = true;
  link.value = { kind: "live" };
  isOld.value = false;
  const agents = [agent("agt_1", { name: "orchard", profile: "/w" }), agent("agt_2", { name: "keyed", profile: "/k" })];
  state.value = { ...EMPTY, seq: 1, epoch: 1, machines: new Map([["mac_1", machine("mac_1", { name: "studio" })]]), agents: new Map(agents.map((each) => [each.id, each])) };
  answers = { "/accounts": [one], "/profiles": [profile], "/policy": POLICY, "/usage agent": sums("agt_1"), "/usage model": sums("llama") };
});
afterEach(() => {
  act(() => render(null, document.body));
  vi.useRealTimers();
  request.mockClear();
});

describe("usage", () => {
  it("shows each window with its age, who uses the account, and whose account is not known", async () => {
    await show();
    expect(document.querySelector(".head-sum")?.textContent).toBe("1 account. 1 without a fresh reading");
    const card = document.querySelector(".acct");
    expect(card?.querySelector(".acct-head")?.textContent).toBe("work@example.comClaude, studio");
    const meter = card?.querySelector('[role="meter"]');
    expect([meter?.getAttribute("aria-valuenow"), meter?.getAttribute("aria-valuetext")]).toEqual(["64", "64 % used"]);
    expect(card?.querySelector('[role="img"]')?.getAttribute("aria-label")).toBe("work@example.com, Week: not known");
    expect(card?.textContent).toContain("All read 2 min ago, usage endpoint");
    expect([...(card?.querySelectorAll(".usage-agents a") ?? [])].map((link) => link.textContent)).toEqual(["orchard"]);
    expect(document.querySelector('[aria-labelledby="usage-loose"]')?.textContent).toContain("keyed");
  });

  it("follows events, and asks again what they may have made old", async () => {
    await show();
    const asked = request.mock.calls.filter(([, path]) => path === "/profiles").length;
    answers["/profiles"] = [{ ...profile, problem: "The service wants to be asked less often." }];
    answers["/accounts"] = [{ ...one, windows: [seen(300, 71)] }];
    act(() => { state.value = apply(state.value, { type: "event", seq: 2, atMs: NOW, name: "account.changed", data: { ...one, windows: [seen(300, 70)] } }); });
    expect(document.querySelector(".pct")?.textContent).toBe("70 %");
    await settle();
    expect(request.mock.calls.filter(([, path]) => path === "/profiles").length).toBe(asked + 1);
    expect(document.querySelector(".pct")?.textContent).toBe("71 %");
    expect(text()).toContain("work on studio: The service wants to be asked less often.");
  });

  it("takes no answer that an event overtook", async () => {
    answers["/accounts"] = [];
    request.mockImplementationOnce((_, path) => {
      state.value = apply(state.value, { type: "event", seq: 2, atMs: NOW, name: "account.changed", data: one });
      const old = answers[path];
      answers["/accounts"] = [one];
      return Promise.resolve({ ok: true, value: old });
    });
    await show();
    expect(document.querySelectorAll(".acct")).toHaveLength(1);
  });

  it("shows what agents used by what is chosen, and what has no price", async () => {
    await show();
    const row = () => [...document.querySelectorAll(".usage-table tbody tr")].map((line) => [...line.children].map((cell) => cell.textContent));
    expect(row()).toEqual([["orchard", "5", "1", "2", "3", "12.3k", "no price"]]);
    expect(text()).toContain("No price is known for llama");
    pressed("Model");
    await settle();
    expect(row()).toEqual([["llama", "5", "1", "2", "3", "12.3k", "no price"]]);
    pressed("Day");
    await settle();
    expect(text()).toContain("The sums could not be read: The database rests.");
    expect(row()).toEqual([]);
  });

  it("says that sums are not whole, and looks again soon", async () => {
    answers["/usage agent"] = sums("agt_1", { reading: { done: 1, total: 4 } });
    await show();
    expect(text()).toContain("Files are still being read (25 %)");
    answers["/usage agent"] = sums("agt_1");
    await act(async () => { await vi.advanceTimersByTimeAsync(5_000); });
    await settle();
    expect(text()).not.toContain("still being read");
  });

  it("on a phone has the tokens below the name", async () => {
    wide.isWide.value = false;
    await show();
    expect(document.querySelector(".usage-table th small")?.textContent).toBe("5 answers: 1 input, 2 cache read, 3 cache written, 12.3k output");
  });

  const move: PolicyReport["advice"][number] = { agent_id: "agt_1", what: "move", rule: "week_low", why: "Its week is low.", sentences: ["2 % is left."], account: "acc_1", to_profile: "prf_2", when: "idle" };
  const spare: Profile = { ...profile, id: "prf_2", name: "spare", folder: "/s" };

  it("suggests a move that the policy may not do by itself; not now puts it off", async () => {
    answers["/policy"] = { ...POLICY, advice: [move] };
    answers["/profiles"] = [profile, spare];
    await show();
    const card = document.querySelector('[aria-labelledby="usage-suggested"] .card');
    expect(card?.querySelector("h3")?.textContent).toBe("Move orchard from work@example.com to spare?");
    expect(card?.textContent).toContain("Its week is low. It would wait for the end of the turn.");
    expect(text()).toContain("nothing is moved by them");
    await act(() => card?.querySelector<HTMLElement>(".btn-primary")?.click());
    expect(wish.value).toEqual({ kind: "move", agentId: "agt_1", why: "Its week is low.", profileId: "prf_2" });
    act(() => { state.value = { ...state.value, operations: new Map([["op_1", operation("op_1", { kind: "move" })]]) }; });
    expect(document.querySelector('[aria-labelledby="usage-suggested"]')).toBeNull();
    act(() => { state.value = { ...state.value, operations: new Map() }; });
    await pressed("Not now");
    expect(document.querySelector('[aria-labelledby="usage-suggested"]')).toBeNull();
  });

  it("says what the policy does by itself where it may, and suggests nothing there", async () => {
    answers["/policy"] = { ...POLICY, advice: [move], machines: [{ id: "mac_1", name: "studio", automatic: true }] };
    answers["/profiles"] = [profile, spare];
    await show();
    expect(document.querySelector('[aria-labelledby="usage-suggested"]')).toBeNull();
    const part = document.querySelector('[aria-labelledby="usage-rules"]');
    expect(part?.querySelector("li")?.textContent).toBe("Moves to spare when its turn ends: orchardIts week is low.Why, orchard2 % is left.");
    expect(part?.textContent).toContain("On studio the usage rules move agents by themselves");
  });

  it("has all machines read again, and names those that are away", async () => {
    answers["/accounts/read"] = { missing: ["mac_1"] };
    await show();
    await act(() => document.querySelector<HTMLElement>('[aria-label="Read again"]')?.click());
    await settle();
    expect(request.mock.calls.filter(([method, path]) => method === "POST" && path === "/accounts/read")).toHaveLength(1);
    expect(showToast).toHaveBeenCalledWith({ text: "Read again, but not on studio: away." });
  });

  it("moves any agent by hand, and shows the rules that count", async () => {
    await show();
    await act(() => document.querySelector<HTMLElement>('[aria-label="Move an agent from work@example.com"]')?.click());
    await act(() => document.querySelector<HTMLElement>('[role="menuitem"]')?.click());
    expect(wish.value).toEqual({ kind: "move", agentId: "agt_1" });
    await act(() => document.querySelector<HTMLElement>('[aria-label="Rules and reserves"]')?.click());
    expect(document.querySelector("dialog")?.textContent).toContain("less than 3 % is left");
  });

  it.each<[string, Profile[], string]>([
    ["no folder", [], "No config folder of an agent was found"],
    ["no login", [{ ...profile, account: null, login: "out" }], "No account is known"],
  ])("with %s says what to do", async (_, profiles, title) => {
    answers["/accounts"] = [];
    answers["/profiles"] = profiles;
    await show();
    expect(document.querySelector(".empty h2")?.textContent).toBe(title);
    expect(document.querySelector(".empty code")?.textContent).toBe("controlroom profiles");
    expect([...document.querySelectorAll('[aria-labelledby="usage-folders"] code')].map((code) => code.textContent)).toEqual(profiles.map(() => "CLAUDE_CONFIG_DIR=/w claude /login"));
  });

  it("offers no command in which something cannot be seen", async () => {
    answers["/profiles"] = [{ ...profile, login: "out", folder: "/w\u202e" }, { ...profile, id: "prf_2", login: "out", folder: "/v" }];
    await show();
    expect([...document.querySelectorAll(".acct code")].map((code) => code.textContent)).toEqual(["CLAUDE_CONFIG_DIR=/v claude /login"]);
  });

  it("says when accounts cannot be read, and reads them when they can", async () => {
    const { "/accounts": accounts, ...rest } = answers;
    answers = rest;
    await show();
    expect(document.querySelector('[role="alert"]')?.textContent).toContain("The accounts could not be read: The database rests.");
    expect(document.querySelector(".empty")).toBeNull();
    answers = { ...rest, "/accounts": accounts };
    await act(async () => { await vi.advanceTimersByTimeAsync(5_000); });
    await settle();
    expect(document.querySelector('[role="alert"]')).toBeNull();
    expect(document.querySelectorAll(".acct")).toHaveLength(1);
  });

  it("tells in the past tense while nothing is proven", async () => {
    await show();
    act(() => {
      isOld.value = true;
      link.value = { kind: "lost", sinceMs: NOW - 5 * MIN };
    });
    expect(document.querySelector(".head-sum")?.textContent).toMatch(/^At \d\d:\d\d: 1 account/);
  });
});
