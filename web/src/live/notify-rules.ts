/** What the person wants to be told, on all devices: asked of the hub when it is shown, and changed there. */
import { signal, type ReadonlySignal } from "@preact/signals";

import type { Answer, Refusal } from "../api/http";
import type { components } from "../api/schema";
import type { Room } from "./room";

export type Rules = components["schemas"]["NotificationSettings"];
export type RulesWish = components["schemas"]["PatchNotificationSettings"];
export type AgentRule = NonNullable<Rules["agents"]>[string];

const known = signal<Rules | null>(null);
const busy = signal(false);

/** As last heard; null: not heard yet. */
export const notifyRules: ReadonlySignal<Rules | null> = known;
/** A change is under way: one is made of the one before. */
export const isSettingRules: ReadonlySignal<boolean> = busy;

export async function loadRules(room: Room): Promise<Refusal | null> {
  return heard(await room.http.request<Rules>("GET", "/notifications/settings"));
}

export async function changeRules(room: Room, wish: RulesWish): Promise<Refusal | null> {
  return set(() => room.http.request<Rules>("PATCH", "/notifications/settings", { body: wish }));
}

/** Holds everything (`what` is "") or what is about one agent until then; a time that is over ends it. */
export async function snooze(room: Room, what: string, untilMs: number): Promise<Refusal | null> {
  return set(() => room.http.request<Rules>("POST", "/notifications/snooze", { body: { what, until_ms: untilMs } }));
}

/** Until when it is held; null: it is not. */
export function heldUntil(rules: Rules, what: string, nowMs: number): number | null {
  const found = (rules.snoozes ?? []).find((one) => one.what === what && one.until_ms > nowMs);
  return found === undefined ? null : found.until_ms;
}

async function set(ask: () => Promise<Answer<Rules>>): Promise<Refusal | null> {
  busy.value = true;
  const refusal = heard(await ask());
  busy.value = false;
  // A control that the person moved goes back to what is so.
  if (refusal !== null && known.value !== null) known.value = { ...known.value };
  return refusal;
}

function heard(answer: Answer<Rules>): Refusal | null {
  if (!answer.ok) return answer.refusal;
  known.value = answer.value;
  return null;
}
