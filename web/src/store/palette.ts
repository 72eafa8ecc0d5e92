/** What the command palette offers for what was typed. Pure. */
import type { Agent } from "../api/types";
import { standingOf } from "./agents";

/**
 * How well a name fits what was typed: 0 not at all. A name that starts with it is best, then a word in it that
 * does, then any place, then its letters in their order.
 */
export function fit(name: string, typed: string): number {
  const text = name.normalize("NFKC").toLowerCase();
  const want = typed.normalize("NFKC").toLowerCase().trim();
  if (want === "") return 1;
  if (text.startsWith(want)) return 5;
  const at = text.indexOf(want);
  if (at > 0) return /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 3 : 4;
  if (want.split(/\s+/).every((word) => text.includes(word))) return 2.5;
  return hasInOrder(text, want.replace(/\s+/g, "")) ? 1.5 : 0;
}

/** The best first, at most `limit`; of equals the order they came in. */
export function ranked<T>(entries: readonly T[], nameOf: (entry: T) => string, typed: string, limit: number): T[] {
  return entries
    .map((entry, at) => ({ entry, at, rank: fit(nameOf(entry), typed) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || a.at - b.at)
    .slice(0, limit)
    .map(({ entry }) => entry);
}

const ORDER = ["needs", "finished", "working", "unknown", "idle", "gone"] as const;

/** Agents in the order of the list: who waits longest, then who changed last. Archived ones come last. */
export function inCallOrder(agents: Iterable<Agent>): Agent[] {
  const sign = (agent: Agent): number => (standingOf(agent).group === "needs" ? 1 : -1);
  return [...agents].sort((a, b) => place(a) - place(b) || sign(a) * (standingOf(a).sinceMs - standingOf(b).sinceMs));
}

function place(agent: Agent): number {
  return ORDER.indexOf(standingOf(agent).group) + (agent.archived ? ORDER.length : 0);
}

function hasInOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
