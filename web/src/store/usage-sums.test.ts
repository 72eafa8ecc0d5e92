import { describe, expect, it } from "vitest";

import type { UsageReport, UsageRow } from "../api/types";
import { notesOf, progressOf, rowName, short, sumOf, sumRow, sumRows } from "./usage-sums";

const row = (key: string, cost_usd: number | null, change: Partial<UsageRow> = {}): UsageRow => ({
  key, input_tokens: 1, cache_read_tokens: 2, cache_write_tokens: 3, output_tokens: 4, answers: 1, cost_usd, ...change,
});
const report = (rows: UsageRow[], change: Partial<UsageReport> = {}): UsageReport => ({ rows, unpriced: [], ...change });

describe("sums", () => {
  it("stand by cost and tokens, days by time", () => {
    const rows = [row("cheap", 1), row("none", null), row("much", null, { output_tokens: 9_000 }), row("dear", 2)];
    expect(sumRows(report(rows), "model").map((one) => one.key)).toEqual(["dear", "cheap", "much", "none"]);
    expect(sumRows(report([row("2026-11-29", 9), row("2026-11-30", 1)]), "day").map((one) => one.key)).toEqual(["2026-11-30", "2026-11-29"]);
  });

  it.each<[UsageRow, string, string]>([
    [row("a", 1.5), "$1.50", ""],
    [row("a", 1.5, { partly_priced: true }), "≥ $1.50", "some"],
    [row("a", null), "no price", "all"],
    [row("a", 0.001), "< $0.01", ""],
    [row("a", 0), "$0.00", ""],
  ])("what has no price is missing, never free: %j", (one, cost, lacks) => expect(sumRow(one)).toMatchObject({ cost, lacks }));

  it("together say what they are without", () => {
    expect(sumOf([row("a", 1), row("b", null)])).toMatchObject({ input_tokens: 2, answers: 2, cost_usd: 1, partly_priced: true });
    expect(sumOf([row("a", 1), row("b", 2)])).toMatchObject({ cost_usd: 3, partly_priced: false });
    expect(sumOf([row("b", null)])).toMatchObject({ cost_usd: null });
  });

  it("name what is missing", () => {
    expect(notesOf(report([], { missing: ["mac_2"] }), (id) => `<${id}>`)).toEqual(["Not in it, because it cannot be reached: <mac_2>."]);
    expect(notesOf(report([row("a", null)], { unpriced: ["llama", "qwen"] }), (id) => id)).toEqual([
      "Costs are what the API would take, by list prices. A subscription pays none of them.",
      "No price is known for llama, qwen: costs with ≥ are without it.",
    ]);
  });

  it("are not whole while files are read", () => {
    expect(progressOf(report([]))).toBeNull();
    expect(progressOf(report([], { reading: { done: 1, total: 3 } }))).toBe(33);
    expect(progressOf(report([], { reading: { done: 0, total: 0 } }))).toBe(0);
    expect(progressOf(report([], { reading: { done: 5, total: 5 } }))).toBe(99);
  });

  it("have names for what is not known", () => {
    const names = new Map([["agt_1", "orchard"]]);
    expect(["agt_1", "agt_2", ""].map((key) => rowName(key, "agent", names))).toEqual(["orchard", "An agent that is not listed any more", "No agent that is listed"]);
    expect(rowName("opus", "model", new Map())).toBe("opus");
    expect(rowName("prf_1", "profile", new Map())).toBe("A profile that is not there any more");
  });

  it.each([[0, "0"], [999, "999"], [1_000, "1.0k"], [12_345, "12.3k"], [999_999, "999.9k"], [4_500_000, "4.5M"], [1.25e9, "1.2G"]])("%d is %s", (count, text) => expect(short(count)).toBe(text));
});
