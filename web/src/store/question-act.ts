/**
 * What a person does with a question, from the press to what became of it. Pure.
 *
 * One act at a time, with one request id: when nobody knows whether it arrived, the same act is asked for again with
 * the same id, and the hub does it once. A refused act changes nothing: the card stays and says who was first.
 */
import type { Question } from "../api/types";

export type Deed = "answer" | "skip" | "dismiss" | "undo" | "reopen";

export interface Act {
  deed: Deed;
  /** Keys of the chosen options; for an answer. */
  options?: readonly string[];
  text?: string | null;
  why?: string;
  /** How the person sees it: “Per tenant”. */
  label: string;
}

export type ActState =
  | { at: "idle" }
  /** `tries` without a word from the hub. */
  | { at: "sending"; act: Act; requestId: string; tries: number }
  /** Nothing was done; `wasFirst`: somebody or something else had closed it. */
  | { at: "refused"; act: Act; code: string; text: string; wasFirst: boolean }
  /** The person did not wait for the hub's word: it may have arrived. */
  | { at: "unsure"; act: Act };

export type ActEvent =
  | { type: "act"; act: Act; requestId: string }
  | { type: "done"; requestId: string }
  | { type: "refused"; requestId: string; code: string; text: string }
  /** No word came back. */
  | { type: "lost"; requestId: string }
  | { type: "stop" }
  | { type: "understood" };

export const IDLE: ActState = { at: "idle" };

export function stepAct(state: ActState, event: ActEvent): ActState {
  switch (event.type) {
    case "act":
      return state.at === "sending" ? state : { at: "sending", act: event.act, requestId: event.requestId, tries: 0 };
    case "stop":
      return state.at === "sending" && state.tries > 0 ? { at: "unsure", act: state.act } : state;
    case "understood":
      return state.at === "refused" || state.at === "unsure" ? IDLE : state;
    default:
      break;
  }
  if (state.at !== "sending" || state.requestId !== event.requestId) return state;
  switch (event.type) {
    case "done": return IDLE;
    case "lost": return { ...state, tries: state.tries + 1 };
    case "refused": return { at: "refused", act: state.act, code: event.code, text: event.text, wasFirst: event.code === "conflict" };
  }
}

/** How long to wait before the same is asked for again. */
export function againMs(tries: number): number {
  return Math.min(15_000, 1_000 * 2 ** Math.max(0, tries - 1));
}

/** Whether the hub's word was none: the act may have been done or not. */
export function isLost(code: string): boolean {
  return code === "unreachable" || code === "aborted" || code === "garbage";
}

/** The body of the request. */
export function bodyOf(act: Act, question: Pick<Question, "multi">, requestId: string): Record<string, unknown> {
  if (act.deed !== "answer") return { request_id: requestId, ...(act.why === undefined ? {} : { why: act.why }) };
  const options = act.options ?? [];
  return {
    request_id: requestId,
    ...(options.length === 0 ? {} : { option: question.multi ? options : options[0] }),
    ...(act.text == null || act.text === "" ? {} : { text: act.text }),
  };
}

/** Whether what closed the question was this very act: its first try arrived, and the second found it closed. */
export function isOwn(act: Act, question: Question, by: string | null): boolean {
  const last = question.history[question.history.length - 1];
  if (by === null || last?.by !== by) return false;
  switch (act.deed) {
    case "answer": return question.state === "answered" && (question.answer?.option ?? "") === (act.options ?? []).join(", ") && (question.answer?.text ?? "") === (act.text ?? "");
    case "skip": return question.state === "skipped";
    case "dismiss": return question.state === "dismissed";
    default: return question.state === "open";
  }
}

/** What was tried, as the subject of a refusal. */
const TRIED: Readonly<Record<Deed, string>> = {
  answer: "Your answer was not sent", skip: "Not skipped", dismiss: "Not dismissed", undo: "Not taken back", reopen: "Not reopened",
};

/** Why nothing was done, in words. */
export function refusalWords(state: Extract<ActState, { at: "refused" }>): string {
  const tried = TRIED[state.act.deed];
  switch (state.code) {
    case "conflict": return `${tried}. ${state.text}`;
    case "changed": return "The agent asks something else now. Nothing was sent.";
    case "offline": return `${tried}: its machine is not reachable.`;
    case "locked": return "This device is locked. Unlock it, then try again.";
    case "not_paired": return "This device is not paired any more. Nothing was sent.";
    case "too_many": return "Too many tries. Wait a moment, then try again.";
    case "not_found": return `${tried}: the question is not kept any more.`;
    default: return state.text === "" ? `${tried}.` : `${tried}: ${state.text}`;
  }
}
