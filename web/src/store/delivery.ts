/** What became of an own message, in words (design, "Words"). Pure. */
import type { Delivery, Message } from "../api/types";
import { type OutMessage } from "./outbox";

/** `icon` is of the sprite. `tone`: `warn` stands in a box of its own with what can be done. */
export interface DeliveryWords {
  icon: string;
  text: string;
  tone: "quiet" | "warn";
}

type Held = NonNullable<Delivery["held"]>;

const HELD: Readonly<Record<string, string>> = {
  working: "sends when this turn ends",
  dialog: "sends when its dialog is answered",
  draft: "sends when the unsent text in its input line is gone",
  startup: "sends when it has started",
  in_agents_queue: "it waits in the agent’s own queue",
  offline: "sends when its machine is back",
  gone: "sends when it runs again",
  credit: "sends when its account has enough, or when you allow paid extra usage in the Inbox",
};
const AFTER_ANOTHER = "Waits for an earlier message.";

export function heldWords(held: Held | null | undefined): string {
  if (held === null || held === undefined) return "Accepted";
  if (held.text === AFTER_ANOTHER) return "Accepted, sends after the message before it";
  const words = HELD[held.code];
  return words === undefined ? `Accepted: ${held.text}` : `Accepted, ${words}`;
}

/** `clock` writes a time of the hub as people read it. */
export function deliveryWords(delivery: Pick<Message, "state"> & { held?: Held | null; detail?: string | null }, atMs: number, clock: (ms: number) => string): DeliveryWords {
  const detail = delivery.detail ?? "";
  switch (delivery.state) {
    case "accepted":
      return { icon: "check", text: heldWords(delivery.held), tone: "quiet" };
    case "sending":
      return { icon: "check", text: "Being typed", tone: "quiet" };
    case "delivered":
      return { icon: "checks", text: `Delivered ${clock(atMs)}`, tone: "quiet" };
    case "unconfirmed":
      return { icon: "warn", text: `Not confirmed: ${detail === "" ? "no proof that it arrived." : lower(detail)}`, tone: "warn" };
    case "failed":
      return { icon: "warn", text: detail.startsWith("Taken back") ? "Withdrawn before it was typed" : `Not sent: ${detail === "" ? "it failed." : lower(detail)}`, tone: "warn" };
  }
}

/** Of a message that the hub does not have yet. `here`: "this phone". */
export function outWords(message: OutMessage, here: string, isKept: boolean): DeliveryWords {
  const state = message.state;
  switch (state.kind) {
    case "saved": {
      const saved = isKept ? `Saved on ${here}` : "Kept only while this page is open";
      return { icon: "clock", text: state.why === undefined ? saved : `${saved}: ${lower(state.why)}`, tone: "quiet" };
    }
    case "sending": {
      const { done, total } = state;
      const part = done === undefined || total === undefined || total === 0 ? "" : ` ${Math.floor((100 * done) / total)} %`;
      return { icon: "clock", text: part === "" ? "Sending" : `Uploading${part}`, tone: "quiet" };
    }
    case "accepted":
      return { icon: "check", text: "Accepted", tone: "quiet" };
    case "refused":
      return { icon: "warn", text: `Not sent: ${lower(state.why)}`, tone: "warn" };
  }
}

/** A sentence as the rest of one. Names and words in capitals keep them. */
function lower(text: string): string {
  return /^[A-Z][a-z ]/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
