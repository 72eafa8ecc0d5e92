/** Questions in words: their default, how they ended, by whom. Pure; `clock` writes a time as people read it. */
import type { Question, QuestionStep } from "../api/types";

export type Clock = (ms: number) => string;

/** The default of an open question. `mark` is set off; `share`: how much of its time is over, 0 to 100. */
export interface DefaultWords {
  before: string;
  mark: string;
  after: string;
  note: string | null;
  share: number | null;
}

export interface Now {
  nowMs: number;
  isPaused: boolean;
  clock: Clock;
}

export function defaultWords(question: Question, now: Now): DefaultWords {
  const { blocking, default: fallback } = question;
  const make = (before: string, mark = "", after = "", note: string | null = null, share: number | null = null): DefaultWords => ({ before, mark, after, note, share });
  if (fallback == null) return make(blocking ? "No default. It waits for you; nobody else may answer this one." : "No default. It waits for you.");
  if (blocking) return make("Its default would be ", fallback.text, ". It is never used: this one waits for you.");
  const dueMs = fallback.due_at_ms ?? null;
  const problem = fallback.problem ?? null;
  if (dueMs === null) {
    const said = fallback.said == null || fallback.said === "" ? "" : `, by “${fallback.said}”`;
    return make("Its default would be ", fallback.text, `${said}. It is not used by itself.`, problem);
  }
  const share = Math.max(0, Math.min(100, (100 * (now.nowMs - question.asked_at_ms)) / Math.max(1, dueMs - question.asked_at_ms)));
  const at = now.clock(dueMs);
  if (now.isPaused) return make("If you say nothing: ", fallback.text, `, at ${at}.`, "The control room is paused. What is due meanwhile is used when it goes on, and marked late.", share);
  if (now.nowMs >= dueMs) return make("Its time was ", at, `. The agent is told to use its default: ${fallback.text}`, problem, 100);
  return make("If you say nothing: ", fallback.text, `, at ${at}.`, problem, share);
}

/** Who did a step: "you", "the agent". */
export function byWords(by: string): string {
  const kind = by.split(":", 1)[0] ?? "";
  switch (kind) {
    case "host":
    case "device": return "you";
    case "agent": return "the agent";
    case "timer": return "the clock";
    case "": return "nobody knows";
    default: return `the ${kind}`;
  }
}

export function isPerson(by: string): boolean {
  return by === "host" || by.startsWith("device:");
}

export interface EndWords {
  icon: string;
  /** "Answered by you". */
  head: string;
  /** The answer, the reason; may be empty. */
  rest: string;
  /** The sentence of the chat that showed it; outside text. */
  proof: string | null;
}

/** How a question ended. */
export function endWords(question: Question, clock: Clock): EndWords {
  const last = question.history[question.history.length - 1];
  if (last === undefined) return { icon: "info", head: "Closed", rest: "", proof: null };
  return { ...endOf(question, last, clock), proof: last.proof ?? null };
}

function endOf(question: Question, last: QuestionStep, clock: Clock): Omit<EndWords, "proof"> {
  const late = last.late === true ? "Late. " : "";
  switch (last.state) {
    case "answered": {
      const where = question.answer?.by === last.by && question.answer.delivery == null && isPerson(last.by) && /terminal/.test(last.why) ? " in the terminal" : "";
      return { icon: last.by === "chief" ? "chief" : "check", head: `Answered by ${byWords(last.by)}${where}`, rest: answerWords(question) };
    }
    case "resolved":
      return last.by === "checker" ? { icon: "eye", head: "Closed by the checker", rest: last.why } : { icon: "checks", head: `Resolved by ${byWords(last.by)}`, rest: last.why };
    case "superseded": return { icon: "refresh", head: "Replaced by a newer question", rest: last.why };
    case "default": {
      const dueMs = question.default?.due_at_ms ?? null;
      const by = dueMs === null ? "" : ` by ${clock(dueMs)}`;
      return { icon: "clock", head: "Default used", rest: `${late}You did not answer${by}. It was told to use its default${question.default == null ? "" : `: “${question.default.text}”`}.` };
    }
    case "skipped": return { icon: "right", head: `Skipped by ${byWords(last.by)}`, rest: `Skipping is not approval.${question.source === "policy" ? "" : " The agent is told so."}` };
    case "dismissed": return { icon: "close", head: `Dismissed by ${byWords(last.by)}`, rest: "Nothing was sent to the agent." };
    case "expired": return { icon: "off", head: "It cannot be answered any more", rest: last.why };
    case "open": return { icon: "undo", head: "Open", rest: "" };
    default: return { icon: "info", head: "Closed", rest: (last as QuestionStep).why };
  }
}

/** The answer that won: “Per tenant”, with the note. */
export function answerWords(question: Question): string {
  const { answer } = question;
  if (answer == null) return "";
  const labels = chosenLabels(question);
  const text = answer.text ?? "";
  if (labels.length === 0) return text === "" ? "" : `“${text}”`;
  return `“${labels.join("”, “")}”${text === "" ? "" : `, with the note “${text}”`}`;
}

/** The options that were chosen, by their labels. */
export function chosenLabels(question: Question): string[] {
  const said = question.answer?.option ?? "";
  if (said === "") return [];
  const label = (key: string): string | undefined => question.options.find((option) => option.key === key)?.label;
  const whole = label(said);
  return whole === undefined ? said.split(", ").map((key) => label(key) ?? key) : [whole];
}

/** One step of the history, as the start of a sentence. */
export function stepWords(step: QuestionStep): string {
  const by = byWords(step.by);
  const words: Readonly<Record<string, string>> = {
    open: step.by.startsWith("agent") ? "Asked" : step.by === "policy" ? "Asked by the policy" : `Opened again by ${by}`, answered: `Answered by ${by}`, resolved: `Closed by ${by}`,
    superseded: "Replaced by a newer question", default: "Default used", skipped: `Skipped by ${by}`, dismissed: `Dismissed by ${by}`, expired: "Expired",
  };
  return `${words[step.state] ?? "Changed"}${step.late === true ? ", late" : ""}`;
}

/** Whether it can be taken back now. */
export function canUndo(question: Question, nowMs: number): boolean {
  const until = question.undo_until_ms ?? null;
  return until !== null && (until === 0 || until > nowMs);
}

/** For the ear: a question that came, or one that ended. */
export function newsWords(question: Question, agentName: string, clock: Clock): string {
  if (question.state !== "open") return `${endWords(question, clock).head}: ${question.question}`;
  return `${question.blocking ? "New blocking question" : "New question"} from ${agentName}: ${question.question}`;
}
