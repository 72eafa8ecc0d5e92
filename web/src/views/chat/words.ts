/** Dates, counts and troubles of a chat in words. */
import type { Refusal } from "../../api/http";
import { isSameDay } from "../../kit/time";
import type { Loading } from "./model";

const DAY_MS = 86_400_000;
const dayFormat = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });
const yearFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });

export function dayWords(atMs: number, nowMs: number): string {
  if (isSameDay(atMs, nowMs)) return "Today";
  if (isSameDay(atMs, nowMs - DAY_MS)) return "Yesterday";
  return Math.abs(nowMs - atMs) < 300 * DAY_MS ? dayFormat.format(atMs) : yearFormat.format(atMs);
}

/** Why a page did not come, and what that means. */
export function pageTrouble(of: Exclude<Loading, null>, refusal: Refusal, machine: string): string {
  const what = of === "older" ? "Older messages" : of === "newer" ? "Newer messages" : "This chat";
  switch (refusal.code) {
    case "offline": return of === "first" ? `${machine} is not reachable. ${refusal.text}` : `${what} lie on ${machine}, which is not reachable.`;
    case "unreachable": return `${what} could not be fetched: the control room did not answer.`;
    case "not_found": return refusal.text;
    case "locked": return "This device is locked.";
    default: return `${what} could not be fetched: ${refusal.text}`;
  }
}

export function tokenWords(tokens: { input: number; output: number }): string {
  const number = (count: number): string => count.toLocaleString("en-US");
  return `${number(tokens.input)} tokens in, ${number(tokens.output)} out`;
}

/** The text around a hit: the hit is marked, `…` stands where it was cut. */
export function snippet(text: string, needle: string, around = 80): { before: string; hit: string; after: string } {
  const flat = text.replace(/\s+/g, " ");
  const at = flat.toLowerCase().indexOf(needle.toLowerCase().replace(/\s+/g, " "));
  if (at < 0) return { before: "", hit: "", after: flat.slice(0, around * 2) };
  const from = Math.max(0, at - around);
  const to = Math.min(flat.length, at + needle.length + around);
  return {
    before: `${from > 0 ? "…" : ""}${flat.slice(from, at)}`,
    hit: flat.slice(at, at + needle.length),
    after: `${flat.slice(at + needle.length, to)}${to < flat.length ? "…" : ""}`,
  };
}
