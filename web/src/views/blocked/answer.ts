/**
 * The answer of one agent's dialog: what it waits for, and what becomes of a try. Kept outside of the views, so that
 * the card and the dock share it and a try that is under way survives a change of place.
 */
import { signal, useSignalEffect, type ReadonlySignal, type Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";

import type { Agent, Done, WaitingFor } from "../../api/types";
import { newId, useRoom, type Room } from "../../live/room";
import { CLOSED, stepAnswer, type AnswerEvent, type AnswerState, type Choice } from "../../store/prompt";

interface Prompt {
  readonly state: Signal<AnswerState>;
  /** The last dialog that was seen: what a try that is under way was for. */
  seen: WaitingFor | null;
}

const prompts = new Map<string, Prompt>();

export interface Answering {
  state: ReadonlySignal<AnswerState>;
  /** The dialog to show; null: none. */
  waiting: WaitingFor | null;
  answer(choice: Choice): void;
  understood(): void;
}

export function useAnswering(agent: Agent): Answering {
  const room = useRoom();
  const prompt = promptOf(agent.id);
  look(prompt, agent.waiting_for ?? null, room.nowMs());
  // A dialog that stands on although its answer was taken is noticed by the clock.
  useSignalEffect(() => {
    if (prompt.state.value.at === "taken") look(prompt, currentOf(room, agent.id), room.now.value);
  });
  const { state } = prompt;
  return useMemo(() => ({
    state,
    get waiting() {
      return state.value.at === "closed" ? null : prompt.seen;
    },
    answer: (choice) => void send(room, agent.id, prompt, choice),
    understood: () => take(prompt, { type: "understood" }),
  }), [prompt, room, agent.id]);
}

function promptOf(agentId: string): Prompt {
  const known = prompts.get(agentId);
  if (known !== undefined) return known;
  const made: Prompt = { state: signal(CLOSED), seen: null };
  prompts.set(agentId, made);
  return made;
}

function take(prompt: Prompt, event: AnswerEvent): void {
  const next = stepAnswer(prompt.state.peek(), event);
  if (next !== prompt.state.peek()) prompt.state.value = next;
}

function look(prompt: Prompt, waiting: WaitingFor | null, atMs: number): void {
  take(prompt, { type: "shown", waitingId: waiting?.id ?? null, atMs });
  const state = prompt.state.peek();
  if (waiting !== null && state.at !== "closed" && state.waitingId === waiting.id) prompt.seen = waiting;
}

function currentOf(room: Room, agentId: string): WaitingFor | null {
  return room.state.peek().agents.get(agentId)?.waiting_for ?? null;
}

async function send(room: Room, agentId: string, prompt: Prompt, choice: Choice): Promise<void> {
  const requestId = newId("req");
  const before = prompt.state.peek();
  take(prompt, { type: "chosen", choice, requestId });
  const state = prompt.state.peek();
  if (before === state || state.at !== "sending") return;
  const { options, text } = choice;
  const answer = await room.http.request<Done>("POST", `/agents/${encodeURIComponent(agentId)}/answer`, {
    body: {
      request_id: requestId,
      waiting_id: state.waitingId,
      ...(options.length === 0 ? {} : { option: options.length === 1 ? options[0] : options }),
      ...(text === null ? {} : { text }),
    },
    withinMs: ANSWER_WITHIN_MS,
  });
  if (answer.ok) take(prompt, { type: "done", requestId, atMs: room.nowMs() });
  else take(prompt, { type: "refused", requestId, code: answer.refusal.code, text: answer.refusal.text });
  look(prompt, currentOf(room, agentId), room.nowMs());
}

/** A long dialog is gone through key by key on the agent's screen. */
const ANSWER_WITHIN_MS = 45_000;
