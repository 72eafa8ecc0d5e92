/** The head of a chat whose agent is not in the fleet any more. */
import { useEffect, useState } from "preact/hooks";

import type { Agent, ChatEntry, ChatList } from "../../api/types";
import { clock } from "../../kit/time";
import { line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { Title } from "../../parts/title";
import { kindName } from "../../store/agents";
import { wishFor } from "../operations/wish";
import { BackButton } from "./header";

/** What the hub knows of a chat without its agent; null until it said so. */
export function useEntry(chatId: string, isWanted: boolean): ChatEntry | null {
  const room = useRoom();
  const [entry, setEntry] = useState<ChatEntry | null>(null);
  useEffect(() => {
    if (!isWanted) return;
    const abort = new AbortController();
    void room.http.request<ChatList>("GET", "/chats", { query: { q: chatId, limit: 20 }, signal: abort.signal }).then((answer) => {
      if (answer.ok) setEntry(answer.value.chats.find((chat) => chat.chat_id === chatId) ?? null);
    });
    return () => abort.abort();
  }, [room, chatId, isWanted]);
  return entry;
}

export function GoneHeader(props: { entry: ChatEntry | null; onSearch(): void }) {
  const { entry } = props;
  const room = useRoom();
  const machine = entry === null ? undefined : room.state.value.machines.get(entry.machine_id);
  const gone = entry?.gone_since_ms;
  return (
    <header class="chat-head">
      <div class="chat-bar">
        <BackButton />
        <div class="chat-id">
          <Title class="chat-name"><bdi>{entry === null ? "Chat" : line(entry.name, 120)}</bdi></Title>
          <p class="chat-state">
            <Lamp name="gone" small />
            <span>
              {gone == null ? "An earlier chat" : `Gone since ${clock(gone, room.now.value)}`}
              {entry === null ? null : <> · {line(kindName(entry.kind), 40)}</>}{machine === undefined ? null : <> · <bdi>{line(machine.name, 60)}</bdi></>}
            </span>
          </p>
        </div>
        <button class="icon-btn" type="button" aria-label="Search in this chat" onClick={props.onSearch}><Icon name="search" /></button>
      </div>
    </header>
  );
}

/** Where the composer would stand. */
export function ReadOnly(props: { isGone: boolean; agent: Agent | null }) {
  const { agent } = props;
  return (
    <footer class="read-only">
      <Icon name="info" small />
      <span>{props.isGone ? "Its agent is gone, so nothing can be sent. The chat stays here to be read and searched." : "An earlier chat, to be read and searched. Nothing can be sent to it."}</span>
      {props.isGone && agent !== null ? <button class="btn btn-plain" type="button" onClick={() => wishFor({ kind: "restart", agentId: agent.id })}>Start it again…</button> : null}
    </footer>
  );
}
