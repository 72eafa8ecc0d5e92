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
  terminal: { done: "Opened a shell", tried: "Tried to open a shell", icon: "term" },
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
  const act = ACTS[receipt.what];
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
    default: return kind;
  }
}

/** One list out of several, newest first, each receipt once. */
export function newestFirst(...lists: readonly (readonly Receipt[])[]): Receipt[] {
  const byId = new Map<string, Receipt>();
  for (const list of lists) for (const receipt of list) byId.set(receipt.id, receipt);
  return [...byId.values()].sort((a, b) => b.seq - a.seq);
}
