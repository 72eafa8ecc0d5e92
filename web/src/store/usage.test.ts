import { describe, expect, it } from "vitest";

import type { Account, AccountWindow, PolicyAdvice, PolicyReport, Profile } from "../api/types";
import { account, accountWindow, agent, machine } from "./samples";
import {
  accountByAgent, advised, counts, countWords, FRESH_MS, inOrder, machinesOf, marks, minimaOf, paidWords, percent, signIn, USUAL_MINIMA, usersOf,
  windowView, type Times,
} from "./usage";

const MIN = 60_000;
const NOW = 1_000 * 24 * 60 * MIN;
const WEEK = 10_080;
const times: Times = { nowMs: NOW, span: (ms) => `${Math.round(ms / MIN)} min`, clock: (ms) => `+${Math.round((ms - NOW) / MIN)}` };
const seen = (minutes: number, used: number | null, change: Partial<AccountWindow> = {}): AccountWindow =>
  accountWindow(minutes, used, { taken_at_ms: NOW - 2 * MIN, resets_at_ms: NOW + 100 * MIN, ...change });
const view = (window: AccountWindow, change: Partial<Account> = {}) => windowView(account("acc_1", { windows: [window], ...change }), window, times);
const profile = (id: string, change: Partial<Profile> = {}): Profile => ({
  id, name: id, machine_id: "mac_1", kind: "claude", folder: `/home/kim/.claude-${id}`, account: "acc_1", login: "ok", ...change,
});
const advice = (agent_id: string, change: Partial<PolicyAdvice> = {}): PolicyAdvice => ({
  agent_id, what: "move", rule: "week_low", why: "Its week is low.", sentences: ["2 % is left."], ...change,
});
const policy = (...all: PolicyAdvice[]): PolicyReport => ({
  at_ms: NOW, rules: { week_min_pct: 3, five_hours_min_pct: 10, margin_pct: 5, cool_down_min: 30 }, advice: all,
});

describe("a window", () => {
  it.each<[string, AccountWindow, Partial<Account>, object]>([
    ["says what is used, when it resets and how old that is", seen(300, 64), {}, { name: "5 hours", text: "64 %", look: "plain", said: "64 % used", when: "resets in 100 min, at +100", read: "read 2 min ago, usage endpoint" }],
    ["further ahead is told by its day", seen(WEEK, 48, { resets_at_ms: NOW + 3_000 * MIN }), {}, { name: "Week", when: "resets +3000" }],
    ["has its reserve", seen(WEEK, 48), { reserve_pct: 20 }, { reservePct: 20, when: "resets in 100 min, at +100 · 20 % kept in reserve" }],
    ["of hours has none", seen(300, 48), { reserve_pct: 20 }, { reservePct: null }],
    ["of some models has none", seen(WEEK, 48, { scope: "Opus", name: "week, Opus" }), { reserve_pct: 20 }, { name: "Week, Opus", reservePct: null }],
    ["that was read long ago is at least so much", seen(300, 70, { taken_at_ms: NOW - 52 * MIN, state: "stale", source: "rollout" }), {}, { text: "≥ 70 %", look: "stale", said: "at least 70 % used", when: "resets in 100 min, at +100 · may be higher by now", read: "read 52 min ago, rollout file" }],
    ["grows old before the hub says so", seen(300, 70, { taken_at_ms: NOW - FRESH_MS - 1 }), {}, { text: "≥ 70 %", look: "stale" }],
    ["of an idle login says who reads it again", seen(300, 70, { state: "idle_login" }), { login: "idle" }, { when: expect.stringContaining("an agent that uses it reads it again") as string }],
    ["that is not known is not zero", seen(300, null, { state: "unknown", resets_at_ms: null }), {}, { usedPct: null, text: "?", look: "none", said: "not known", when: "its reading says no number" }],
    ["that is over is full again", seen(300, 90, { resets_at_ms: NOW }), {}, { usedPct: 0, text: "0 %", look: "plain", when: "no use is known in this window, so it counts as full" }],
    ["that was over for the hub is no lower bound of nothing", seen(300, 0, { resets_at_ms: null, state: "stale" }), {}, { text: "0 %", look: "plain", said: "0 % used" }],
    ["with nothing used yet is just that", seen(300, 0), {}, { text: "0 %", when: "resets in 100 min, at +100" }],
    ["whose reset nobody said", seen(300, 5, { resets_at_ms: null }), {}, { when: "its reset is not known" }],
    ["that is used up is red, old or not", seen(300, 100, { state: "stale" }), {}, { text: "100 %", look: "full", when: "resets in 100 min, at +100" }],
    ["from a source of a newer hub", seen(300, 5, { source: "stars" }), {}, { read: "read 2 min ago, from a source that this version does not know" }],
  ])("%s", (_, window, change, expected) => expect(view(window, change)).toMatchObject(expected));

  it.each([[0, "0 %"], [0.4, "< 1 %"], [12.6, "13 %"], [99.6, "> 99 %"], [100, "100 %"]])("%d is %s", (value, text) => expect(percent(value)).toBe(text));
});

