/** Chats that no row leads to: older ones of an agent, and those of agents that are gone. Asked for when opened. */
import { useComputed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

import type { ChatEntry, ChatList } from "../../api/types";
import { addressOf } from "../../store/routes";
import { useDelayed } from "../../kit/delayed";
import { line } from "../../kit/text";
import { clock } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { kindName } from "../../store/agents";

const ASK_AFTER_MS = 300;
const PAGE = 50;

type Page = { chats: readonly ChatEntry[]; before: string | null; trouble: string | null };

export function OlderChats(props: { search: string; currentChatId: string | null }) {
  const room = useRoom();
  const [page, setPage] = useState<Page | null>(null);
  const [isAsking, setAsking] = useState(false);
  const search = useDelayed(props.search, ASK_AFTER_MS);
  const listed = useComputed(() => new Set([...room.state.value.agents.values()].map((agent) => agent.chat_id))).value;

  const ask = async (before: string | undefined, signal?: AbortSignal): Promise<void> => {
    setAsking(true);
    const answer = await room.http.request<ChatList>("GET", "/chats", { query: { q: search || undefined, before, limit: PAGE }, ...(signal ? { signal } : {}) });
    if (signal?.aborted) return;
    setAsking(false);
    setPage((known) => {
      const chats = before === undefined ? [] : known?.chats ?? [];
      if (!answer.ok) return { chats, before: before ?? null, trouble: answer.refusal.text };
      return { chats: [...chats, ...answer.value.chats], before: answer.value.before, trouble: null };
    });
  };
  useEffect(() => {
    const abort = new AbortController();
    void ask(undefined, abort.signal);
    return () => abort.abort();
  }, [search]);

  const older = (page?.chats ?? []).filter((chat) => !listed.has(chat.chat_id));
  return (
    <>
      <ul>{older.map((chat) => <OlderChat key={chat.chat_id} chat={chat} isCurrent={chat.chat_id === props.currentChatId} />)}</ul>
      {page !== null && older.length === 0 && page.before === null && page.trouble === null
        ? <p class="sec-hint">{search === "" ? "There are none yet." : <>None matches “<bdi>{line(search, 60)}</bdi>”.</>}</p> : null}
      {page?.trouble ? <p class="sec-hint" role="alert"><bdi>{line(page.trouble)}</bdi></p> : null}
      {isAsking ? <p class="sec-hint" aria-busy="true">Asking…</p> : page === null ? null : page.trouble !== null || page.before !== null ? (
        <button class="btn btn-line btn-block" type="button" onClick={() => void ask(page.before ?? undefined)}>{page.trouble === null ? "Load earlier" : "Try again"}</button>
      ) : null}
    </>
  );
}

function OlderChat(props: { chat: ChatEntry; isCurrent: boolean }) {
  const { chat } = props;
  const { now, state } = useRoom();
  const machine = state.value.machines.get(chat.machine_id)?.name ?? "";
  const isGone = chat.gone_since_ms != null;
  return (
    <li class="row is-stale">
      <a class="row-link" href={addressOf({ at: "chat", chatId: chat.chat_id })} aria-current={props.isCurrent ? "true" : undefined}>
        {isGone ? <Lamp name="gone" /> : <Icon name="list" />}
        <span class="row-main">
          <span class="row-top">
            <span class="row-name"><span class="vh">{isGone ? "Gone: " : "Older chat: "}</span><bdi>{line(chat.name, 120)}</bdi></span>
            {chat.last_ms == null ? null : <span class="row-age">{clock(chat.last_ms, now.value)}</span>}
          </span>
          {chat.last == null ? null : <span class="row-say" dir="auto">{line(chat.last)}</span>}
          <span class="row-meta"><span><bdi>{line([kindName(chat.kind), machine, isGone ? "gone" : "older chat"].filter(Boolean).join(" · "), 120)}</bdi></span></span>
        </span>
      </a>
    </li>
  );
}
