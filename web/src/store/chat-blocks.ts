/**
 * Items of a chat as what stands on the page: bubbles, quiet lines of work, cards, notices, day lines. Pure.
 *
 * Tool work between two bubbles is one line; failures are named in it. What shows of it depends on the settings of
 * taste, but failures, refusals and file changes show in each of them. A block whose items did not change is the same
 * object as before, so that its view need not be drawn again.
 */
import type { Item, Operation, Receipt } from "../api/types";
import { endMs, isUnderWay } from "./operations";
import type { Taste } from "./taste";

export type ChatBlock =
  | { t: "day"; key: string; atMs: number }
  | { t: "unread"; key: string }
  | { t: "mine" | "theirs" | "question" | "notice"; key: string; items: readonly [Item] }
  | { t: "result"; key: string; items: readonly [Item]; changes: readonly FileChange[] }
  | { t: "work"; key: string; items: readonly Item[]; endMs: number | null }
  | { t: "helpers"; key: string; items: readonly Item[]; endMs: number | null }
  /** Reasoning that is being written, open; what was thought before is part of the work. */
  | { t: "thought"; key: string; items: readonly [Item] }
  /** A question by command: no reply holds it. */
  | { t: "asked"; key: string; questionId: string }
  | { t: "receipt"; key: string; receipt: Receipt }
  /** One that is over: its receipt. */
  | { t: "operation"; key: string; operation: Operation };

export interface FileChange {
  path: string;
  added: number;
  removed: number;
}

export interface BlockOptions {
  tools: Taste["toolActivity"];
  reasoning: Taste["reasoning"];
  /** The line "New" stands before this item. */
  unreadId: string | null;
  /** Two times on the same day of this device. */
  isSameDay(one: number, other: number): boolean;
  /** Acts of people on this agent, oldest first. */
  receipts: readonly Receipt[];
  /** Operations on this agent. */
  operations?: readonly Operation[];
  /** These items begin with the first of the chat: what began it stands before them. */
  hasStart?: boolean;
  /** Questions that no item holds, by when they were asked, oldest first. */
  asked?: readonly { id: string; asked_at_ms: number }[];
  /** The agent works now and the window reaches its newest item: the last line of work still grows. */
  isRunning: boolean;
}

export function blocksOf(items: readonly Item[], options: BlockOptions, before: readonly ChatBlock[] = []): ChatBlock[] {
  const blocks: ChatBlock[] = [];
  const deeds = deedsOf(items, options);
  const asked = (options.asked ?? []).filter((question) => question.asked_at_ms >= (items[0]?.at_ms ?? Infinity));
  let group: { kind: "work" | "helpers"; items: Item[] } | null = null;
  let lastMs: number | null = null;
  let nextDeed = 0;
  let nextAsked = 0;
  const close = (endMs: number | null): void => {
    if (group !== null && group.items.length > 0) {
      const key = `${group.kind}:${group.items[0]?.id ?? ""}`;
      blocks.push({ t: group.kind, key, items: group.items, endMs });
    }
    group = null;
  };
  const day = (atMs: number): void => {
    if (lastMs === null || !options.isSameDay(lastMs, atMs)) {
      close(lastMs);
      blocks.push({ t: "day", key: `day:${atMs}`, atMs });
    }
    lastMs = atMs;
  };
  const askedBefore = (atMs: number): void => {
    for (let question = asked[nextAsked]; question !== undefined && question.asked_at_ms <= atMs; question = asked[++nextAsked]) {
      close(question.asked_at_ms);
      day(question.asked_at_ms);
      blocks.push({ t: "asked", key: `asked:${question.id}`, questionId: question.id });
    }
  };
  let turnStart = 0;
  items.forEach((item, at) => {
    askedBefore(item.at_ms);
    for (let deed = deeds[nextDeed]; deed !== undefined && deed.atMs <= item.at_ms; deed = deeds[++nextDeed]) {
      close(deed.atMs);
      day(deed.atMs);
      blocks.push(deed.block);
    }
    if (item.id === options.unreadId) {
      close(item.at_ms);
      day(item.at_ms);
      blocks.push({ t: "unread", key: "unread" });
    }
    const isLive = options.reasoning === "live" && options.isRunning && at === items.length - 1;
    const kind = kindOf(item, options, isLive);
    if (kind === null) return;
    if (kind === "work" || kind === "helpers") {
      if (group === null || group.kind !== kind) {
        close(item.at_ms);
        day(item.at_ms);
        group = { kind, items: [] };
      }
      group.items.push(item);
      return;
    }
    close(item.at_ms);
    day(item.at_ms);
    switch (kind) {
      case "thought":
        blocks.push({ t: "thought", key: item.id, items: [item] });
        break;
      case "result":
        blocks.push({ t: "result", key: item.id, items: [item], changes: changesOf(items.slice(turnStart, at)) });
        break;
      default:
        if (kind === "mine") turnStart = at + 1;
        blocks.push({ t: kind, key: item.id, items: [item] });
    }
  });
  if (nextAsked < asked.length) askedBefore(Infinity);
  close(options.isRunning ? null : lastEnd(items));
  for (const deed of deeds.slice(nextDeed)) {
    day(deed.atMs);
    blocks.push(deed.block);
  }
  return shared(blocks, before);
}

