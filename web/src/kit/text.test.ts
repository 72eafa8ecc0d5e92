import { describe, expect, it } from "vitest";

import { block, hidesSomething, line, marked } from "./text";

describe("safe text", () => {
  it.each([
    ["a name", "api-gateway-rewrite", "api-gateway-rewrite"],
    ["line ends and tabs", " two\r\nlines\tand\u2028more ", "two lines and more"],
    ["a right-to-left override", "invoice\u202Efdp.exe", "invoicefdp.exe"],
    ["isolates and marks", "\u2066a\u2069\u200f\u061cb", "ab"],
    ["zero-width characters", "pass\u200Bword\uFEFF\u2060", "password"],
    ["escape sequences", "\u001b[31mred\u0007", "[31mred"],
    ["hidden tags", "hi\u{e0041}\u{e0042}", "hi"],
    ["half a character", "a\ud83d", "a\ufffd"],
    ["a family", "👨‍👩‍👧 ❤️ 1️⃣", "👨‍👩‍👧 ❤️ 1️⃣"],
    ["a joiner that is part of a script", "می‌خواهم क्‍ष", "می‌خواهم क्‍ष"],
    ["a joiner in a word of ours", "pay\u200dpal", "paypal"],
    ["other scripts", "docs-i18n-翻訳 مرحبا שלום", "docs-i18n-翻訳 مرحبا שלום"],
    ["a tower of marks", `z${"\u0301".repeat(50)}!`, `z${"\u0301".repeat(8)}!`],
    ["nothing", "", ""],
  ])("makes one line of %s", (_what, text, expected) => expect(line(text)).toBe(expected));

  it("keeps lines and tabs of a block", () => {
    expect(block("a\r\n\tb\rc\u0000")).toBe("a\n\tb\nc");
  });

  it("is never longer than its limit, and never ends in half a character", () => {
    for (let limit = 1; limit < 12; limit++) {
      const text = line("ab😀cd😀ef", limit);
      expect(text.length).toBeLessThanOrEqual(limit);
      expect(text).not.toMatch(/\p{Surrogate}/u);
    }
    expect(block("x".repeat(1_000_000), 1000)).toHaveLength(1000);
  });

  it("writes out what a command hides, and shortens nothing", () => {
    expect(marked("rm \u202E/ po\u200Bt")).toBe("rm ⟨U+202E⟩/ po⟨U+200B⟩t");
    expect(marked("x".repeat(500_000))).toHaveLength(500_000);
    expect(marked("a\n\tb 👨‍👩‍👧 ❤️\r\nc")).toBe("a\n\tb 👨‍👩‍👧 ❤️\nc");
    expect(hidesSomething("echo hi\r\n")).toBe(false);
    expect(hidesSomething("echo\u0008 hi")).toBe(true);
  });
});
