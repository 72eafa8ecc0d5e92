/**
 * Follows what troubles the control room itself: nearly full memory or disks, what was killed for memory, a database that
 * fails. Loaded after the first picture. What is no reason to look up stands in Settings only.
 */
import { effect } from "@preact/signals";

import type { components } from "../api/schema";
import { lastingTrouble, type LastingTrouble } from "../live/trouble";
import type { Room } from "../live/room";

type Status = components["schemas"]["Status"];
type Health = components["schemas"]["Health"];

const EVERY_MS = 30_000;
const SHOWN = ["vitals:", "database:"];

/** Looks while the page is seen and the link lives; what was seen before a break is forgotten with it. */
export function keepTrouble(room: Room): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = async (): Promise<void> => {
    if (document.visibilityState !== "visible") return;
    const answer = await room.http.request<Status>("GET", "/status");
    if (answer.ok && room.link.peek().kind === "live") lastingTrouble.value = worstOf(answer.value.health);
  };
  effect(() => {
    clearInterval(timer);
    lastingTrouble.value = null;
    if (room.link.value.kind !== "live") return;
    void look();
    timer = setInterval(() => void look(), EVERY_MS);
  });
}

/** The oldest of those that are shown. */
export function worstOf(health: readonly Health[]): LastingTrouble | null {
  const [first] = health.filter(({ code }) => SHOWN.some((begin) => code.startsWith(begin))).sort((one, other) => one.since_ms - other.since_ms);
  return first === undefined ? null : { title: first.title, sinceMs: first.since_ms };
}
