/**
 * Questions to the person as this device knows them: what is open, in which order it is shown, and whose it is. Pure.
 *
 * A fleet does not hold them. They are asked for as a list, and each change comes as an event; both may cross. What
 * an event of this epoch said stands against any list that is not longer in its history: a list that is newer than
 * the event is followed by an event of its own.
 */
import type { Agent, Question } from "../api/types";

export interface Asked {
  /** Open ones, and the newest of those whose end is known, by id. */
  byId: ReadonlyMap<string, Question>;
  /** What events of this epoch spoke of. */
  heard: ReadonlySet<string>;
  /** All that are open are in here, as far as the link is live. */
  isWhole: boolean;
  /** They were whole once: the Inbox counts them instead of agents that ask. */
  isKnown: boolean;
}

export const NO_QUESTIONS: Asked = { byId: new Map(), heard: new Set(), isWhole: false, isKnown: false };
export const MOST_CLOSED = 400;

/** A new epoch: what is known may be old until the list was asked for anew. */
export function begun(asked: Asked): Asked {
  return { ...asked, heard: new Set(), isWhole: false };
}

/** An event. */
export function changed(asked: Asked, question: Question): Asked {
  const known = asked.byId.get(question.id);
  const heard = new Set(asked.heard).add(question.id);
  if (known !== undefined && order(known, question) > 0) return { ...asked, heard };
  return { ...asked, heard, byId: bounded(new Map(asked.byId).set(question.id, whole(question, known))) };
}

/** Which of two states of one question is the newer: by its steps, which only grow. Events may leave the first ones out. */
function order(one: Question, other: Question): number {
  const last = (question: Question): number => question.history[question.history.length - 1]?.at_ms ?? 0;
  if (one.clipped === true || other.clipped === true) return last(one) - last(other);
  return one.history.length - other.history.length;
}

/** Events shorten long texts, and texts of a question never change. */
function whole(question: Question, other: Question | undefined): Question {
  if (question.clipped !== true || other === undefined || other.clipped === true) return question;
  // A group grows, and its texts with it.
  if ((question.more ?? 0) !== (other.more ?? 0)) return question;
  const { question: _text, options: _options, context: _context, doc: _doc, raw: _raw, problem: _problem, default: _default, history, ...now } = question;
  return { ...other, ...now, history: other.history.length >= history.length && order(other, question) === 0 ? other.history : history, clipped: false };
}

/** The answer of a request. `isWhole`: these are all that are open. */
export function listed(asked: Asked, questions: readonly Question[], isWhole: boolean): Asked {
  const byId = new Map(asked.byId);
  if (isWhole) {
    const there = new Set(questions.map((question) => question.id));
    for (const question of asked.byId.values()) {
      if (isOpen(question) && !there.has(question.id) && !asked.heard.has(question.id)) byId.delete(question.id);
    }
  }
  for (const question of questions) {
    const known = asked.byId.get(question.id);
    const newer = known === undefined ? -1 : order(known, question);
    const isNewer = known !== undefined && (newer > 0 || (newer === 0 && asked.heard.has(question.id)));
    byId.set(question.id, isNewer ? whole(known, question) : whole(question, known));
  }
  return { ...asked, byId: bounded(byId), isWhole: isWhole || asked.isWhole, isKnown: isWhole || asked.isKnown };
}

function bounded(byId: Map<string, Question>): Map<string, Question> {
  let closed = 0;
  for (const question of byId.values()) if (!isOpen(question)) closed += 1;
  for (const question of byId.values()) {
    if (closed <= MOST_CLOSED) break;
    if (isOpen(question)) continue;
    byId.delete(question.id);
    closed -= 1;
  }
  return byId;
}

export function isOpen(question: Question): boolean {
  return question.state === "open";
}

/** Blocking, then the soonest default, then the oldest. Nothing but what stays: a card keeps its place. */
export function inOrder(a: Question, b: Question): number {
  return Number(b.blocking) - Number(a.blocking)
    || (a.blocking ? 0 : dueOf(a) - dueOf(b))
    || a.asked_at_ms - b.asked_at_ms
    || (a.id < b.id ? -1 : 1);
}

/** A finite number, so that two without a time are equal. */
function dueOf(question: Question): number {
  return question.default?.due_at_ms ?? Number.MAX_SAFE_INTEGER;
}

const openOnes = new WeakMap<Asked["byId"], readonly Question[]>();

/** The open ones in their order. */
export function openOf(asked: Asked): readonly Question[] {
  const known = openOnes.get(asked.byId);
  if (known !== undefined) return known;
  const made = [...asked.byId.values()].filter(isOpen).sort(inOrder);
  openOnes.set(asked.byId, made);
  return made;
}

const cards = new WeakMap<Asked["byId"], ReadonlyMap<string, readonly Question[]>>();

/**
 * Questions by the reply that asked them, in its order. What stands in a dialog has no card there: the dialog is shown.
 */
export function cardsOf(asked: Asked): ReadonlyMap<string, readonly Question[]> {
  const known = cards.get(asked.byId);
  if (known !== undefined) return known;
  const made = new Map<string, Question[]>();
  for (const question of asked.byId.values()) {
    if (question.item_id == null || question.source === "picker") continue;
    const there = made.get(question.item_id);
    if (there === undefined) made.set(question.item_id, [question]);
    else there.push(question);
  }
  for (const there of made.values()) there.sort((a, b) => a.asked_at_ms - b.asked_at_ms || (a.id < b.id ? -1 : 1));
  cards.set(asked.byId, made);
  return made;
}

/** Questions of a chat that no reply holds, oldest first. */
export function unheld(asked: Asked, chatId: string): Question[] {
  return [...asked.byId.values()]
    .filter((question) => question.chat_id === chatId && question.item_id == null && question.source !== "picker")
    .sort((a, b) => a.asked_at_ms - b.asked_at_ms);
}

/** The open one of this agent that stands first. */
export function firstOf(asked: Asked, agentId: string): Question | null {
  return openOf(asked).find((question) => question.agent_id === agentId) ?? null;
}

/** Whether the thing that this agent waits with has a card of its own: each waiting thing counts once. */
export function hasCard(asked: Asked, agent: Agent): boolean {
  if (agent.activity === "blocked") {
    const waiting = agent.waiting_for;
    return waiting?.kind === "picker" && openOf(asked).some((question) => question.waiting_id === waiting.id);
  }
  return agent.activity === "question" && firstOf(asked, agent.id) !== null;
}

const shownBy = new WeakMap<Agent, Agent>();

/**
 * An agent whose reply still ends in a question that was closed since (skipped, dismissed, settled elsewhere) waits for
 * nobody: it is shown as idle. What is not known to be closed still asks.
 */
export function asShown(agents: ReadonlyMap<string, Agent>, asked: Asked): ReadonlyMap<string, Agent> {
  let shown: Map<string, Agent> | null = null;
  for (const agent of agents.values()) {
    if (!isSettled(agent, asked)) continue;
    shown ??= new Map(agents);
    const idle = shownBy.get(agent) ?? { ...agent, activity: "idle" };
    shownBy.set(agent, idle);
    shown.set(agent.id, idle);
  }
  return shown ?? agents;
}

function isSettled(agent: Agent, asked: Asked): boolean {
  if (agent.activity !== "question" || !asked.isKnown) return false;
  let isClosed = false;
  for (const question of asked.byId.values()) {
    if (question.agent_id !== agent.id) continue;
    if (isOpen(question)) return false;
    const last = question.history[question.history.length - 1];
    if (last !== undefined && last.at_ms >= agent.since_ms) isClosed = true;
  }
  return isClosed;
}
