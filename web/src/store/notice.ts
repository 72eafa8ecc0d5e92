/**
 * What came by push, and what is shown of it. Pure. The hub made the words; here they are only kept within bounds:
 * a push that cannot be read still says that something waits.
 */

import type { Agent } from "../api/types";
import { isOpen, type Asked } from "./questions";

export interface Notice {
  id: string;
  kind: string;
  tag: string;
  title: string;
  body: string;
  /** A place of the app, without `/app/`. */
  open: string;
  atMs: number;
  badge: number;
  isUrgent: boolean;
  actions: readonly { action: string; title: string }[];
  questionId: string | null;
  agentId: string | null;
  /** Tags that need nobody any more. */
  gone: readonly string[];
}

const UNREADABLE: Notice = {
  id: "", kind: "unknown", tag: "unknown", title: "Control Room", body: "Something may wait for you.", open: "", atMs: 0, badge: 0,
  isUrgent: false, actions: [], questionId: null, agentId: null, gone: [],
};

const LONGEST = { title: 200, body: 1_000, word: 200, label: 80 } as const;
const MOST_ACTIONS = 2;
const MOST_GONE = 50;

/** Whatever was sent, something can be shown: a browser shows a text of its own when a push showed nothing. */
export function noticeOf(text: string): Notice {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return UNREADABLE;
  }
  if (typeof said !== "object" || said === null) return UNREADABLE;
  const of = said as Record<string, unknown>;
  const title = word(of["title"], LONGEST.title);
  const tag = word(of["tag"], LONGEST.word);
  if (title === "" || tag === "") return UNREADABLE;
  return {
    id: word(of["id"], LONGEST.word),
    kind: word(of["kind"], LONGEST.word),
    tag,
    title,
    body: word(of["body"], LONGEST.body),
    open: placeOf(word(of["open"], LONGEST.word * 2)),
    atMs: number(of["at_ms"]),
    badge: number(of["badge"]),
    isUrgent: of["is_urgent"] === true,
    actions: actionsOf(of["actions"]),
    questionId: word(of["question_id"], LONGEST.word) || null,
    agentId: word(of["agent_id"], LONGEST.word) || null,
    gone: list(of["gone"]).slice(0, MOST_GONE).map((one) => word(one, LONGEST.word)).filter((one) => one !== ""),
  };
}

/** A place below `/app/`: no other address, whatever was sent. */
export function placeOf(open: string): string {
  const words = open.replace(/^\/+/u, "").split("/");
  return words.every((one) => /^[\w.~@%-]*$/u.test(one) && one !== "..") ? words.join("/") : "";
}

function actionsOf(said: unknown): Notice["actions"] {
  return list(said).slice(0, MOST_ACTIONS).flatMap((one) => {
    if (typeof one !== "object" || one === null) return [];
    const of = one as Record<string, unknown>;
    const action = word(of["action"], LONGEST.word);
    const title = word(of["title"], LONGEST.label);
    return action === "" || title === "" ? [] : [{ action, title }];
  });
}

function word(said: unknown, longest: number): string {
  return typeof said === "string" ? said.slice(0, longest) : "";
}

function number(said: unknown): number {
  return typeof said === "number" && Number.isFinite(said) && said > 0 ? Math.floor(said) : 0;
}

function list(said: unknown): readonly unknown[] {
  return Array.isArray(said) ? said : [];
}

/** Whether what a notice told is over, as far as the room is known now: then it needs nobody, on no device. */
export function isOver(notice: Pick<Notice, "kind" | "questionId" | "agentId">, agents: ReadonlyMap<string, Agent>, asked: Asked): boolean {
  if (notice.questionId !== null) {
    const question = asked.byId.get(notice.questionId);
    return asked.isKnown && question !== undefined && !isOpen(question);
  }
  const agent = notice.agentId === null ? undefined : agents.get(notice.agentId);
  if (agent === undefined) return false;
  if (notice.kind === "waiting") return agent.activity !== "blocked" && agent.activity !== "unknown" && !agent.fault;
  return notice.kind === "finished" && agent.activity !== "unknown" && !agent.finished;
}

/** What a button of a notice asks the hub; null: this notice has no such button. */
export function answerOf(notice: Notice, action: string): { path: string; body: { request_id: string; option: string } } | null {
  if (notice.questionId === null || notice.id === "" || !notice.actions.some((one) => one.action === action)) return null;
  // The same button twice is one request: its id is that of notice and button.
  return {
    path: `/questions/${encodeURIComponent(notice.questionId)}/answer`,
    body: { request_id: `req_${notice.id}_${action}`.slice(0, 120), option: action },
  };
}

/** Why an answer was not taken, in one line. */
export function refusedWords(code: string | null): string {
  switch (code) {
    case "locked": return "Not sent: this device is locked. Open the question.";
    case "not_paired": return "Not sent: this device is not paired any more.";
    case "not_allowed": return "Not sent: this device has no right to answer.";
    case "changed":
    case "conflict": return "Not sent: the question is not open any more.";
    case null: return "Not sent: the control room did not answer. Open the question.";
    default: return "Not sent. Open the question.";
  }
}
