import { describe, expect, it } from "vitest";

import { age, clock, isSameDay, span } from "./time";

const MIN = 60_000;
const H = 60 * MIN;
const at = (text: string) => Date.parse(text);

describe("times in words", () => {
  it.each([
    [0, "0 s"], [-5 * H, "0 s"], [Number.NaN, "0 s"], [999, "0 s"], [20_500, "20 s"], [59_999, "59 s"],
    [MIN, "1 min"], [47 * MIN, "47 min"], [H, "1 h"], [72 * MIN, "1 h 12 min"], [H - 1, "59 min"],
    [10 * H + 30 * MIN, "10 h"], [24 * H, "1 d"], [3 * 24 * H + H, "3 d"],
  ])("%i ms is %s", (ms, words) => expect(span(ms)).toBe(words));

  it("tells an age with the clock it is given", () => expect(age(1_000, 1_000 + 26 * MIN)).toBe("26 min"));

  it.each([
    ["the same day", "2026-03-12T14:09:31Z", "2026-03-12T23:00:00Z", "14:09"],
    ["a day of this week", "2026-03-10T14:09:00Z", "2026-03-12T01:00:00Z", "Tue 14:09"],
    ["tomorrow", "2026-03-13T00:00:00Z", "2026-03-12T23:59:00Z", "Fri 00:00"],
    ["longer ago", "2026-03-02T06:05:00Z", "2026-03-12T01:00:00Z", "2 Mar 06:05"],
    ["another year", "2025-12-24T18:00:00Z", "2026-03-12T01:00:00Z", "24 Dec 2025 18:00"],
  ])("tells %s", (_what, ms, now, words) => expect(clock(at(ms), at(now), "UTC")).toBe(words));

  it("counts days by the device's calendar, also when the clocks change", () => {
    const zone = "Europe/Berlin"; // summer time began on 29 March 2026
    expect(clock(at("2026-03-28T23:30:00Z"), at("2026-03-29T21:00:00Z"), zone)).toBe("00:30");
    expect(isSameDay(at("2026-03-29T21:59:00Z"), at("2026-03-29T22:01:00Z"), zone)).toBe(false);
  });

  it("does not break on a time that cannot be", () => expect(clock(Infinity, 0, "UTC")).toBe("00:00"));
});
