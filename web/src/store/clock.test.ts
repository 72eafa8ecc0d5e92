import { describe, expect, it } from "vitest";

import { heard, hubTime, UNKNOWN } from "./clock";

describe("the hub's clock", () => {
  it("is this device's own until it was heard", () => expect(hubTime(UNKNOWN, 5_000)).toBe(5_000));

  it("is told right on a device whose clock is wrong", () => {
    const clock = heard(UNKNOWN, 360_000, 360_200, 100);
    expect(clock.aheadMs).toBe(360_000);
    expect(hubTime(clock, 365_000)).toBe(5_000);
  });

  it.each([
    ["a vaguer answer that agrees", 10_000, 14_000, 2_500, 10_000 - 50],
    ["a vaguer answer that contradicts", 510_000, 514_000, 2_000, 510_000],
    ["a better answer", 20_000, 20_010, 10_000, 10_005],
    ["an answer to a question of the future", 20_000, 19_000, 1, 10_000 - 50],
    ["nonsense", 20_000, 20_001, Number.NaN, 10_000 - 50],
    ["a vaguer answer after a long time", 1_010_000, 1_014_000, 1_002_100, 9_900],
  ])("weighs %s", (_what, sent, received, server, aheadMs) => {
    const clock = heard(UNKNOWN, 10_000, 10_100, 100); // 9,950 ahead
    expect(heard(clock, sent, received, server).aheadMs).toBe(aheadMs);
  });
});
