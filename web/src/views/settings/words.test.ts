import { describe, expect, it } from "vitest";
import { day, deviceIcon, grantsOf, idleTimes, lockWords, seenWords, until } from "./words";

const NOW = Date.UTC(2026, 6, 16, 12);
const H = 3_600_000;
const D = 24 * H;

describe("words about devices", () => {
  it.each([
    [NOW - 1, "ended"],
    [NOW + 3 * H, "ends in 3 h"],
    [NOW + D + H, "ends tomorrow"],
    [Date.UTC(2026, 7, 1, 12), "until 1 Aug"],
    [Date.UTC(2027, 0, 3, 12), "until 3 Jan 2027"],
  ])("%i is %s", (ms, words) => expect(until(ms, NOW, "UTC")).toBe(words));

  it("names the day", () => expect(day(Date.UTC(2026, 6, 2), NOW, "UTC")).toBe("2 Jul"));

  it("lists rights in the order in which they matter, and what it does not know last", () => {
    const grants = grantsOf({ grants: { terminal: NOW + 3 * H, "zz:new": null, chat: null, answers: NOW - 1 } }, NOW);
    expect(grants.map(({ text }) => text)).toEqual(["Chat", "Answers ended", "Terminal ends in 3 h", "zz:new"]);
    expect(grants.map(({ isOver }) => isOver)).toEqual([false, true, false, false]);
  });

  it.each([
    [0, "Active now"],
    [-5_000, "Active now"],
    [2 * H, "Active 2 h ago"],
    [19 * D, "Last seen 19 d ago"],
  ])("seen %i ms ago", (ms, words) => expect(seenWords(NOW - ms, NOW)).toBe(words));

  it.each([
    [{ passkeys: 1, lock: { app: true, idle_s: 300 } }, "Passkey after 5 min"],
    [{ passkeys: 1, lock: { app: true } }, "Passkey after 5 min"],
    [{ passkeys: 1, lock: { terminal: true } }, "Passkey for the terminal"],
    [{ passkeys: 1 }, "Off"],
    [{}, "Off"],
    [null, ""],
  ])("lock of %j is %s", (device, words) => expect(lockWords(device)).toBe(words));

  it("offers the present idle time too", () => {
    expect(idleTimes(300)).toHaveLength(4);
    expect(idleTimes(120).map(({ seconds }) => seconds)).toEqual([60, 120, 300, 900, 3600]);
  });

  it.each([
    [{ kind: "cli", name: "laptop" }, "term"],
    [{ kind: "relay", name: "x" }, "phone"],
    [{ kind: "web", name: "Pixel 8" }, "phone"],
    [{ kind: "web", name: "Edge on Windows" }, "laptop"],
  ] as const)("draws %j", (device, icon) => expect(deviceIcon(device)).toBe(icon));
});
