import { describe, expect, it } from "vitest";

import { agent, machine } from "../store/samples";
import { LONG_MS, stripOf, type Situation } from "./strip-text";

const NOW = Date.UTC(2026, 2, 12, 14, 10);
const FROM = NOW - 10_000;

const CALM: Situation = {
  link: { kind: "live" }, isOld: false, isBack: false, nowMs: NOW, clockOffMs: 0, update: "none", appVersion: "1.0.0", device: null, isPlain: false, trouble: null,
  state: { seq: 1, machines: new Map([["mac_1", machine("mac_1", { name: "studio", capabilities: [] })]]), agents: new Map(), serverVersion: "1.0.0" },
};
const broken = { isOld: true, link: { kind: "connecting", sinceMs: FROM } } satisfies Partial<Situation>;
const away = (...names: string[]) => new Map([
  ["mac_1", machine("mac_1", { name: "studio" })],
  ...names.map((name) => [name, machine(name, { name, primary: false, online: false, last_seen_ms: NOW - 60_000 })] as const),
]);

describe("the strip", () => {
  it("is none when all is well, and none for 3 s when it is not", () => {
    expect(stripOf(CALM)).toBeNull();
    expect(stripOf({ ...CALM, ...broken, isOld: false })).toBeNull();
    expect(stripOf({ ...CALM, link: { kind: "offline", sinceMs: FROM } })).toBeNull();
  });

  it.each<[Partial<Situation>, RegExp, string?]>([
    [broken, /^Reconnecting\. What you see is from \d\d:\d\d\.$/, "prove"],
    [{ ...broken, link: { kind: "proving", sinceMs: FROM } }, /^Reconnecting/, "prove"],
    [{ ...broken, state: { ...CALM.state, seq: null } }, /^Connecting to the control room\.$/, "prove"],
    [{ ...broken, link: { kind: "offline", sinceMs: FROM } }, /^No network on this device\. What you write is kept.*from \d\d:\d\d\.$/],
    [{ ...broken, link: { kind: "connecting", sinceMs: NOW - LONG_MS } }, /^The hub on studio does not answer since \d\d:\d\d\. Are you/, "prove"],
    [{ ...broken, link: { kind: "waiting", sinceMs: FROM, untilMs: NOW, why: "stopped", text: "" } }, /^The hub stops or starts anew/, "prove"],
    [{ ...broken, link: { kind: "waiting", sinceMs: FROM, untilMs: NOW + 90_000, why: "refused", text: "Too many tries." } }, /^Too many tries\. Again in 1 min\. What/, "prove"],
    [{ ...broken, link: { kind: "waiting", sinceMs: FROM, untilMs: NOW, why: "garbage", text: "This is a login page." } }, /^This is a login page\. What/, "prove"],
    [{ ...broken, link: { kind: "catching", sinceMs: FROM, left: 37 } }, /^Catching up: 37 changes since \d\d:\d\d$/],
    [{ ...broken, link: { kind: "catching", sinceMs: FROM, left: 0 } }, /^Catching up$/],
    [{ isBack: true }, /^Up to date$/],
    [{ link: { kind: "not_paired", sinceMs: FROM, text: "This device was revoked." } }, /^This device was revoked\. Pair it again to go on\.$/],
    [{ link: { kind: "not_allowed", sinceMs: FROM, text: "" } }, /^The right of this device to read has ended\. Renew it on studio\./, "this_device"],
    [{ link: { kind: "locked", sinceMs: FROM } }, /^Locked\./],
    [{ link: { kind: "outdated", sinceMs: FROM } }, /older than the control room/, "load"],
    [{ update: "ready" }, /^A new version is ready\. Your drafts are kept\.$/, "load"],
    [{ update: "running" }, /newer version/, "load"],
    [{ update: "unkept" }, /cannot keep your drafts/, "load_anyway"],
    [{ appVersion: "0.9.0" }, /^This page is version 0\.9\.0, the control room 1\.0\.0\./, "load"],
    [{ device: { grants: { terminal: NOW - 60_000 } } }, /^The terminal right of this device ended at \d\d:\d\d\. Renew it on studio\.$/, "this_device"],
    [{ state: { ...CALM.state, machines: away("attic-mini") } }, /^attic-mini is not reachable since \d\d:\d\d\.$/, "machines"],
    [{ state: { ...CALM.state, machines: away("a", "b", "c") } }, /^a, b and 1 more machines are not reachable\.$/, "machines"],
    [{ trouble: { text: "Memory is nearly full: 0.9 GB of 32.0 GB left. End something.", sinceMs: FROM, isGrave: true } }, /^Memory is nearly full: 0\.9 GB of 32\.0 GB left\. End something\. Since \d\d:\d\d\.$/, "machines"],
    [{ clockOffMs: 359_940 }, /^This device’s clock is 6 min ahead\./],
    [{ clockOffMs: -7_200_000 }, /^This device’s clock is 2 h behind\./],
    [{ isPlain: true, device: { grants: {} } }, /^Plain HTTP/, "this_device"],
  ])("%j", (change, text, act) => {
    const strip = stripOf({ ...CALM, ...change });
    expect(strip?.text).toMatch(text);
    expect(strip?.act?.does).toBe(act);
  });

  it.each<[string, Partial<Situation>]>([
    ["a plain route that was accepted", { isPlain: true, device: { grants: {}, plain_reason: "home" } }],
    ["a right that has no end", { device: { grants: { terminal: null } } }],
    ["a right that ended long ago", { device: { grants: { terminal: NOW - 30 * 24 * 3_600_000 } } }],
    ["a clock that is right enough", { clockOffMs: 60_000 }],
    ["a hub that was not heard yet", { state: { ...CALM.state, serverVersion: null }, clockOffMs: null }],
  ])("says nothing of %s", (_what, change) => expect(stripOf({ ...CALM, ...change })).toBeNull());

  it("tells the topmost that is true", () => {
    const all: Partial<Situation> = { ...broken, update: "ready", clockOffMs: 1e6, isPlain: true, state: { ...CALM.state, machines: away("a") } };
    expect(stripOf({ ...CALM, ...all })?.text).toMatch(/^Reconnecting/);
    expect(stripOf({ ...CALM, ...all, link: { kind: "live" } })?.text).toMatch(/^A new version/);
    expect(stripOf({ ...CALM, ...all, link: { kind: "live" }, update: "none" })?.text).toMatch(/^a is not/);
  });

  it("tells what is grave before a wrong clock, and what is only good to know behind it", () => {
    const trouble = { text: "The usage of one account cannot be read.", sinceMs: FROM, isGrave: false };
    const wrong: Situation = { ...CALM, clockOffMs: 1e6, trouble };
    expect(stripOf(wrong)?.text).toMatch(/clock is/);
    expect(stripOf({ ...wrong, trouble: { ...trouble, isGrave: true } })?.kind).toBe("fault");
    expect(stripOf({ ...wrong, clockOffMs: 0 })).toMatchObject({ text: expect.stringMatching(/^The usage of/) as string, act: { does: "machines" } });
    expect(stripOf({ ...wrong, clockOffMs: 0 })?.kind).toBeUndefined();
  });

  it("counts the agents of what is away", () => {
    const agents = new Map(["agt_1", "agt_2"].map((id) => [id, agent(id, { machine_id: "attic-mini" })]));
    expect(stripOf({ ...CALM, state: { ...CALM.state, machines: away("attic-mini"), agents } })?.text).toMatch(/ Its 2 agents show their last state\.$/);
  });

  it("shows names from outside as one harmless line", () => {
    const machines = new Map([["m", machine("m", { name: `a\u202E\n${"b".repeat(500)}`, online: false })]]);
    const text = stripOf({ ...CALM, state: { ...CALM.state, machines } })?.text ?? "";
    expect(text).not.toMatch(/[\n\u202e]/);
    expect(text.length).toBeLessThan(150);
  });
});