function kindOf(item: Item, options: BlockOptions, isLive: boolean): "mine" | "theirs" | "question" | "notice" | "result" | "work" | "helpers" | "thought" | null {
  switch (item.kind) {
    case "user": return "mine";
    case "message": return null; // not in the agent's file: the composer's part shows it
    case "assistant": return "theirs";
    case "question": return "question";
    case "result": return "result";
    case "notice":
    case "receipt": return item.text?.trim() ? "notice" : null;
    case "helper": return options.tools === "off" && !mustShow(item) ? null : "helpers";
    case "tool": return options.tools === "off" && !mustShow(item) ? null : "work";
    case "thinking": return options.reasoning === "off" ? null : isLive ? "thought" : "work";
    default: return (item as Item).text ? "notice" : null; // a kind that is newer than this app
  }
}

/** What shows in every setting: what failed, what a person refused, and what changed files. */
export function mustShow(item: Item): boolean {
  const tool = item.tool;
  if (!tool) return false;
  return tool.state === "failed" || tool.state === "refused" || (tool.changes?.length ?? 0) > 0;
}

interface Done {
  atMs: number;
  block: ChatBlock;
}

/** What was done to the agent in the time of these items, oldest first; typing is left to the Chief tab. */
function deedsOf(items: readonly Item[], options: BlockOptions): Done[] {
  const over = (options.operations ?? []).filter((operation) => !isUnderWay(operation)).map((operation) => ({ atMs: endMs(operation), operation }));
  const firstMs = items[0]?.at_ms ?? Infinity;
  const beganMs = options.hasStart === true ? Math.max(...over.filter((one) => BEGINNINGS.has(one.operation.kind) && one.operation.state === "delivered" && one.atMs <= firstMs).map((one) => one.atMs)) : -Infinity;
  const fromMs = Number.isFinite(beganMs) ? beganMs : firstMs;
  // What was done to a question stands on its card.
  const receipts = options.receipts.filter((receipt) => receipt.at_ms >= firstMs && RECEIPTS.has(receipt.what) && receipt.question_id == null);
  return [
    ...receipts.map((receipt): Done => ({ atMs: receipt.at_ms, block: { t: "receipt", key: `receipt:${receipt.id}`, receipt } })),
    ...over.filter((one) => one.atMs >= fromMs).map(({ atMs, operation }): Done => ({ atMs, block: { t: "operation", key: `operation:${operation.id}`, operation } })),
  ].sort((one, other) => one.atMs - other.atMs);
}

/** Of an agent that has left the list: what was done before a fresh session took the place of this chat, whose last word is of then. */
export function inChat(operations: readonly Operation[], lastMs: number | undefined): Operation[] {
  const next = Math.min(...operations.filter((one) => one.kind === "fresh" && one.state === "delivered" && endMs(one) > (lastMs ?? Infinity)).map(endMs));
  return operations.filter((one) => endMs(one) < next);
}

