/**
 * What was begun to be written, for each chat of this device: text, a quote, and files that were not sent. An answer to a
 * question is one too, under the question's id.
 *
 * Pure. A draft is never dropped silently: when there is no room for another one, the person is told which would
 * have to go, and decides. Until then the new one lives in the page only.
 */
import type { OutFile, Quote } from "./outbox";

export interface Draft {
  chatId: string;
  agentId: string;
  text: string;
  quote: Quote | null;
  /** Bytes lie in the store `bytes` under each file's id. */
  files: readonly OutFile[];
  changedMs: number;
}

export const MOST_DRAFTS = 64;
export const MOST_BYTES = 128_000_000;
/** A pasted text longer than this becomes a file that can be seen. */
export const LONG_PASTE = 5_000;
export const PASTED_NAME = "pasted-text.txt";

export function emptyDraft(chatId: string, agentId: string): Draft {
  return { chatId, agentId, text: "", quote: null, files: [], changedMs: 0 };
}

/** Whether something that was kept as text is a draft. */
export function isDraft(value: unknown): value is Draft {
  const draft = value as Partial<Draft> | null;
  return typeof draft === "object" && draft !== null && typeof draft.chatId === "string" && typeof draft.agentId === "string"
    && typeof draft.text === "string" && typeof draft.changedMs === "number" && Array.isArray(draft.files);
}

export function isEmpty(draft: Draft): boolean {
  return draft.text.trim() === "" && draft.files.length === 0 && draft.quote === null;
}

/** Whether there is something that could be sent. */
export function isSendable(draft: Draft): boolean {
  return draft.text.trim() !== "" || draft.files.length > 0;
}

export function sizeOf(draft: Draft): number {
  const text = draft.text.length + (draft.quote?.text.length ?? 0);
  return 2 * text + draft.files.reduce((sum, file) => sum + file.size, 0);
}

/** Whether a draft can be kept beside the others; if not, why, and which one is the oldest. */
export type Fit = { fits: true } | { fits: false; why: "count" | "bytes"; oldest: Draft | null };

export function fit(others: Iterable<Draft>, draft: Draft): Fit {
  const rest = [...others].filter((other) => other.chatId !== draft.chatId && !isEmpty(other));
  const oldest = rest.reduce<Draft | null>((found, one) => (found === null || one.changedMs < found.changedMs ? one : found), null);
  if (isEmpty(draft)) return { fits: true };
  if (rest.length >= MOST_DRAFTS) return { fits: false, why: "count", oldest };
  const bytes = rest.reduce((sum, one) => sum + sizeOf(one), sizeOf(draft));
  return bytes > MOST_BYTES ? { fits: false, why: "bytes", oldest } : { fits: true };
}

/** What was typed before the disk told what stood there already: nothing of either is lost. */
export function behindKept(kept: Draft, typed: Draft): Draft {
  return {
    ...typed,
    text: [kept.text.trimEnd(), typed.text].filter((part) => part !== "").join("\n"),
    quote: typed.quote ?? kept.quote,
    files: [...kept.files, ...typed.files],
    changedMs: Math.max(kept.changedMs, typed.changedMs) + 1,
  };
}

/** What was shared to the app, as a draft behind what stands there already. */
export function withShared(draft: Draft, shared: { title: string; text: string; url: string }, files: readonly OutFile[], nowMs: number): Draft {
  const parts = [shared.title, shared.text, shared.url].map((part) => part.trim());
  const said = parts.filter((part, at) => part !== "" && parts.indexOf(part) === at);
  const rest = said.filter((part) => !said.some((other) => other !== part && other.includes(part))).join("\n");
  return {
    ...draft,
    text: [draft.text.trimEnd(), rest].filter((part) => part !== "").join("\n"),
    files: [...draft.files, ...files],
    changedMs: nowMs,
  };
}

/** A name for a file that has none of its own, or one that another file of the draft has already. */
export function freeName(name: string, files: readonly OutFile[]): string {
  const taken = new Set(files.map((file) => file.name));
  if (!taken.has(name)) return name;
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let number = 2; ; number += 1) {
    const next = `${stem}-${number}${ending}`;
    if (!taken.has(next)) return next;
  }
}
