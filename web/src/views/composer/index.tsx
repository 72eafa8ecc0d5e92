/** Writing to an agent, and what of it has not arrived yet. */
import type { Agent, Delivery } from "../../api/types";
import type { OutMessage, Quote } from "../../store/outbox";

export interface ComposerProps {
  agent: Agent;
  chatId: string;
}

/** The field, its tray, and the line about what waits. Mount it once per chat, as the last child of the pane. */
export function Composer(props: ComposerProps) {
  return <footer class="composer" aria-label="Write" data-chat={props.chatId} />;
}

/** The messages of this chat that only this device knows; `shown`: ids of messages whose item the chat shows itself. */
export function OutboxMessages(_props: { chatId: string; shown: ReadonlySet<string> }) {
  return null;
}

/** One message of this device on its way, as a bubble with its state. */
export function OutboxMessage(_props: { message: OutMessage }) {
  return null;
}

/** The line under an own bubble: what became of the message, with what can be done. */
export function DeliveryLine(_props: { agentId: string; chatId: string; delivery: Delivery; text: string; atMs: number }) {
  return null;
}

/** Puts a quote into the composer of a chat and focuses it: for "Quote" and "Ask for changes". */
export function quoteInto(_chatId: string, _quote: Quote): void {
  return;
}
