/** What the agent said right before it asked: beside a question the person need not leave for its chat. */
import { useEffect, useState } from "preact/hooks";

import type { Items, Question } from "../../api/types";
import { block } from "../../kit/text";
import { useRoom } from "../../live/room";
import { leadOf } from "../../store/chat-blocks";

const NEAR = 6;
const LONGEST = 1_500;

export function WhatLed(props: { question: Question }) {
  const { chat_id: chatId, item_id: itemId } = props.question;
  const room = useRoom();
  const [text, setText] = useState("");
  useEffect(() => {
    if (itemId == null) return;
    const abort = new AbortController();
    const path = `/chats/${encodeURIComponent(chatId)}/items`;
    void room.http.request<Items>("GET", path, { query: { around: itemId, limit: NEAR }, signal: abort.signal }).then((answer) => {
      if (!abort.signal.aborted && answer.ok && Array.isArray(answer.value.items)) setText(ledTo(answer.value.items, itemId));
    });
    return () => abort.abort();
  }, [room, chatId, itemId]);
  if (text === "") return null;
  return (
    <section class="what-led" aria-labelledby="what-led">
      <h3 class="sm muted" id="what-led">What led to it</h3>
      <div class="bubble theirs md" dir="auto">{block(text, LONGEST)}</div>
    </section>
  );
}

/** Its words before the question; without any, its last words before that reply. */
function ledTo(items: Items["items"], itemId: string): string {
  const at = items.findIndex((item) => item.id === itemId);
  const lead = leadOf(items[at]?.text ?? "");
  if (at < 0 || lead !== "") return lead;
  for (let before = at - 1; before >= 0; before--) {
    const item = items[before];
    if (item?.kind === "assistant" || item?.kind === "result") return item.text ?? "";
    if (item?.kind === "user") return "";
  }
  return "";
}
