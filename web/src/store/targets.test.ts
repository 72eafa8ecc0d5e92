import { expect, it } from "vitest";

import type { PolicyAdvice, Profile } from "../api/types";
import { account, accountWindow, agent } from "./samples";
import { leftWords, targetsOf } from "./targets";

const times = { nowMs: 10_000, span: (ms: number) => `${ms} ms`, clock: (ms: number) => `at ${ms}` };
const profile = (name: string, change: Partial<Profile> = {}): Profile =>
  ({ id: `prf_${name}`, name, machine_id: "mac_1", kind: "claude", folder: `/p/${name}`, login: "ok", ...change });
const advice = { agent_id: "agt_1", what: "move", to_profile: "prf_two", why: "", sentences: [], rule: "minimum" } as unknown as PolicyAdvice;

it("lists the other profiles of its kind and machine: the suggested one first, those signed out last", () => {
  const accounts = new Map([["acc_1", account("acc_1", { name: "one" })], ["acc_2", account("acc_2", { name: "two", windows: [accountWindow(300, 31), accountWindow(10_080, 48)] })]]);
  const profiles = [
    profile("gone", { login: "out", account: "acc_2" }), profile("here", { account: "acc_1" }), profile("link", { account: "acc_1" }), profile("two", { account: "acc_2" }),
    profile("far", { machine_id: "mac_2" }), profile("codex", { kind: "codex" }), profile("idle", { login: "idle" }),
  ];
  const found = targetsOf(agent("agt_1", { profile: "/p/here" }), profiles, accounts, advice, "studio", times);
  expect(found.map((target) => [target.profile.name, target.isSuggested, target.isPossible, target.words])).toEqual([
    ["two", true, true, "two. 69 % of 5 hours and 52 % of the week left"],
    ["idle", false, true, "Its account is not known. Idle login, may ask for sign-in"],
    ["link", false, true, "The account that it has now"],
    ["gone", false, false, "Signed out on studio. Sign in first"],
  ]);
});

it("says what is left, the hold and the reserve; unknown is not zero", () => {
  expect(leftWords(account("acc_1"), times)).toEqual(["What it has left is not known"]);
  const held = account("acc_1", {
    windows: [accountWindow(300, null), accountWindow(10_080, 100)], reserve_pct: 20, hold: { until_ms: 20_000, why: "limit" } as never,
  });
  expect(leftWords(held, times)).toEqual(["an unknown part of 5 hours and 0 % of the week left", "At its limit, held until at 20000", "20 % of its week is kept in reserve"]);
});
