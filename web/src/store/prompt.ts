/**
 * A dialog that waits for a person: its parts, what is worth checking in it, and the machines of answering.
 *
 * The theory of answering. A dialog has an identity (`waiting.id`); an answer names it, so the hub can refuse one
 * that was given to another dialog. A try has one request id. States: `open` → `sending` → `taken` (the node has
 * typed it; the dialog leaves with the next news) or back to `open` with what was refused. What must never happen: a
 * card that vanishes because an answer was refused; an answer to a dialog that the person did not see; two tries at
 * once. Pure: times and ids come in with the events.
 */
import type { DialogOption, WaitingFor } from "../api/types";

// --- its parts -----------------------------------------------------------------------------------------

export interface PromptParts {
  /** The program's name of it: "Bash command". */
  over: string;
  /** What it wants, in our words. */
  title: string;
  /** The agent's reason, in its words; empty when there is none. */
  reason: string;
  /** What would be done, line by line as it stands on the screen. */
  command: readonly string[];
  /** The program's own last question; empty when there is none. */
  question: string;
}

const TITLES: readonly (readonly [RegExp, string])[] = [
  [/\bbash\b|command|shell|\bexec/i, "Wants to run a command"],
  [/^(edit|update|change)|\bedits?\b/i, "Wants to edit a file"],
  [/^(create|write|overwrite)/i, "Wants to write a file"],
  [/^read\b/i, "Wants to read a file"],
  [/fetch|web ?search|\burl\b/i, "Wants to reach the web"],
  [/^notebook/i, "Wants to edit a notebook"],
  [/mcp|tool use|\btool\b/i, "Wants to use a tool"],
];

/** The parts of a dialog. Nothing of its text is left out: each line with words stands in exactly one part. */
export function promptParts(waiting: Pick<WaitingFor, "kind" | "text">): PromptParts {
  const lines = waiting.text.replace(/\r\n?/g, "\n").split("\n");
  const filled = lines.map((line, at) => (line.trim() === "" ? -1 : at)).filter((at) => at >= 0);
  const first = filled[0];
  if (first === undefined) return { over: "", title: titleOf(waiting.kind, ""), reason: "", command: [], question: "" };
  if (waiting.kind !== "permission") return otherParts(waiting.kind, lines, first);
  const over = lines[first]?.trim() ?? "";
  const last = filled[filled.length - 1] ?? first;
  const hasQuestion = last > first && /[?？:]\s*$/.test(lines[last] ?? "");
  const inner = lines.slice(first + 1, hasQuestion ? last : lines.length);
  const question = hasQuestion ? (lines[last]?.trim() ?? "") : "";
  const { reason, command } = reasonAndCommand(inner);
  return { over, title: titleOf(waiting.kind, over), reason, command, question };
}

/** A picker, plan or the like: its first line is the question, all else is shown as it stands. */
function otherParts(kind: string, lines: readonly string[], first: number): PromptParts {
  const head = lines[first]?.trim() ?? "";
  return { over: OVERS[kind] ?? "Prompt", title: head, reason: "", command: block(lines.slice(first + 1)), question: "" };
}

const OVERS: Readonly<Record<string, string>> = { picker: "Choice", plan: "Plan", startup: "Start-up", limit: "Limit" };

/**
 * What a picker says beside its options ("Pears: they bruise soonest"), by the option's key; `rest` is what is left of
 * the text. A line belongs to an option when it begins with its whole label.
 */
export function optionNotes(
  waiting: Pick<WaitingFor, "kind" | "options">, command: readonly string[],
): { notes: ReadonlyMap<string, string>; rest: readonly string[] } {
  const notes = new Map<string, string>();
  if (waiting.kind !== "picker") return { notes, rest: command };
  const rest = command.filter((line) => {
    const option = waiting.options?.find((one) => !notes.has(one.key) && line.trim().startsWith(`${one.label}: `));
    if (option !== undefined) notes.set(option.key, line.trim().slice(option.label.length + 2));
    return option === undefined;
  });
  return { notes, rest: block(rest) };
}

