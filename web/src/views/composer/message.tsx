/** Own messages: as a bubble while only this device has them, and the line that says what became of one. */
import "./composer.css";

import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import type { Delivery, Message } from "../../api/types";
import { useRoom, type Room } from "../../live/room";
import { writing } from "../../live/writing";
import { block } from "../../kit/text";
import { clock } from "../../kit/time";
import { Icon } from "../../parts/icon";
import { deliveryWords, outWords, type DeliveryWords } from "../../store/delivery";
import { mayRetry, toShow, type OutMessage } from "../../store/outbox";
import { OwnFiles } from "./attachments";
import { deleteOwn, editOwn, isOfHub, sendAgain, tryAgain } from "./sending";

const SHOWN_TEXT = 4_000;

/** The messages of this chat that only this device knows; `shown`: ids of messages whose item the chat shows itself. */
export function OutboxMessages(props: { chatId: string; shown: ReadonlySet<string> }) {
  const room = useRoom();
  const messages = toShow(writing(room).outbox.messages.value.values(), props.chatId, props.shown);
  return <>{messages.map((message) => <OutboxMessage key={message.id} message={message} />)}</>;
}

/** One message of this device on its way, as a bubble with its state. */
export function OutboxMessage(props: { message: OutMessage }) {
  const room = useRoom();
  const { outbox } = writing(room);
  const { message } = props;
  const { state } = message;
  const known = useMessage(room, message.id);
  const isHere = state.kind !== "accepted";
  const words = !isHere && known !== undefined
    ? deliveryWords(known, known.changed_at_ms, (ms) => clock(ms, room.now.value))
    : outWords(message, thisDevice(), outbox.isKept(message.id));
  const isUploading = state.kind === "sending" && state.total !== undefined;
  return (
    <>
      <div class="bubble mine" data-message={message.id}>
        <span class="vh">You: </span>
        {message.text === "" ? null : <p class="own-text" dir="auto">{block(message.text, SHOWN_TEXT)}</p>}
        <OwnFiles files={message.files.filter((file) => !isOfHub(file))} />
      </div>
      <Line words={words}>
        {isHere && mayRetry(message, room.now.value) ? <Act label="Retry" run={() => outbox.again(message.id)} /> : null}
        {state.kind === "saved" || state.kind === "refused" ? <Act label="Edit" run={() => void editOwn(room, message)} /> : null}
        {state.kind === "saved" || state.kind === "refused" ? <Act label="Delete" run={() => void deleteOwn(room, message)} /> : null}
        {isUploading ? <Act label="Cancel" run={() => void editOwn(room, message)} /> : null}
      </Line>
    </>
  );
}

export interface DeliveryLineProps {
  agentId: string;
  chatId: string;
  delivery: Delivery;
  /** When its item was written, by the hub's clock. */
  atMs: number;
}

/** The line under an own bubble of the chat: what became of the message, with what can be done. */
export function DeliveryLine(props: DeliveryLineProps) {
  const room = useRoom();
  const { id } = props.delivery;
  const message = useMessage(room, id); // newer than the item, when there is one
  const delivery = message ?? props.delivery;
  const atMs = message?.changed_at_ms ?? props.atMs;
  const words = deliveryWords(delivery, atMs, (ms) => clock(ms, room.nowMs()));
  const isWithdrawn = words.text.startsWith("Withdrawn");
  return (
    <Line words={words}>
      {delivery.state === "failed" && !isWithdrawn ? <Act label="Retry" run={() => void tryAgain(room, id)} /> : null}
      {delivery.state === "unconfirmed" ? <Act label="Send again" run={() => void sendAgain(room, id)} /> : null}
    </Line>
  );
}

/** A message as the hub sees it, when it was heard of; drawn anew only when this one changes. */
function useMessage(room: Room, id: string): Message | undefined {
  return useMemo(() => computed(() => room.state.value.messages.get(id)), [room, id]).value;
}

function Line(props: { words: DeliveryWords; children: ComponentChildren }) {
  const { words } = props;
  if (words.tone === "warn") return <div class="sent sent-warn"><span>{words.text}</span>{props.children}</div>;
  return <div class="sent"><Icon name={words.icon} />{words.text}{props.children}</div>;
}

function Act(props: { label: string; run(): void }) {
  return <button class="btn btn-plain" type="button" onClick={props.run}>{props.label}</button>;
}

/** How the person calls what they hold. */
export function thisDevice(): string {
  return matchMedia("(pointer: coarse) and (max-width: 40em)").matches ? "this phone" : "this device";
}
