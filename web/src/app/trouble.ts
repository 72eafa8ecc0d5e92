/**
 * Follows what troubles the control room itself, whatever its kind: full disks, a database that fails, a multiplexer or an
 * account that cannot be read, notifications that do not get through. Loaded after the first picture.
 */
import { effect } from "@preact/signals";

import type { components } from "../api/schema";
import type { Machine } from "../api/types";
import { line } from "../kit/text";
import { lastingTrouble, type LastingTrouble } from "../live/trouble";
import type { Room } from "../live/room";

type Status = components["schemas"]["Status"];
type Health = components["schemas"]["Health"];

const EVERY_MS = 30_000;
/** By how the code begins: work may be lost, or is not done at all. Of anything else the lists still tell the truth. */
const GRAVE = ["vitals:", "database", "crashed:"];
const LONGEST = 160;

/** Looks while the page is seen and the link lives; what was seen before a break is forgotten with it. */
export function keepTrouble(room: Room): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = async (): Promise<void> => {
    if (document.visibilityState !== "visible") return;
    const answer = await room.http.request<Status>("GET", "/status");
    if (answer.ok && room.link.peek().kind === "live") lastingTrouble.value = worstOf(answer.value.health, room.state.peek().machines);
  };
  effect(() => {
    clearInterval(timer);
    lastingTrouble.value = null;
    if (room.link.value.kind !== "live") return;
    void look();
    timer = setInterval(() => void look(), EVERY_MS);
  });
}

/** The gravest, and of those the oldest, with what to do about it, and how many more there are. */
export function worstOf(health: readonly Health[], machines: ReadonlyMap<string, Machine>): LastingTrouble | null {
  const [first] = [...health].sort((one, other) => Number(isGrave(other)) - Number(isGrave(one)) || one.since_ms - other.since_ms);
  if (first === undefined) return null;
  const machine = first.machine_id == null || machines.size < 2 ? undefined : machines.get(first.machine_id);
  const title = sentence(machine === undefined ? first.title : `${line(machine.name, 40)}: ${first.title}`);
  const toDo = sentence(first.do);
  const more = health.length === 1 ? "" : `And ${health.length - 1} more.`;
  const text = [title, toDo === sentence(first.title) ? "" : toDo, more].filter((part) => part !== "").join(" ");
  return { text, sinceMs: first.since_ms, isGrave: isGrave(first) };
}

function isGrave({ code }: Health): boolean {
  return GRAVE.some((begin) => code.startsWith(begin));
}

function sentence(text: string): string {
  const short = line(text, LONGEST);
  return short === "" || /[.!?…]$/u.test(short) ? short : `${short}.`;
}
