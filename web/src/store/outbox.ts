/**
 * Messages of this device on their way to the hub: what is kept of each, and what happens next.
 *
 * Pure. A message has one id from the moment it is written until the hub has it: asked twice with it, it is one
 * message. Until the hub has accepted it, it lives here (and on this device's disk); after that the hub's own
 * `Message` says what becomes of it. What must never happen: a message that vanishes, and one that goes as two.
 *
 * Times are the hub's, in ms: the clock of a phone may be wrong.
 */
import type { Message, MessageState, SendMessage } from "../api/types";

/** A file of a message. Its bytes lie in the store `bytes` under `id`; `uploadId` is set when the hub has them. */
export interface OutFile {
  id: string;
  name: string;
  size: number;
  type: string;
  uploadId?: string;
}

/** A file that the hub knows already (a message that is sent again): nothing of it has to be uploaded. */
export interface Quote {
  author: string;
  text: string;
}

/**
 * `saved`: on this device, to be tried at `nextMs`; `why` says what the last try met. `sending`: on its way, `done`
 * of `total` bytes of its files. `accepted`: the hub has it. `refused`: the hub said no, only a person goes on.
 */
export type OutState =
  | { kind: "saved"; nextMs: number; why?: string }
  | { kind: "sending"; done?: number; total?: number }
  | { kind: "accepted"; atMs: number; state: MessageState }
  | { kind: "refused"; code: string; why: string };

export interface OutMessage {
  id: string;
  chatId: string;
  agentId: string;
  text: string;
  when: "idle" | "now";
  onDraft: "wait" | "after" | "replace";
  files: readonly OutFile[];
  madeMs: number;
  /** When it was tried first since a person last asked for it; null: not yet. */
  triedMs: number | null;
  tries: number;
  state: OutState;
}

export type OutEvent =
  | { type: "try" }
  | { type: "progress"; done: number; total: number }
  | { type: "uploaded"; fileId: string; uploadId: string }
  | { type: "accepted"; state: MessageState }
  /** Nothing or nothing useful came back: it is tried again by itself. */
  | { type: "lost"; why: string; afterMs?: number }
  | { type: "refused"; code: string; why: string }
  /** Uploads are not on the hub any more: their bytes go again. */
  | { type: "uploads_gone" }
  /** A person asks for it, or the link came back: now, whatever the waits were. */
  | { type: "again"; isPerson: boolean };

/** After this time without an answer a person is offered to try again at once. */
export const RETRY_AFTER_MS = 3 * 60_000;
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];
/** An accepted message stays here for so long at most: by then the chat itself shows it. */
export const KEPT_MS = 10 * 60_000;

export function newMessage(
  parts: Pick<OutMessage, "id" | "chatId" | "agentId" | "text" | "when" | "onDraft" | "files">,
  nowMs: number,
): OutMessage {
  return { ...parts, madeMs: nowMs, triedMs: null, tries: 0, state: { kind: "saved", nextMs: 0 } };
}

/** The message after one event. `random` in [0, 1) spreads the waits of many devices. */
export function step(message: OutMessage, event: OutEvent, nowMs: number, random: number): OutMessage {
  switch (event.type) {
    case "try":
      return { ...message, triedMs: message.triedMs ?? nowMs, tries: message.tries + 1, state: { kind: "sending" } };
    case "progress":
      if (message.state.kind !== "sending") return message;
      return { ...message, state: { kind: "sending", done: event.done, total: event.total } };
    case "uploaded":
      return {
        ...message,
        files: message.files.map((file) => (file.id === event.fileId ? { ...file, uploadId: event.uploadId } : file)),
      };
    case "accepted":
      return { ...message, state: { kind: "accepted", atMs: nowMs, state: event.state } };
    case "lost":
      if (message.state.kind === "accepted") return message;
      return {
        ...message,
        state: { kind: "saved", nextMs: nowMs + Math.max(event.afterMs ?? 0, waitMs(message.tries, random)), why: event.why },
      };
    case "refused":
      if (message.state.kind === "accepted") return message;
      return { ...message, state: { kind: "refused", code: event.code, why: event.why } };
    case "uploads_gone":
      return {
        ...message,
        files: message.files.map(({ uploadId: _, ...file }) => file),
        state: { kind: "saved", nextMs: nowMs, why: "Its files have to be uploaded again." },
      };
    case "again":
      if (message.state.kind === "accepted" || (message.state.kind === "refused" && !event.isPerson)) return message;
      return {
        ...message,
        ...(event.isPerson ? { triedMs: null, tries: 0 } : {}),
        state: { kind: "saved", nextMs: nowMs },
      };
  }
}

