/** What the hub holds for this chat: how many wait and for what; each can be changed, withdrawn or sent now. */
import { useEffect, useState } from "preact/hooks";

import type { Items, Message } from "../../api/types";
import { useRoom, type Room } from "../../live/room";
import { line } from "../../kit/text";
import { Icon } from "../../parts/icon";
import { Sheet } from "../../parts/sheet";
import { heldWords } from "../../store/delivery";
import { waiting } from "../../store/outbox";
import { patch, withdraw } from "./sending";

export interface QueueProps {
  chatId: string;
  name: string;
  /** What is done to the agent now; "": nothing that messages wait for. */
  operation: string;
  /** A turn runs that can be stopped. */
  isBusy: boolean;
  onStop(): void;
}

export function Queue(props: QueueProps) {
  const room = useRoom();
  const [isOpen, setOpen] = useState(false);
  const messages = waiting(room.state.value.messages.values(), props.chatId);
  useWaiting(room, props.chatId);
  const first = messages[0];
  if (first === undefined && props.operation !== "") {
    return <div class="queue"><Icon name="hourglass" small /><span class="grow">What you send waits until the operation is over: <bdi>{props.operation}</bdi>.</span></div>;
  }
  if (first === undefined) {
    return !props.isBusy ? null : (
      <div class="queue">
        <span class="grow">What you send waits for this turn to end.</span>
        <button class="btn btn-plain" type="button" onClick={props.onStop}>Stop this turn</button>
      </div>
    );
  }
  const isDraft = first.held?.code === "draft";
  const mayGoNow = first.when !== "now" && first.held?.code === "working";
  return (
    <>
      <div class="queue" role="status">
        <Icon name="hourglass" small />
        <span class="grow">{isDraft ? <Typed room={room} message={first} /> : queueWords(messages)}</span>
        {isDraft ? (
          <>
            <button class="btn btn-plain" type="button" onClick={() => void patch(room, first.id, { on_draft: "after" })}>Send after it</button>
            <button class="btn btn-plain" type="button" onClick={() => void patch(room, first.id, { on_draft: "replace" })}>Replace it</button>
          </>
        ) : null}
        <button class="btn btn-plain" type="button" onClick={() => setOpen(true)}>Edit</button>
        {mayGoNow ? (
          <button class="btn btn-plain" type="button" onClick={() => void patch(room, first.id, { when: "now" })}>Send now</button>
        ) : null}
        {props.isBusy ? (
          <button class="icon-btn" type="button" aria-label="Stop this turn" title="Stop this turn" onClick={props.onStop}><Icon name="stop" /></button>
        ) : null}
      </div>
      {isOpen ? (
        <Sheet title={messages.length === 1 ? "Waiting message" : "Waiting messages"} closesOutside={false} onClose={() => setOpen(false)}>
          {messages.map((message) => <Waiting key={message.id} message={message} name={props.name} isLast={messages.length === 1} onDone={() => setOpen(false)} />)}
        </Sheet>
      ) : null}
    </>
  );
}

/** The unsent text that stands in the agent's own input line: a person decides what happens to it. */
function Typed(props: { room: Room; message: Message }) {
  return <bdi>{line(props.message.held?.text ?? "An unsent text stands in its input line.", 260)}</bdi>;
}

function queueWords(messages: readonly Message[]): string {
  const count = messages.length === 1 ? "1 message waits" : `${messages.length} messages wait`;
  switch (messages[0]?.held?.code) {
    case "working":
      return messages[0].when === "now" ? `${count}, and goes while it works` : `${count} for this turn to end`;
    case "dialog":
      return `${count} for its dialog to be answered`;
    case "startup":
      return `${count} for it to start`;
    case "in_agents_queue":
      return `${count} in the agent’s own queue`;
    case "offline":
      return `${count} for its machine`;
    case "gone":
      return `${count} for it to run again`;
    default:
      return count;
  }
}

function Waiting(props: { message: Message; name: string; isLast: boolean; onDone(): void }) {
  const room = useRoom();
  const { message } = props;
  const [text, setText] = useState<string | null>(message.clipped ? null : message.text);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (text !== null) return;
    void room.http.request<Message>("GET", `/messages/${encodeURIComponent(message.id)}`).then((answer) => {
      if (answer.ok) setText(answer.value.text);
    });
  }, []);
  const run = async (act: Promise<boolean>): Promise<void> => {
    setBusy(true);
    const isDone = await act;
    setBusy(false);
    if (isDone && props.isLast) props.onDone();
  };
  const isTyped = message.held?.code === "in_agents_queue";
  return (
    <div class="waiting">
      <p class="second">{heldWords(message.held)}.</p>
      <textarea
        class="edit-text" aria-label={`Message to ${props.name}`} dir="auto" value={text ?? "…"} disabled={text === null || isTyped || isBusy}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="edit-acts">
        <button class="btn btn-plain bad" type="button" disabled={isBusy || isTyped} onClick={() => void run(withdraw(room, message.id))}>Withdraw</button>
        {message.when === "now" ? null : (
          <button class="btn btn-line" type="button" disabled={isBusy || isTyped} onClick={() => void run(patch(room, message.id, { when: "now" }))}>Send now</button>
        )}
        <button
          class="btn btn-primary" type="button" disabled={isBusy || isTyped || text === null || text.trim() === "" || text === message.text}
          onClick={() => text !== null && void run(patch(room, message.id, { text }))}
        >Save</button>
      </div>
    </div>
  );
}

/** Asks once for what waits: events tell only what changes from now on. */
function useWaiting(room: Room, chatId: string): void {
  const epoch = room.state.value.epoch;
  useEffect(() => {
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      const page = await room.http.request<Items>("GET", `/chats/${encodeURIComponent(chatId)}/items`, { query: { limit: 1 }, signal: stop.signal });
      if (!page.ok || !Array.isArray(page.value.items)) return;
      for (const item of page.value.items) {
        const delivery = item.delivery;
        if (item.kind !== "message" || (delivery?.state !== "accepted" && delivery?.state !== "sending")) continue;
        const message = await room.http.request<Message>("GET", `/messages/${encodeURIComponent(delivery.id)}`, { signal: stop.signal });
        if (message.ok) room.tell({ type: "message", message: message.value });
      }
    };
    void ask();
    return () => stop.abort();
  }, [chatId, epoch]);
}
