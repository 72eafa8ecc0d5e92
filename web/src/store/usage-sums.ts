/** What agents used, as rows of a table: sums, costs, and what is missing from them. Pure. */
import type { UsageReport, UsageRow } from "../api/types";

export type UsageBy = "agent" | "day" | "model" | "profile";

export const WAYS: readonly { value: UsageBy; label: string }[] = [
  { value: "agent", label: "Agent" }, { value: "day", label: "Day" }, { value: "model", label: "Model" }, { value: "profile", label: "Profile" },
];

const NONE: Readonly<Record<UsageBy, string>> = {
  agent: "No agent that is listed", day: "No day", model: "No model", profile: "No profile",
};

export interface SumRow {
  key: string;
  answers: string;
  input: string;
  cached: string;
  written: string;
  output: string;
  cost: string;
  /** What the cost leaves out; "": nothing. */
  lacks: "" | "all" | "some";
}

/** Days newest first; all else the most expensive first, then by tokens. */
export function sumRows(report: UsageReport, by: UsageBy): UsageRow[] {
  const rows = [...report.rows];
  if (by === "day") return rows.sort((one, other) => (one.key < other.key ? 1 : one.key > other.key ? -1 : 0));
  return rows.sort((one, other) => (other.cost_usd ?? -1) - (one.cost_usd ?? -1) || tokensOf(other) - tokensOf(one));
}

export function tokensOf(row: UsageRow): number {
  return row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens;
}

export function sumRow(row: UsageRow): SumRow {
  const lacks = row.cost_usd === null ? "all" : row.partly_priced === true ? "some" : "";
  return {
    key: row.key,
    answers: short(row.answers),
    input: short(row.input_tokens),
    cached: short(row.cache_read_tokens),
    written: short(row.cache_write_tokens),
    output: short(row.output_tokens),
    cost: row.cost_usd === null ? "no price" : `${lacks === "some" ? "≥ " : ""}${dollars(row.cost_usd)}`,
    lacks,
  };
}

export function sumOf(rows: readonly UsageRow[]): UsageRow {
  const add = (of: (row: UsageRow) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  const priced = rows.filter((row) => row.cost_usd !== null);
  return {
    key: "",
    input_tokens: add((row) => row.input_tokens),
    cache_read_tokens: add((row) => row.cache_read_tokens),
    cache_write_tokens: add((row) => row.cache_write_tokens),
    output_tokens: add((row) => row.output_tokens),
    answers: add((row) => row.answers),
    cost_usd: priced.length === 0 ? null : priced.reduce((sum, row) => sum + (row.cost_usd ?? 0), 0),
    partly_priced: rows.some((row) => row.cost_usd === null || row.partly_priced === true),
  };
}

/** What a row is of. `names`: of what is known by its id. */
export function rowName(key: string, by: UsageBy, names: ReadonlyMap<string, string>): string {
  if (key === "") return NONE[by];
  const name = names.get(key);
  if (name !== undefined) return name;
  return by === "agent" ? "An agent that is not listed any more" : by === "profile" ? "A profile that is not there any more" : key;
}

/** What the sums leave out, a sentence each. */
export function notesOf(report: UsageReport, machineName: (id: string) => string): string[] {
  const notes: string[] = [];
  if (report.rows.length > 0) notes.push("Costs are what the API would take, by list prices. A subscription pays none of them.");
  if (report.unpriced.length > 0) notes.push(`No price is known for ${report.unpriced.join(", ")}: costs with ≥ are without it.`);
  const missing = report.missing ?? [];
  if (missing.length > 0) notes.push(`Not in it, because it cannot be reached: ${missing.map(machineName).join(", ")}.`);
  return notes;
}

/** How far files are read, in whole percents; null: the sums are whole. */
export function progressOf(report: UsageReport): number | null {
  const reading = report.reading ?? null;
  return reading === null ? null : Math.min(99, Math.floor((reading.done * 100) / Math.max(reading.total, 1)));
}

function dollars(value: number): string {
  return value > 0 && value < 0.005 ? "< $0.01" : `$${value.toFixed(2)}`;
}

/** `950`, `12.3k`, `4.5M`, `1.2G`. */
export function short(count: number): string {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (count >= size) return `${(Math.floor((count * 10) / size) / 10).toFixed(1)}${unit}`;
  }
  return String(count);
}