describe("the marks of an account", () => {
  const of = (change: Partial<Account>, ...profiles: Profile[]) =>
    marks(account("acc_1", change), profiles, USUAL_MINIMA, (id) => id, times).map((mark) => `${mark.kind}: ${mark.text}`);

  it.each<[string, Partial<Account>, string[]]>([
    ["none when all is well", { windows: [seen(300, 40), seen(WEEK, 96.9)] }, []],
    ["nearly used up, by the week", { windows: [seen(WEEK, 97)] }, ["strong: Nearly used up"]],
    ["nearly used up, by the hours", { windows: [seen(300, 90)] }, ["strong: Nearly used up"]],
    ["not by a window of some models", { windows: [seen(WEEK, 99, { scope: "Opus" })] }, []],
    ["not by one that is over", { windows: [seen(300, 99, { resets_at_ms: NOW - 1 })] }, []],
    ["inside of its reserve", { windows: [seen(WEEK, 85)], reserve_pct: 20 }, ["strong: Inside its reserve"]],
    ["held, and then not nearly used up as well", { windows: [seen(300, 100)], hold: { until_ms: NOW + 5 * MIN, why: "" } }, ["fault: At its limit, held until +5"]],
    ["not held any more", { windows: [seen(300, 0)], hold: { until_ms: NOW, why: "" } }, []],
    ["idle, which is why it is old", { windows: [seen(300, 5, { state: "idle_login", taken_at_ms: NOW - 90 * MIN })], login: "idle" }, ["plain: Idle login"]],
    ["old", { windows: [seen(300, 5), seen(WEEK, 5, { taken_at_ms: NOW - 52 * MIN })] }, ["plain: Reading is 52 min old"]],
    ["not old for what is not known", { windows: [seen(300, null, { state: "unknown" })] }, []],
    ["never read", {}, ["plain: No reading yet"]],
    ["signed out", { login: "out", windows: [seen(300, 5)] }, ["fault: Signed out"]],
    ["about to end", { login: "ends_soon", login_ends_ms: NOW + 60 * MIN, windows: [seen(300, 5)] }, ["strong: Login ends in 60 min"]],
    ["paid", { paid: { is_in_use: true }, windows: [seen(300, 5)] }, ["strong: Paid extra usage runs"]],
  ])("%s", (_, change, expected) => expect(of(change)).toEqual(expected));

  it("name the machine where it is signed out, and a login that ends though another one goes on", () => {
    expect(of({ windows: [seen(300, 5)] }, profile("a"), profile("b", { login: "out", machine_id: "attic" }), profile("c", { login: "out", account: "acc_2" })))
      .toEqual(["fault: Signed out on attic"]);
    expect(of({ windows: [seen(300, 5)], login_ends_ms: NOW + MIN }, profile("a"), profile("b", { login: "ends_soon", login_ends_ms: NOW + MIN })))
      .toEqual(["strong: Login ends in 1 min"]);
  });

  it("follow the minima that the hub uses", () => {
    const report = policy();
    expect(minimaOf({ ...report, rules: { ...report.rules, week_min_pct: 50 } }).weekPct).toBe(50);
    expect(minimaOf(null)).toBe(USUAL_MINIMA);
  });
});