/** They begin a chat. */
const BEGINNINGS: ReadonlySet<string> = new Set(["start", "fresh"] satisfies Operation["kind"][]);

const RECEIPTS = new Set(["answer", "interrupt", "hide", "show"]);

function lastEnd(items: readonly Item[]): number | null {
  return items[items.length - 1]?.at_ms ?? null;
}

function shared(blocks: readonly ChatBlock[], before: readonly ChatBlock[]): ChatBlock[] {
  const old = new Map(before.map((block) => [block.key, block]));
  return blocks.map((block) => {
    const was = old.get(block.key);
    return was !== undefined && isSame(was, block) ? was : block;
  });
}

function isSame(a: ChatBlock, b: ChatBlock): boolean {
  if (a.t !== b.t) return false;
  if ("items" in a && "items" in b) {
    if (a.items.length !== b.items.length || !a.items.every((item, at) => item === b.items[at])) return false;
  }
  if ("endMs" in a && "endMs" in b && a.endMs !== b.endMs) return false;
  if (a.t === "asked" && b.t === "asked") return a.questionId === b.questionId;
  if (a.t === "receipt" && b.t === "receipt") return a.receipt === b.receipt;
  if (a.t === "operation" && b.t === "operation") return a.operation === b.operation;
  if (a.t === "result" && b.t === "result") {
    return a.changes.length === b.changes.length && a.changes.every((one, at) => {
      const other = b.changes[at];
      return one.path === other?.path && one.added === other.added && one.removed === other.removed;
    });
  }
  return true;
}

// --- what work was done --------------------------------------------------------------------------------

export interface WorkSummary {
  /** "Read 14 files, ran 9 commands, edited 3 files". */
  text: string;
  /** The title of what runs now; `text` then says what came before. */
  running: string | null;
  /** "1 command failed", "2 were refused"; empty when all went well. */
  troubles: readonly string[];
  changes: readonly FileChange[];
}

type Deed = "read" | "command" | "edit" | "search" | "web" | "plan" | "other";

const DEEDS: readonly (readonly [RegExp, Deed])[] = [
  [/^(?:bash|shell|exec|exec_command|local_shell|bashoutput|killshell|write_stdin|terminal)$/i, "command"],
  [/^(?:edit|multiedit|write|notebookedit|apply_patch|update|create)$/i, "edit"],
  [/^(?:read|notebookread|view|view_image|cat|open)$/i, "read"],
  [/^(?:grep|glob|ls|search|find|toolsearch)$/i, "search"],
  [/^(?:webfetch|websearch|web_search|fetch)$/i, "web"],
  [/^(?:todowrite|update_plan|exitplanmode|enterplanmode|taskcreate|taskupdate)$/i, "plan"],
];

function deedOf(item: Item): Deed {
  const name = item.tool?.name ?? "";
  if ((item.tool?.changes?.length ?? 0) > 0) return "edit";
  return DEEDS.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}

/** One line about tools between two bubbles. */
export function workSummary(items: readonly Item[], isRunning: boolean): WorkSummary {
  const counts = new Map<Deed, Set<string>>();
  const failed = new Map<Deed, number>();
  let refused = 0;
  let running: string | null = null;
  for (const item of items) {
    const tool = item.tool;
    if (!tool) continue;
    const deed = deedOf(item);
    if (tool.state === "running" && isRunning) {
      running = tool.title;
      continue;
    }
    if (tool.state === "failed") failed.set(deed, (failed.get(deed) ?? 0) + 1);
    if (tool.state === "refused") refused += 1;
    const names = counts.get(deed) ?? new Set();
    // Files count once however often they were read or edited; everything else counts each time.
    const things = deed === "edit" && tool.changes ? tool.changes.map((change) => change.path) : deed === "read" || deed === "edit" ? [tool.title.replace(/^\S+ /, "")] : [item.id];
    for (const thing of things) names.add(thing);
    counts.set(deed, names);
  }
  const count = (deed: Deed): number => counts.get(deed)?.size ?? 0;
  const said = [
    count("read") > 0 ? `read ${many(count("read"), "file")}` : "",
    count("search") > 0 ? `searched ${times(count("search"))}` : "",
    count("command") > 0 ? `ran ${many(count("command"), "command")}` : "",
    count("edit") > 0 ? `edited ${many(count("edit"), "file")}` : "",
    count("web") > 0 ? `looked at ${many(count("web"), "page")}` : "",
    count("plan") > 0 ? "updated its plan" : "",
    count("other") > 0 ? `used ${many(count("other"), "other tool")}` : "",
  ].filter((words) => words !== "");
  if (said.length === 0 && running === null && items.some((item) => item.kind === "thinking")) said.push("reasoned");
  const troubles = [...failed].map(([deed, number]) => `${many(number, THINGS[deed])} failed`);
  if (refused > 0) troubles.push(`${many(refused, "step")} refused`);
  return { text: sentence(said.join(", ")), running, troubles, changes: changesOf(items) };
}

