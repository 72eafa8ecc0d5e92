/**
 * Receipts as people read them. Pure.
 */
import type { Receipt } from "../api/types";

/** What the act is called, as the start of a sentence, and its icon. */
const ACTS: Readonly<Record<string, { done: string; tried: string; icon: string }>> = {
  answer: { done: "Answered a prompt of", tried: "Tried to answer a prompt of", icon: "check" },
  keys: { done: "Typed into the terminal of", tried: "Tried to type into the terminal of", icon: "keyb" },
  "live keys": { done: "Typed into the terminal of", tried: "Tried to type into the terminal of", icon: "keyb" },
  interrupt: { done: "Stopped the turn of", tried: "Tried to stop the turn of", icon: "stop" },
  message: { done: "Wrote to", tried: "Tried to write to", icon: "send" },
  upload: { done: "Uploaded a file for", tried: "Tried to upload a file for", icon: "attach" },
  revoke: { done: "Revoked a device", tried: "Tried to revoke a device", icon: "shield" },
  pair: { done: "Paired a device", tried: "Tried to pair a device", icon: "phone" },
  start: { done: "Start of an agent", tried: "Tried to start an agent", icon: "plus" },
  restart: { done: "Restart of", tried: "Restart of", icon: "refresh" },
  fresh: { done: "Fresh session of", tried: "Fresh session of", icon: "fresh" },
  stop: { done: "Stop of", tried: "Stop of", icon: "stop" },
  close: { done: "Close of", tried: "Close of", icon: "close" },
  rename: { done: "Rename of", tried: "Rename of", icon: "edit" },
  move: { done: "Move of", tried: "Move of", icon: "move" },
  terminal: { done: "Opened a shell", tried: "Tried to open a shell", icon: "term" },
};

/** Acts on a question; its card says more. */
const QUESTION_ACTS: Readonly<Record<string, { done: string; tried: string; icon: string }>> = {
  answer: { done: "Answered a question of", tried: "Tried to answer a question of", icon: "check" },
  skip: { done: "Skipped a question of", tried: "Tried to skip a question of", icon: "right" },
  dismiss: { done: "Dismissed a question of", tried: "Tried to dismiss a question of", icon: "close" },
  undo: { done: "Opened a question again of", tried: "Tried to open a question again of", icon: "undo" },
  reopen: { done: "Reopened a question of", tried: "Tried to reopen a question of", icon: "undo" },
  resolve: { done: "Closed its own question:", tried: "Tried to close its own question:", icon: "checks" },
  supersede: { done: "Replaced a question of", tried: "Tried to replace a question of", icon: "refresh" },
  check: { done: "Closed a question of", tried: "Tried to close a question of", icon: "eye" },
  default: { done: "Used the default of", tried: "Tried to use the default of", icon: "clock" },
  expire: { done: "Let a question expire of", tried: "Tried to let a question expire of", icon: "off" },
};

export interface ReceiptWords {
  icon: string;
  /** What was done; the agent's name follows where there is one. */
  what: string;
  /** Refused or failed: its icon is red, and the code stands with it. */
  isBad: boolean;
  by: string;
}

export function wordsOf(receipt: Receipt): ReceiptWords {
  const isBad = receipt.code !== "ok";
  const act = (receipt.question_id == null ? ACTS : QUESTION_ACTS)[receipt.what];
  const known = act === undefined ? null : isBad ? act.tried : act.done;
  return {
    icon: isBad ? "warn" : act?.icon ?? "shield",
    what: known ?? `${receipt.what.slice(0, 1).toUpperCase()}${receipt.what.slice(1)}${receipt.agent_id ? ":" : ""}`,
    isBad,
    by: byWords(receipt),
  };
}

/** Who did it: the name that the device had then. */
function byWords(receipt: Receipt): string {
  const [kind = "", ...rest] = receipt.by.split(":");
  switch (kind) {
    case "device": return receipt.device ?? `device ${rest.join(":")}`;
    case "agent": return `agent ${rest.join(":")}`;
    case "host": return "the host’s command line";
    case "chief": return "the chief";
    case "policy": return "the policy";
    case "checker": return "the checker";
    case "timer": return "the clock";
    default: return kind;
  }
}

/** One list out of several, newest first, each receipt once. */
export function newestFirst(...lists: readonly (readonly Receipt[])[]): Receipt[] {
  const byId = new Map<string, Receipt>();
  for (const list of lists) for (const receipt of list) byId.set(receipt.id, receipt);
  return [...byId.values()].sort((a, b) => b.seq - a.seq);
}