/** Lines that stand at the margin beside an indented block are the reason; without one all is the command. */
function reasonAndCommand(lines: readonly string[]): { reason: string; command: readonly string[] } {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const margin = Math.min(...indents);
  const isMixed = indents.some((indent) => indent >= margin + 2) && indents.some((indent) => indent === margin);
  if (!isMixed) return { reason: "", command: block(lines) };
  // The command is one run that begins indented: what stands at the margin inside of it (a here-document) is its own.
  const isIn = (line: string): boolean => line.trim() !== "" && line.length - line.trimStart().length >= margin + 2;
  const from = lines.findIndex(isIn);
  let to = from;
  lines.forEach((line, at) => {
    if (isIn(line)) to = at;
  });
  const around = [...lines.slice(0, from), ...lines.slice(to + 1)].map((line) => line.trim()).filter((line) => line !== "");
  return { reason: around.join("\n"), command: block(lines.slice(from, to + 1)) };
}

/** Without blank lines at its ends and without the indent that all its lines share. */
function block(lines: readonly string[]): readonly string[] {
  const filled = lines.map((line, at) => (line.trim() === "" ? -1 : at)).filter((at) => at >= 0);
  if (filled.length === 0) return [];
  const part = lines.slice(filled[0], (filled[filled.length - 1] ?? 0) + 1);
  const indent = Math.min(...part.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length));
  return part.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)).trimEnd());
}

function titleOf(kind: string, over: string): string {
  switch (kind) {
    case "permission": return TITLES.find(([words]) => words.test(over))?.[1] ?? over;
    case "plan": return "Wants you to approve its plan";
    case "picker": return "Wants you to choose";
    case "startup": return "Asks before it starts";
    case "limit": return "Reached a limit";
    default: return "Waits for you";
  }
}

// --- what is worth checking ----------------------------------------------------------------------------

export interface Check {
  /** `risk`: cannot be undone, leaks, or publishes. `calm`: only good to know. */
  level: "risk" | "calm";
  text: string;
  /** The words in the command, to show and to mark. Empty for what is no part of it. */
  words: string;
}