const THINGS: Readonly<Record<Deed, string>> = {
  read: "read", command: "command", edit: "edit", search: "search", web: "page", plan: "plan", other: "tool",
};

/** One line about helpers. */
export function helpersSummary(items: readonly Item[]): { text: string; troubles: readonly string[]; running: number } {
  const calls = items.filter((item) => item.tool);
  const running = calls.filter((item) => item.tool?.state === "running").length;
  const failed = calls.filter((item) => item.tool?.state === "failed" || item.tool?.state === "refused").length;
  const only = calls.length === 1 ? (calls[0]?.text ?? calls[0]?.tool?.title) : undefined;
  const text = only != null && only !== "" ? `Helper: ${only}`
    : calls.length > 0 ? many(calls.length, "helper")
    : sentence(items[0]?.text ?? many(items.length, "note") + " of helpers");
  return { text, troubles: failed > 0 ? [`${failed === calls.length && failed === 1 ? "" : `${failed} `}failed`] : [], running };
}

/** Lines that were added and removed, by file, in the order of the first change. */
export function changesOf(items: readonly Item[]): FileChange[] {
  const files = new Map<string, FileChange>();
  for (const item of items) {
    for (const change of item.tool?.changes ?? []) {
      const old = files.get(change.path);
      files.set(change.path, { path: change.path, added: (old?.added ?? 0) + change.added, removed: (old?.removed ?? 0) + change.removed });
    }
  }
  return [...files.values()];
}

/** The tools of the turn that ended with this item, for its diff: what changed files since the person spoke. */
export function editsBefore(items: readonly Item[], itemId: string): Item[] {
  const end = items.findIndex((item) => item.id === itemId);
  let start = end;
  while (start > 0 && items[start - 1]?.kind !== "user") start -= 1;
  return end < 0 ? [] : items.slice(start, end).filter((item) => (item.tool?.changes?.length ?? 0) > 0);
}

/** A message that is longer than this is folded at first: it would push everything else away. */
export const FOLD_FROM = 6000;
const FOLDED_TO = 2500;

/** The beginning of a very long text, cut at a line or word where there is one near; null: it is shown whole. */
export function foldedText(text: string): string | null {
  if (text.length <= FOLD_FROM) return null;
  const start = text.slice(0, FOLDED_TO);
  const line = start.lastIndexOf("\n");
  const word = start.lastIndexOf(" ");
  const at = line > FOLDED_TO / 2 ? line : word > FOLDED_TO / 2 ? word : /[\ud800-\udbff]$/.test(start) ? FOLDED_TO - 1 : FOLDED_TO;
  return start.slice(0, at);
}

function many(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : thing.endsWith("ch") ? "es" : "s"}`;
}

function times(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const BLOCK_START = /^[ \t>*_#-]*question for [^:：\n]{1,40}[:：]/im;

/** What a reply says before its first question; "" when it begins with it, or nothing tells where it begins. */
export function leadOf(text: string): string {
  const at = text.search(BLOCK_START);
  return at <= 0 ? "" : text.slice(0, at).trim();
}

/** The message as a quotation for the composer: each line behind a `>`, at most so many characters. */
export function quoted(text: string, limit = 2000): string {
  const shorter = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return `${shorter.trim().split("\n").map((line) => `> ${line}`.trimEnd()).join("\n")}\n\n`;
}
