/** The search in one chat: over the whole conversation, newest first. A hit opens the chat around it. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { FoundItem, Item } from "../../api/types";
import { clock } from "../../kit/time";
import { line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import type { ChatModel } from "./model";
import { snippet } from "./words";

const PAUSE_MS = 250;

export interface ChatSearchProps {
  model: ChatModel;
  machineName: string;
  onFound(hit: FoundItem): void;
  onClose(): void;
}

type Found =
  | { kind: "nothing" }
  | { kind: "busy"; hits: readonly FoundItem[] }
  | { kind: "done"; hits: readonly FoundItem[]; before: string | null; keptOnly: boolean }
  | { kind: "failed"; text: string };

export function ChatSearch(props: ChatSearchProps) {
  const { model } = props;
  const { now } = useRoom();
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found>({ kind: "nothing" });
  const field = useRef<HTMLInputElement>(null);
  const running = useRef<AbortController | null>(null);
  const ask = async (needle: string, before: string | null, hits: readonly FoundItem[]): Promise<void> => {
    running.current?.abort();
    const abort = (running.current = new AbortController());
    setFound({ kind: "busy", hits });
    const answer = await model.search(needle, before, abort.signal);
    if (abort.signal.aborted) return;
    if (!answer.ok) setFound({ kind: "failed", text: answer.refusal.text });
    else setFound({ kind: "done", hits: merged(hits, answer.value.hits), before: answer.value.before, keptOnly: answer.value.kept_only === true });
  };
  useLayoutEffect(() => field.current?.focus(), []); // before the next key: it belongs to the search
  useEffect(() => {
    const needle = text.trim();
    running.current?.abort();
    if (needle === "") {
      setFound({ kind: "nothing" });
      return;
    }
    const timer = setTimeout(() => void ask(needle, null, []), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => () => running.current?.abort(), []);
  const hits = found.kind === "busy" || found.kind === "done" ? found.hits : [];
  return (
    <section class="chat-search" aria-label="Search in this chat" onKeyDown={(event) => { if (event.key === "Escape") { event.stopPropagation(); props.onClose(); } }}>
      <div class="chat-search-bar">
        <label class="search grow">
          <Icon name="search" small /><span class="vh">Search in this chat</span>
          <input ref={field} class="input" type="search" maxLength={200} placeholder="Search in this chat" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button class="btn btn-plain" type="button" onClick={props.onClose}>Done</button>
      </div>
      <p class="chat-search-said" role="status">{said(found, props.machineName)}</p>
      {hits.length === 0 ? null : (
        <ol class="chat-hits">
          {hits.map((hit) => (
            <li key={hit.item.id}>
              <button type="button" class="chat-hit" onClick={() => props.onFound(hit)}>
                <span class="row-top"><b>{who(hit.item)}</b><span class="row-age">{clock(hit.item.at_ms, now.value)}</span></span>
                <Snippet item={hit.item} needle={text.trim()} />
              </button>
            </li>
          ))}
        </ol>
      )}
      {found.kind === "done" && found.before !== null ? (
        <button class="btn btn-line btn-block" type="button" onClick={() => void ask(text.trim(), found.before, found.hits)}>Search further back</button>
      ) : null}
    </section>
  );
}

function merged(old: readonly FoundItem[], more: readonly FoundItem[]): FoundItem[] {
  return [...new Map([...old, ...more].map((hit) => [hit.item.id, hit])).values()];
}

function said(found: Found, machineName: string): string {
  switch (found.kind) {
    case "nothing": return "";
    case "busy": return "Searching";
    case "failed": return found.text;
    case "done": {
      const count = found.hits.length === 0 ? "Nothing found" : found.hits.length === 1 ? "1 found" : `${found.hits.length} found`;
      if (found.keptOnly) return `${count} in the last 200 messages. Older ones lie on ${machineName}, which cannot be read now.`;
      return found.before === null ? count : `${count} so far; the conversation goes further back.`;
    }
  }
}

function who(item: Item): string {
  switch (item.kind) {
    case "user": return "You";
    case "tool": return "Tool";
    case "helper": return "Helper";
    case "thinking": return "Reasoning";
    case "notice": return "Notice";
    case "result": return "Result";
    case "question": return "Question";
    default: return "Agent";
  }
}

function Snippet(props: { item: Item; needle: string }) {
  const { item, needle } = props;
  const texts = [item.text, item.tool?.title, item.tool?.input, item.tool?.output].filter((text) => text != null && text !== "");
  const text = texts.find((one) => one?.toLowerCase().includes(needle.toLowerCase())) ?? texts[0] ?? "";
  const part = snippet(text, needle);
  return <span class="row-say" dir="auto">{line(part.before, 200)}{part.hit === "" ? null : <mark>{line(part.hit, 200)}</mark>}{keepsSpace(part.after)}{line(part.after, 200)}</span>;
}

function keepsSpace(text: string): string {
  return text.startsWith(" ") ? " " : "";
}
