/**
 * What this device does with questions: one act at a time for each, under one request id, asked for again until the hub
 * says what became of it. Kept outside of the views, so that a card that comes back shows what is under way.
 */
import { effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";

import type { Question, Questions } from "../api/types";
import { readQuestion } from "../store/read";
import { againMs, bodyOf, IDLE, isLost, isOwn, stepAct, type Act, type ActEvent, type ActState } from "../store/question-act";
import { ownId } from "./devices";
import { readable } from "./questions";
import { newId, type Room } from "./room";

/** A dialog is answered key by key on the agent's screen. */
const ACT_WITHIN_MS = 45_000;

/** What came of an act: the question after it, or null: it was refused, and its card says why. */
export type Outcome = Question | null;

const acts = new Map<string, Signal<ActState>>();

/** The act on this question, of whatever view. */
export function actOf(id: string): ReadonlySignal<ActState> {
  return own(id);
}

function own(id: string): Signal<ActState> {
  const known = acts.get(id) ?? signal<ActState>(IDLE);
  acts.set(id, known);
  return known;
}

function take(id: string, event: ActEvent): void {
  const state = own(id);
  const next = stepAct(state.peek(), event);
  if (next !== state.peek()) state.value = next;
}

export function understood(id: string): void {
  take(id, { type: "understood" });
}

/** The person does not want to wait for the hub's word. */
export function stopTrying(id: string): void {
  take(id, { type: "stop" });
}

/** Does it once, however often it has to be asked for. Null at once when another act on it is under way. */
export async function perform(room: Room, question: Question, act: Act): Promise<Outcome> {
  const { id } = question;
  if (own(id).peek().at === "sending") return null;
  const requestId = newId("req");
  take(id, { type: "act", act, requestId });
  for (;;) {
    const answer = await room.http.request<Question>("POST", `${pathOf(id)}/${act.deed}`, { body: bodyOf(act, question, requestId), withinMs: ACT_WITHIN_MS });
    const after = answer.ok ? readQuestion(answer.value) : null;
    if (after !== null) return done(room, id, requestId, after);
    const code = answer.ok ? "garbage" : answer.refusal.code;
    if (!isLost(code)) {
      // Somebody was first, or the first try of this very act was: the question itself says which.
      const now = code === "conflict" ? await fetchQuestion(room, id) : null;
      const by = ownId.peek();
      if (now !== null && isOwn(act, now, by === null ? null : `device:${by}`)) return done(room, id, requestId, now);
      take(id, { type: "refused", requestId, code, text: answer.ok ? "" : answer.refusal.text });
      return null;
    }
    take(id, { type: "lost", requestId });
    const state = own(id).peek();
    if (state.at !== "sending") return null;
    await untilLive(room, againMs(state.tries));
    if (own(id).peek().at !== "sending") return null; // given up meanwhile
  }
}

function done(room: Room, id: string, requestId: string, after: Question): Question {
  take(id, { type: "done", requestId });
  room.tell({ type: "questions", questions: [after], isWhole: false });
  return after;
}

/** The question as the hub has it now, told to the state too. Null: it is not to be had. */
export async function fetchQuestion(room: Room, id: string, signal?: AbortSignal): Promise<Question | null> {
  const answer = await room.http.request<Question>("GET", pathOf(id), signal === undefined ? {} : { signal });
  const question = answer.ok ? readQuestion(answer.value) : null;
  if (question !== null) room.tell({ type: "questions", questions: [question], isWhole: false });
  return question;
}

/** A page of all questions, the newest first, told to the state too. */
export async function fetchPage(room: Room, query: { before?: string; agent?: string; limit: number }, signal?: AbortSignal) {
  const answer = await room.http.request<Questions>("GET", "/questions", { query: { state: "all", ...query }, ...(signal === undefined ? {} : { signal }) });
  if (!answer.ok) return answer;
  const questions = readable(answer.value);
  room.tell({ type: "questions", questions, isWhole: false });
  return { ok: true as const, value: { questions, before: answer.value.before ?? null } };
}

/** Pause what happens by itself, or go on. "" when it is so; else why not. */
export async function setPaused(room: Room, isPaused: boolean): Promise<string> {
  const answer = await room.http.request<{ paused?: unknown }>("PUT", "/pause", { body: { request_id: newId("req"), paused: isPaused } });
  return answer.ok ? "" : answer.refusal.text;
}

function pathOf(id: string): string {
  return `/questions/${encodeURIComponent(id)}`;
}

/** Some time, and then until the link is live. */
function untilLive(room: Room, ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      let stop: (() => void) | null = null;
      let isOver = false;
      stop = effect(() => {
        if (isOver || room.link.value.kind !== "live") return;
        isOver = true;
        resolve();
        queueMicrotask(() => stop?.());
      });
    }, ms);
  });
}