const RISKS: readonly (readonly [string, RegExp])[] = [
  ["Deletes files", /\brm\s+(?:-{1,2}[\w-]+\s+)*(?:-\w*[rf]\w*|--recursive|--force)\b[^\n;&|]*/i],
  ["Deletes files", /\bfind\b[^\n;|]*\s-delete\b|\bshred\b[^\n;&|]*|\bgit\s+clean\s+-\w*[fdx][^\n;&|]*/i],
  ["Deletes rows", /\bdelete\s+from\s+[\w."[\]]+/i],
  ["Deletes tables", /\b(?:drop|truncate)\s+(?:table|database|schema|index|view)?\s*(?:if\s+exists\s+)?[\w."[\]]+/i],
  ["Throws work away", /\bgit\s+(?:reset\s+--hard|checkout\s+(?:--\s+)?\.|restore\s+\.|stash\s+(?:drop|clear)|branch\s+-D)[^\n;&|]*/],
  ["Rewrites history for others", /\bgit\s+push\b[^\n;&|]*(?:--force(?:-with-lease)?|\s-f)\b[^\n;&|]*/],
  ["Publishes", /\bgit\s+push\b[^\n;&|]*|\b(?:npm|pnpm|yarn|cargo|poetry)\s+publish\b[^\n;&|]*|\btwine\s+upload\b[^\n;&|]*|\bdocker\s+push\b[^\n;&|]*|\bgh\s+(?:release\s+create|pr\s+(?:create|merge))\b[^\n;&|]*/],
  ["Changes running systems", /\b(?:kubectl|helm|terraform|pulumi|ansible-playbook|systemctl|docker\s+(?:rm|system\s+prune|volume\s+rm))\s+(?:apply|delete|destroy|uninstall|upgrade|up|stop|restart|disable|rm|prune|[-\w./]+\.ya?ml)[^\n;&|]*/],
  ["Writes to a disk directly", /\b(?:mkfs(?:\.\w+)?|dd)\s[^\n;&|]*/],
  ["Runs as administrator", /\b(?:sudo|doas)\s+[^\n;&|]*/],
  ["Runs what it downloads", /\b(?:curl|wget)\b[^\n;]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/],
  ["Sends a secret", /\$\{?\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|CREDENTIALS?)\w*\}?/i],
  ["Reads secrets", /(?:~|\$HOME)?\/?\.(?:ssh|aws|gnupg|netrc|kube|docker\/config)\b[^\s;&|]*|\b(?:id_rsa|id_ed25519|\.env)\b/],
  ["Sends data out", /\bcurl\b[^\n;|]*\s(?:-d|--data(?:-\w+)?|-F|--form|-T|--upload-file|-X\s*(?:POST|PUT|PATCH|DELETE))\b[^\n;|]*|\b(?:scp|sftp|rsync)\s[^\n;&|]*:[^\n;&|]*/],
  ["Lets anybody in", /\bchmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx?)\b[^\n;&|]*/],
];

const SHOWN_WORDS = 120;
const LONG_COMMAND = 600;

/**
 * What a person should look at before they answer. It finds the plain cases; that nothing is found says nothing.
 * `hidden`: whether the command holds characters that cannot be seen.
 */
export function worthChecking(command: readonly string[], hidden: boolean): Check[] {
  const text = command.join("\n");
  const found: Check[] = [];
  for (const [what, pattern] of RISKS) {
    const match = pattern.exec(text);
    const words = match?.[0].trim() ?? "";
    if (match === null || found.some((check) => check.text === what || check.words === words)) continue;
    if (what === "Publishes" && found.some((check) => check.text.startsWith("Rewrites"))) continue;
    found.push({ level: "risk", text: what, words });
  }
  if (hidden) found.push({ level: "risk", text: "Holds characters that cannot be seen; they are written out below", words: "" });
  if (text.length > LONG_COMMAND) {
    found.push({ level: "calm", text: `${text.length.toLocaleString("en-US")} characters, shown whole below.`, words: "" });
  }
  return found;
}

/** The words of a check for its line, never longer than a line or two. The command itself is never shortened. */
export function shownWords(check: Check): string {
  return check.words.length > SHOWN_WORDS ? `${check.words.slice(0, SHOWN_WORDS)}…` : check.words;
}

/** A line cut into what is marked and what is not; joined, the parts are the line. */
export function markLine(line: string, checks: readonly Check[]): { text: string; isMarked: boolean }[] {
  const spans: [number, number][] = [];
  for (const check of checks) {
    if (check.level !== "risk" || check.words === "") continue;
    for (const words of check.words.split("\n")) {
      const at = words.trim() === "" ? -1 : line.indexOf(words.trim());
      if (at >= 0) spans.push([at, at + words.trim().length]);
    }
  }
  spans.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const parts: { text: string; isMarked: boolean }[] = [];
  let done = 0;
  for (const [from, to] of spans) {
    if (from < done) continue;
    if (from > done) parts.push({ text: line.slice(done, from), isMarked: false });
    parts.push({ text: line.slice(from, to), isMarked: true });
    done = to;
  }
  if (done < line.length || parts.length === 0) parts.push({ text: line.slice(done), isMarked: false });
  return parts;
}

// --- its options ---------------------------------------------------------------------------------------

const TAKES_WORDS = /^(?:type something\b|tell claude what to change|other\b.*\btype|no, and (?:tell|say)\b)/i;
const NEEDS_WORDS = /^(?:type something\b|tell claude what to change)/i;
const REFUSES = /^(?:no\b|cancel|esc\b|reject|deny|don.t\b(?! ask)|stop\b|go back|back\b|keep\b|not now)/i;

export type OptionLook = "risky" | "refuses" | "plain";

export function lookOf(option: DialogOption): OptionLook {
  if (option.risky) return "risky";
  return REFUSES.test(option.label) ? "refuses" : "plain";
}

/**
 * Whether an answer has to be held: the node says so, or it lets something happen that cannot be undone, leaks or
 * publishes. A refusal never has to be.
 */
export function isHeld(option: DialogOption, checks: readonly Check[]): boolean {
  const look = lookOf(option);
  return look === "risky" || (look === "plain" && checks.some((check) => check.level === "risk"));
}

/** Whether choosing it alone answers nothing: it wants a text first. */
export function needsWords(option: DialogOption, waiting: Pick<WaitingFor, "free_text">): boolean {
  return waiting.free_text === true && NEEDS_WORDS.test(option.label);
}

/** The option that a text alone belongs to, for its placeholder; null: the dialog decides. */
export function optionForWords(waiting: Pick<WaitingFor, "options">): DialogOption | null {
  return waiting.options?.find((option) => TAKES_WORDS.test(option.label)) ?? null;
}

/** The option behind a number key, 1 to 9: by its place, as the card numbers them. */
export function optionAt(waiting: Pick<WaitingFor, "options">, number: number): DialogOption | null {
  return number >= 1 && number <= 9 ? (waiting.options?.[number - 1] ?? null) : null;
}

// --- the machine of an answer --------------------------------------------------------------------------

export interface Choice {
  /** Keys of the options, several where the dialog takes several. */
  options: readonly string[];
  text: string | null;
  /** How the person sees it: "Yes, once". */
  label: string;
}

export type Trouble =
  /** The dialog was another one by then; nothing was typed. */
  | { kind: "changed" }
  | { kind: "refused"; code: string; text: string }
  /** The link broke before the hub said what became of it. */
  | { kind: "unsure" };

export type AnswerState =
  | { at: "open"; waitingId: string; trouble: Trouble | null; shownMs: number }
  | { at: "sending"; waitingId: string; choice: Choice; requestId: string; shownMs: number }
  | { at: "taken"; waitingId: string; choice: Choice; takenMs: number; shownMs: number }
  | { at: "closed" };

export type AnswerEvent =
  /** What the agent waits for, as the fleet says now; null: nothing. */
  | { type: "shown"; waitingId: string | null; atMs: number }
  | { type: "chosen"; choice: Choice; requestId: string }
  | { type: "done"; requestId: string; atMs: number }
  | { type: "refused"; requestId: string; code: string; text: string }
  /** The person has read what went wrong. */
  | { type: "understood" };

export const CLOSED: AnswerState = { at: "closed" };
/** When an answer was taken and the dialog still stands after this time, it can be answered again. */
export const STILL_THERE_MS = 15_000;

export function stepAnswer(state: AnswerState, event: AnswerEvent): AnswerState {
  switch (event.type) {
    case "shown":
      return shown(state, event.waitingId, event.atMs);
    case "chosen":
      if (state.at !== "open") return state; // one try at a time
      return { at: "sending", waitingId: state.waitingId, choice: event.choice, requestId: event.requestId, shownMs: state.shownMs };
    case "done":
      if (state.at !== "sending" || state.requestId !== event.requestId) return state;
      return { at: "taken", waitingId: state.waitingId, choice: state.choice, takenMs: event.atMs, shownMs: state.shownMs };
    case "refused":
      if (state.at !== "sending" || state.requestId !== event.requestId) return state;
      return { at: "open", waitingId: state.waitingId, trouble: troubleOf(event.code, event.text), shownMs: state.shownMs };
    case "understood":
      return state.at === "open" && state.trouble !== null ? { ...state, trouble: null } : state;
  }
}

function shown(state: AnswerState, waitingId: string | null, atMs: number): AnswerState {
  if (waitingId === null) {
    // A try that is under way keeps its card: what became of it must be seen. Else the dialog is over.
    return state.at === "sending" ? state : CLOSED;
  }
  switch (state.at) {
    case "closed":
      return { at: "open", waitingId, trouble: null, shownMs: atMs };
    case "open":
      if (state.waitingId === waitingId) return state;
      // Another dialog stands there now. What was refused stays said: nothing was sent to this one either.
      return { at: "open", waitingId, trouble: state.trouble, shownMs: atMs };
    case "sending":
      return state; // what comes back decides; the hub compares the dialogs
    case "taken":
      if (state.waitingId !== waitingId) return { at: "open", waitingId, trouble: null, shownMs: atMs };
      if (atMs - state.takenMs < STILL_THERE_MS) return state;
      return { at: "open", waitingId, trouble: { kind: "refused", code: "still", text: "" }, shownMs: atMs };
  }
}

function troubleOf(code: string, text: string): Trouble {
  if (code === "changed") return { kind: "changed" };
  if (code === "unreachable" || code === "aborted" || code === "garbage") return { kind: "unsure" };
  return { kind: "refused", code, text };
}

/** What went wrong, in words: what happened, and what the person can do. */
export function troubleWords(trouble: Trouble, machine: string): string {
  if (trouble.kind === "changed") return "The prompt changed. Nothing was sent.";
  if (trouble.kind === "unsure") return "The connection broke before the answer was confirmed. Look at the prompt, then answer again.";
  switch (trouble.code) {
    case "still": return "The prompt still stands. Look at it in the terminal, or answer again.";
    case "offline": return `${machine} is not reachable. Nothing was sent.`;
    case "locked": return "This device is locked. Unlock it, then answer.";
    case "not_paired": return "This device is not paired any more. Nothing was sent.";
    case "not_allowed": return trouble.text === "" ? "This device has no right to answer prompts." : trouble.text;
    case "busy": return "Another answer is on its way. Nothing was sent.";
    case "too_many": return "Too many tries. Wait a moment, then answer again.";
    case "not_found": return "The agent is not there any more. Nothing was sent.";
    default: return trouble.text === "" ? "The answer was not taken." : `Not answered: ${trouble.text}`;
  }
}

// --- pressing ------------------------------------------------------------------------------------------

/** A card that appeared or moved this short a time ago ignores taps. */
export const SETTLE_MS = 600;
export const HOLD_MS = 900;
/** A press that moved further was a scroll. */
export const SCROLL_PX = 10;

/** Since when a thing stands where it stands. `top` is in the viewport's px. */
export interface Settled {
  key: string;
  top: number;
  sinceMs: number;
}

/** A look at the thing: another identity or another place begins its rest anew. */
export function settle(before: Settled | null, key: string, top: number, nowMs: number): Settled {
  if (before !== null && before.key === key && Math.abs(before.top - top) < 2) return before;
  return { key, top, sinceMs: nowMs };
}

export function isSettled(settled: Settled | null, nowMs: number): boolean {
  return settled !== null && nowMs - settled.sinceMs >= SETTLE_MS;
}

export type Press =
  | { at: "up" }
  | { at: "down"; x: number; y: number; sinceMs: number; isRisky: boolean }
  /** It did what it does, or was given up; nothing more until it is released. */
  | { at: "spent" };

export type PressEvent =
  | { type: "down"; x: number; y: number; atMs: number; isRisky: boolean; isSettled: boolean }
  | { type: "move"; x: number; y: number }
  | { type: "tick"; atMs: number }
  | { type: "up"; atMs: number }
  | { type: "cancel" };

/** `answer`: do it. `hint`: say "Hold to answer". `early`: it had only just appeared. */
export type PressOutcome = "answer" | "hint" | "early" | null;

export const UP: Press = { at: "up" };

/** One press of a pointer on an answer, from down to up. A risky one answers while it is held, any other when it is let go. */
export function stepPress(press: Press, event: PressEvent): [Press, PressOutcome] {
  switch (event.type) {
    case "down":
      if (!event.isSettled) return [{ at: "spent" }, "early"];
      return [{ at: "down", x: event.x, y: event.y, sinceMs: event.atMs, isRisky: event.isRisky }, null];
    case "move":
      if (press.at !== "down") return [press, null];
      return Math.hypot(event.x - press.x, event.y - press.y) > SCROLL_PX ? [{ at: "spent" }, null] : [press, null];
    case "tick":
      if (press.at !== "down" || !press.isRisky || event.atMs - press.sinceMs < HOLD_MS) return [press, null];
      return [{ at: "spent" }, "answer"];
    case "up":
      if (press.at !== "down") return [UP, null];
      if (!press.isRisky) return [UP, "answer"];
      return [UP, event.atMs - press.sinceMs >= HOLD_MS ? "answer" : "hint"];
    case "cancel":
      return [UP, null];
  }
}

/** How far a hold is, 0 to 100. */
export function heldShare(press: Press, nowMs: number): number {
  if (press.at !== "down" || !press.isRisky) return 0;
  return Math.max(0, Math.min(100, ((nowMs - press.sinceMs) / HOLD_MS) * 100));
}
