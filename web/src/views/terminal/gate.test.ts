import { describe, expect, it } from "vitest";

import { passage, refusedWords, SETTLE_MS, type Sight } from "./gate";

const quiet: Sight = { revision: "r1", dialog: null, dialogShownMs: 0 };
const asking: Sight = { revision: "r2", dialog: "d1", dialogShownMs: 1000 };

describe("where keys may go", () => {
  it("types ahead of its own echo while nothing is asked", () => expect(passage(quiet, 5000)).toEqual({ may: true }));
  it("names the screen that was seen while something is asked", () =>
    expect(passage(asking, 1000 + SETTLE_MS)).toEqual({ may: true, seen: "r2" }));
  it("presses nothing on a dialog that just appeared", () => expect(passage(asking, 1000 + SETTLE_MS - 1).may).toBe(false));
  it("presses nothing on a screen that is not live", () => {
    expect(passage({ ...quiet, revision: null }, 5000).may).toBe(false);
    expect(passage({ ...asking, revision: null }, 9000).may).toBe(false);
  });
});

describe("a refusal is said", () => {
  it.each(["changed", "locked", "not_allowed", "offline", "busy", "failed", "too_many"])("%s", (code) =>
    expect(refusedWords(code, null)).toMatch(/\.$/));
  it("never claims that nothing arrived when that is not known", () => expect(refusedWords("offline", null)).toContain("not known"));
});