describe("all accounts", () => {
  it("are counted once each", () => {
    const found = counts([
      account("acc_1", { windows: [seen(300, 100)], hold: { until_ms: NOW + MIN, why: "" } }), account("acc_2", { windows: [seen(WEEK, 98)] }),
      account("acc_3", { login: "out" }), account("acc_4", { windows: [seen(300, null, { state: "unknown" })] }),
    ], USUAL_MINIMA, NOW);
    expect(found).toEqual({ all: 4, held: 1, low: 1, unread: 2, out: 1 });
    expect(countWords(found)).toEqual({ head: "4 accounts", held: "1 held", rest: ["1 nearly used up", "1 signed out", "2 without a fresh reading"] });
    expect(countWords({ all: 1, held: 0, low: 0, unread: 0, out: 0 })).toEqual({ head: "1 account", held: "", rest: [] });
  });

  it("stand by kind and name, whatever changes", () => {
    const all = [account("acc_b"), account("acc_a", { kind: "codex" }), account("acc_a")];
    expect(inOrder(all).map(({ kind, name }) => `${kind} ${name}`)).toEqual(["claude a", "claude b", "codex a"]);
  });

  it.each<[Account["paid"], string]>([
    [null, ""], [{ is_enabled: false }, ""], [{ is_enabled: true }, "Goes on with paid extra usage when it is spent"],
    [{ is_enabled: true, is_in_use: true, used_cents: 120, limit_cents: 5000 }, "Paid extra usage: 1.20 of 50.00 spent on it"],
    [{ is_in_use: true }, ""],
  ])("%j of paid usage", (paid, words) => expect(paidWords(account("acc_1", { paid: paid ?? null }))).toBe(words));
});

describe("who uses what", () => {
  const agents = [
    agent("b", { profile: "/w" }), agent("a", { profile: "/w" }), agent("link", { profile: "/real" }), agent("key", { profile: "/key" }),
    agent("gone", { profile: "/w", activity: "gone" }), agent("other", { profile: "/w", machine_id: "mac_2" }), agent("codex", { profile: "/w", kind: "codex" }),
  ];
  const profiles = [profile("w", { folder: "/w" }), profile("key", { folder: "/key", account: null })];

  it("is told by the folder, else by the policy; who is left is named", () => {
    const by = accountByAgent(agents, profiles, policy(advice("link", { account: "acc_1" }), advice("other", { account: "acc_9" }), advice("key", { account: "acc_1" })));
    const users = usersOf(agents, new Set(["acc_1"]), by);
    expect(users.byAccount.get("acc_1")?.map((one) => one.id)).toEqual(["a", "b", "link"]);
    expect(users.others.map((one) => one.id)).toEqual(["codex", "key", "other"]);
  });

  it("an account stands on the machines of its profiles", () => {
    const machines = new Map([machine("mac_1"), machine("mac_2"), machine("mac_3")].map((one) => [one.id, one]));
    const own = [profile("x", { machine_id: "mac_2" }), profile("y"), profile("z"), profile("o", { account: "acc_2", machine_id: "mac_3" })];
    expect(machinesOf(account("acc_1"), own, machines)).toEqual(["mac_1", "mac_2"]);
  });

  it.each<[Partial<Profile>, string | null]>([
    [{ folder: "/home/kim/.claude" }, "claude /login"],
    [{ folder: "/home/kim/.claude-work" }, "CLAUDE_CONFIG_DIR=/home/kim/.claude-work claude /login"],
    [{ folder: "/srv/it's $mine", kind: "codex" }, "CODEX_HOME='/srv/it'\\''s $mine' codex login"],
    [{ folder: "/home/kim/.codex/", kind: "codex" }, "codex login"],
    [{ kind: "hermes" }, null],
  ])("signs in: %j", (change, command) => expect(signIn(profile("p", change))).toBe(command));
});

it("what the policy says of several agents is said once", () => {
  const agents = new Map(["a", "b", "c"].map((id) => [id, agent(id)]));
  const found = advised(policy(advice("a"), advice("b", { what: "stay" }), advice("c"), advice("gone"), advice("b", { sentences: ["Other."] })), agents);
  expect(found.map((same) => same.agents.map((one) => one.id))).toEqual([["a", "c"], ["b"]]);
});