function waitMs(tries: number, random: number): number {
  const wait = WAITS_MS[Math.min(Math.max(tries - 1, 0), WAITS_MS.length - 1)] ?? 30_000;
  return wait * (0.75 + random / 2);
}

/**
 * What is to be done next: at most one message of a chat at a time, in the order in which they were written, so that
 * they arrive in it. One that was refused holds up nobody. Null: nothing now; `atMs`: look again then.
 */
export function next(all: Iterable<OutMessage>, nowMs: number): { message: OutMessage | null; atMs: number | null } {
  const first = new Map<string, OutMessage>();
  for (const message of inOrder(all)) {
    const isOpen = message.state.kind === "saved" || message.state.kind === "sending";
    if (isOpen && !first.has(message.chatId)) first.set(message.chatId, message);
  }
  let atMs: number | null = null;
  for (const message of first.values()) {
    if (message.state.kind !== "saved") continue;
    if (message.state.nextMs <= nowMs) return { message, atMs: null };
    atMs = Math.min(atMs ?? Infinity, message.state.nextMs);
  }
  return { message: null, atMs };
}

/** The message as the last one of its chat: a clock that was set right must not change their order. */
export function behind(all: Iterable<OutMessage>, message: OutMessage): OutMessage {
  const last = [...all].filter((one) => one.chatId === message.chatId && one.id !== message.id).map((one) => one.madeMs);
  const newest = Math.max(-Infinity, ...last);
  return message.madeMs > newest ? message : { ...message, madeMs: newest + 1 };
}

export function inOrder(all: Iterable<OutMessage>): OutMessage[] {
  return [...all].sort((one, other) => one.madeMs - other.madeMs || (one.id < other.id ? -1 : 1));
}

/** Messages that a page which was closed left as being sent: nobody sends them now. */
export function takenUp(message: OutMessage, nowMs: number): OutMessage {
  return message.state.kind === "sending" ? { ...message, state: { kind: "saved", nextMs: nowMs } } : message;
}

/** Whether its row here has done its work: the hub has it, and told what it is. */
export function isDone(message: OutMessage, nowMs: number): boolean {
  return message.state.kind === "accepted" && nowMs - message.state.atMs > KEPT_MS;
}

/** Whether a person may ask for another try now. */
export function mayRetry(message: OutMessage, nowMs: number): boolean {
  switch (message.state.kind) {
    case "refused":
      return true;
    case "accepted":
      return false;
    default:
      return message.triedMs !== null && nowMs - message.triedMs >= RETRY_AFTER_MS;
  }
}

/** The body of the request; its files must have been uploaded. */
export function bodyOf(message: OutMessage): SendMessage {
  return {
    id: message.id,
    text: message.text,
    ...(message.when === "idle" ? {} : { when: message.when }),
    ...(message.onDraft === "wait" ? {} : { on_draft: message.onDraft }),
    ...(message.files.length === 0 ? {} : { attachments: message.files.map((file) => file.uploadId ?? "") }),
  };
}

/** The text with what it quotes above it, as the agent reads it. */
export function withQuote(text: string, quote: Quote | null): string {
  if (quote === null) return text;
  const quoted = quote.text.trim().split("\n").map((row) => (row === "" ? ">" : `> ${row}`)).join("\n");
  return `${quoted}\n\n${text}`;
}

/** What the hub's answer to a try means. */
export function eventOf(refusal: { code: string; text: string; retryAfterMs?: number }, hasFiles: boolean): OutEvent {
  switch (refusal.code) {
    case "unreachable":
    case "garbage":
    case "aborted":
    case "offline":
    case "failed":
    case "busy":
    case "too_many":
    case "not_paired":
    case "locked":
      return {
        type: "lost",
        why: refusal.text,
        ...(refusal.retryAfterMs === undefined ? {} : { afterMs: refusal.retryAfterMs }),
      };
    case "not_found":
      if (hasFiles && refusal.text.startsWith("attachments:")) return { type: "uploads_gone" };
  }
  return { type: "refused", code: refusal.code, why: refusal.text };
}

/** Messages of one chat that only this device can show: all that `shown` (ids of messages in the chat) does not. */
export function toShow(all: Iterable<OutMessage>, chatId: string, shown: ReadonlySet<string>): OutMessage[] {
  return inOrder(all).filter((message) => message.chatId === chatId && !shown.has(message.id));
}

/** Messages of a chat that the hub holds and that were not typed yet, oldest first. */
export function waiting(messages: Iterable<Message>, chatId: string): Message[] {
  return [...messages]
    .filter((message) => message.chat_id === chatId && message.state === "accepted")
    .sort((one, other) => one.created_at_ms - other.created_at_ms);
}
