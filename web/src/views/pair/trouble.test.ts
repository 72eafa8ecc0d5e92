import { describe, expect, it } from "vitest";
import type { Refusal } from "../../api/http";
import { againIn, pairTrouble } from "./trouble";

const NOW = 1_796_000_000_000;
const refusal = (code: Refusal["code"], more: Partial<Refusal> = {}): Refusal => ({ code, text: "Words.", status: 400, ...more });

describe("a pairing that failed", () => {
  it("blames the code only when it was the code", () => {
    expect(pairTrouble(refusal("not_paired"), NOW).isCode).toBe(true);
    for (const code of ["too_many", "unreachable", "garbage", "failed", "not_allowed", "bad_request"] as const) {
      expect(pairTrouble(refusal(code), NOW).isCode).toBe(false);
    }
  });

  it("says when it may be tried again", () => {
    const trouble = pairTrouble(refusal("too_many", { retryAfterMs: 61_000 }), NOW);
    expect(againIn(trouble, NOW)).toBe("Again in 1 min.");
    expect(againIn(trouble, NOW + 50_000)).toBe("Again in 11 s.");
    expect(againIn(trouble, NOW + 61_000)).toBe("");
    expect(againIn(null, NOW)).toBe("");
  });

  it("says that a code is not used up when nobody answered", () => {
    expect(pairTrouble(refusal("unreachable"), NOW).text).toContain("not used up");
  });

  it("passes on what it does not know", () => {
    expect(pairTrouble(refusal("bad_request"), NOW).text).toBe("Words.");
  });
});
