/** The conversation itself: blocks, what is older and newer, where the reader stands, what they have seen. */
import { useComputed } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";

import type { Agent, Item, Receipts } from "../../api/types";
import { isSameDay } from "../../kit/time";
import { useRoom, type Room } from "../../live/room";
import { Icon } from "../../parts/icon";
import { type ChatState, firstUnread, isOverlong, isSaid, newestSeen, olderCursor, wants } from "../../store/chat";
import { blocksOf, inChat, type ChatBlock } from "../../store/chat-blocks";
import { unheld } from "../../store/questions";
import { taste } from "../../store/taste";
import { useOperations } from "../operations/card";
import { Block, Mine, type ThreadActs } from "./item";
import type { ChatModel } from "./model";
import { useScroller, type Sight } from "./scroll";
import { pageTrouble } from "./words";

export interface ThreadProps {
  model: ChatModel;
  agent: Agent | null;
  /** Whose chat it is, also when it has left the list; null: not known. */
  ownerId: string | null;
  /** It is its agent's chat now, or the agent has left the list: what is done to it stands here. */
  hasDeeds: boolean;
  machineName: string;
  acts: ThreadActs;
  /** Unread when the chat was opened: the line stands before them. */
  unread: number;
  /** Opened at this item. */
  itemId: string | null;
  /** Moves when the reader is to be led to `itemId` again. */
  visit: number;
  /** The open dialog; null: none. It is read from its beginning. */
  promptId: string | null;
  /** After all items: the open dialog, messages of this device. */
  children: ComponentChildren;
}

/** What is seen is told after it stood still for this long. */
const SEEN_MS = 400;
/** The last of what was read is among these: only day lines and receipts have no items. */
const LAST_BLOCKS = 20;
/** Where the first unread line, and an item that was asked for, come to stand. */
const UNREAD_OFFSET = 56;
const PROMPT_TOP = { at: "block", key: "prompt", offset: 8 } as const;

export function Thread(props: ThreadProps) {
  const { model, agent, acts, itemId } = props;
  const room = useRoom();
  const state = model.state.value;
  const loading = model.loading.value;
  const trouble = model.trouble.value;
  const hour = useComputed(() => Math.floor(room.now.value / 60_000)).value * 60_000;
  const thread = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const unreadId = useUnreadId(model, props.unread);
  const blocks = useBlocks(state, agent, unreadId, model.chatId, props.ownerId, props.hasDeeds);
  const told = useRef<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [sight, setSight] = useState<{ isAtEnd: boolean; isFar: boolean; sinceId: string | null }>({ isAtEnd: true, isFar: false, sinceId: null });

  const tellSeen = (): void => {
    if (document.visibilityState !== "visible") return;
    const lastRead = scroller.lastRead();
    // What stands behind the items (an open prompt, messages of this device) counts as their end.
    const at = blocks.findIndex((block) => block.key === lastRead);
    const read = lastRead !== null && at < 0 ? blocks : blocks.slice(0, at + 1);
    const seen = new Set(read.slice(-LAST_BLOCKS).flatMap((block) => ("items" in block ? block.items.map((item) => item.id) : [])));
    const id = newestSeen(model.state.peek().items, seen, told.current);
    if (id === null) return;
    told.current = id;
    room.seen(model.chatId, id);
  };
  const latestTell = useRef(tellSeen);
  latestTell.current = tellSeen;
  const plan = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latestTell.current(), SEEN_MS);
  };
  const onSight = (now: Sight): void => {
    const at = model.state.peek();
    const isAtEnd = now.stand.at === "end";
    setSight((before) => {
      const isFar = !isAtEnd && (now.distanceToEnd > 200 || !at.isAtEnd);
      const sinceId = isAtEnd ? null : (before.sinceId ?? (at.isAtEnd ? at.items[at.items.length - 1]?.id : null) ?? null);
      return before.isAtEnd === isAtEnd && before.isFar === isFar && before.sinceId === sinceId ? before : { isAtEnd, isFar, sinceId };
    });
    plan();
    if (model.loading.peek() !== null || model.trouble.peek() !== null) return;
    const wanted = wants(now.scrollTop, now.distanceToEnd, at);
    if (wanted === "older") void model.loadOlder();
    if (wanted === "newer") void model.loadNewer();
  };
  const scroller = useScroller(thread, inner, state.isAtEnd, onSight);

  // The first page is there: go to where the reader begins.
  const began = useRef(-1);
  useLayoutEffect(() => {
    if (!state.isLoaded || began.current === props.visit) return;
    const wanted = itemId === null ? null : blocks.find((block) => "items" in block && block.items.some((item) => item.id === itemId));
    if (itemId !== null && wanted === undefined && loading !== null) return;
    began.current = props.visit;
    if (wanted != null) scroller.goTo({ at: "block", key: wanted.key, offset: Math.round(scroller.height() / 4) });
    else if (itemId === null && unreadId !== null) scroller.goTo({ at: "block", key: "unread", offset: UNREAD_OFFSET });
    else scroller.goTo(props.promptId === null ? { at: "end" } : PROMPT_TOP);
  }, [state.isLoaded, state.items, props.visit]);
  // A dialog that opens while the reader is at the end shows its beginning, however long it is.
  const isFollowing = sight.isAtEnd;
  useLayoutEffect(() => {
    if (props.promptId !== null && state.isLoaded && began.current >= 0 && isFollowing) scroller.goTo(PROMPT_TOP);
  }, [props.promptId]);
  useEffect(plan, [state.items]);
  useEffect(() => {
    if (isFollowing && loading === null && trouble === null && isOverlong(state)) void model.openEnd();
  }, [state.items, isFollowing]);
  useEffect(() => {
    const onVisible = (): void => plan();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      document.removeEventListener("visibilitychange", onVisible);
      clearTimeout(timer.current);
    };
  }, []);

  const jump = (): void => {
    if (state.isAtEnd) scroller.goTo({ at: "end" });
    else void model.openEnd().then((isThere) => { if (isThere) requestAnimationFrame(() => scroller.goTo({ at: "end" })); });
  };
  const asked = agent?.activity === "question" ? lastSaid(state.items) : null;
  const { toolActivity, tokens } = taste.value;
  return (
    <>
      <div class="thread" ref={thread} tabIndex={0} role="log" aria-label="Conversation" aria-busy={!state.isLoaded}>
        <div class="thread-in" ref={inner} onClickCapture={(event) => scroller.pin(event.target)}>
          <Start state={state} isLoading={loading === "older"} onOlder={() => void model.loadOlder()} trouble={trouble?.of === "older" ? pageTrouble("older", trouble.refusal, props.machineName) : ""} />
          {trouble?.of === "first" && !state.isLoaded ? <Missing text={pageTrouble("first", trouble.refusal, props.machineName)} isMissing={trouble.refusal.code === "not_found"} onAgain={() => void model.openEnd()} /> : null}
          {blocks.map((block) => (
            <Block
              key={block.key} block={block} acts={acts} isFull={toolActivity === "full"} hasTokens={tokens} nowMs={hour}
              isMarked={itemId !== null && "items" in block && block.items.some((item) => item.id === itemId)} isLit={asked !== null && block.key === asked} isBlocked={agent?.activity === "blocked"}
            />
          ))}
          {trouble?.of === "newer" ? <p class="note note-broken"><Icon name="warn" small /> {pageTrouble("newer", trouble.refusal, props.machineName)} <button class="btn btn-plain" type="button" onClick={() => void model.loadNewer()}>Try again</button></p> : null}
          {state.isAtEnd ? state.waiting.map((item) => <div key={item.id} class="msg msg-mine" data-key={`waiting:${item.id}`}><Mine item={item} acts={acts} nowMs={hour} /></div>) : null}
          {state.isAtEnd ? props.children : null}
        </div>
      </div>
      <div class="jump-wrap"><Jump state={state} sight={sight} isReading={props.promptId !== null} onJump={jump} /></div>
    </>
  );
}

/** The first thing that was not read when the chat was opened, or that came while the page was hidden. */
function useUnreadId(model: ChatModel, unread: number): string | null {
  const state = model.state.value;
  const [since, setSince] = useState<string | null>(null);
  const found = useRef<string | null | undefined>(undefined);
  if (found.current === undefined && state.isLoaded) found.current = state.isAtEnd ? firstUnread(state.items, unread) : null;
  useEffect(() => {
    let lastId: string | null = null;
    const onVisibility = (): void => {
      const { items } = model.state.peek();
      if (document.visibilityState === "hidden") {
        lastId = items[items.length - 1]?.id ?? null;
        return;
      }
      const at = items.findIndex((item) => item.id === lastId);
      const first = at < 0 ? undefined : items.slice(at + 1).find(isSaid);
      if (first !== undefined) setSince(first.id);
    };
    document.addEventListener("visibilitychange", onVisibility);
    return () => document.removeEventListener("visibilitychange", onVisibility);
  }, [model]);
  return since ?? found.current ?? null;
}

function useBlocks(state: ChatState, agent: Agent | null, unreadId: string | null, chatId: string, ownerId: string | null, hasDeeds: boolean): readonly ChatBlock[] {
  const room = useRoom();
  const before = useRef<readonly ChatBlock[]>([]);
  const { toolActivity, reasoning } = taste.value;
  const agentId = agent?.id;
  const receipts = useComputed(() => room.state.value.receipts).value;
  const isRunning = state.isAtEnd && (agent?.activity === "working" || agent?.activity === "helpers" || agent?.activity === "blocked");
  const epoch = useComputed(() => room.state.value.epoch).value;
  useEffect(() => {
    if (agentId !== undefined && epoch > 0) void fetchReceipts(room);
  }, [epoch, agentId === undefined]);
  const all = useOperations();
  const lastMs = agent === null ? state.items.at(-1)?.at_ms : undefined;
  const operations = useMemo(() => (hasDeeds && ownerId !== null ? inChat([...all.values()].filter((one) => one.agent_id === ownerId), lastMs) : []), [all, ownerId, hasDeeds, lastMs]);
  const asked = useComputed(() => unheld(room.state.value.questions, chatId).map(({ id, asked_at_ms }) => `${asked_at_ms} ${id}`).join("\n")).value;
  const own = useMemo(() => receipts.filter((receipt) => receipt.agent_id === agentId && agentId !== undefined), [receipts, agentId]);
  const hasStart = state.isLoaded && olderCursor(state) === null;
  return useMemo(() => {
    const receiptsHere = state.isAtEnd ? own : [];
    const askedHere = state.isAtEnd && asked !== "" ? asked.split("\n").map((row) => ({ asked_at_ms: Number(row.split(" ", 1)[0]), id: row.slice(row.indexOf(" ") + 1) })) : [];
    before.current = blocksOf(state.items, { tools: toolActivity, reasoning, unreadId, isSameDay, receipts: receiptsHere, operations: state.isAtEnd ? operations : [], hasStart, asked: askedHere, isRunning }, before.current);
    return before.current;
  }, [state.items, state.isAtEnd, hasStart, toolActivity, reasoning, unreadId, own, operations, asked, isRunning]);
}

/** The newest receipts, once for each fleet: what people did stands among what was said. */
async function fetchReceipts(room: Room): Promise<void> {
  const { epoch } = room.state.peek();
  if (receiptsOf.get(room) === epoch) return;
  receiptsOf.set(room, epoch);
  const answer = await room.http.request<Receipts>("GET", "/receipts", { query: { before: Number.MAX_SAFE_INTEGER, limit: 200 } });
  if (answer.ok && Array.isArray(answer.value.receipts)) room.tell({ type: "receipts", receipts: answer.value.receipts });
  else receiptsOf.delete(room);
}

const receiptsOf = new WeakMap<Room, number>();

function lastSaid(items: readonly Item[]): string | null {
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (item !== undefined && isSaid(item)) return item.kind === "question" ? item.id : null;
  }
  return null;
}

function Start(props: { state: ChatState; isLoading: boolean; trouble: string; onOlder(): void }) {
  const { state } = props;
  if (!state.isLoaded) return null;
  return (
    <>
      {props.trouble !== "" ? (
        <p class="note">{props.trouble} <button class="btn btn-plain" type="button" onClick={props.onOlder}>Try again</button></p>
      ) : olderCursor(state) !== null ? (
        <button class="btn btn-plain load-older" type="button" aria-busy={props.isLoading} onClick={props.onOlder}>{props.isLoading ? "Loading earlier messages" : "Load earlier"}</button>
      ) : state.items.length === 0 ? <p class="note">Nothing was said yet.</p> : <p class="note">The beginning of this chat</p>}
      {state.skipped > 0 ? <p class="note">{state.skipped === 1 ? "1 line of the transcript" : `${state.skipped} lines of the transcript`} could not be read and {state.skipped === 1 ? "is" : "are"} left out.</p> : null}
    </>
  );
}

function Missing(props: { text: string; isMissing: boolean; onAgain(): void }) {
  return (
    <div class="empty" role="alert">
      <Icon name="warn" />
      <h2>{props.isMissing ? "The history is missing" : "The chat cannot be shown"}</h2>
      <p>{props.text}</p>
      <button class="btn btn-line" type="button" onClick={props.onAgain}>Try again</button>
    </div>
  );
}

function Jump(props: { state: ChatState; sight: { isAtEnd: boolean; isFar: boolean; sinceId: string | null }; isReading: boolean; onJump(): void }) {
  const { state, sight } = props;
  if (sight.isAtEnd || !state.isLoaded) return null;
  const at = state.items.findIndex((item) => item.id === sight.sinceId);
  const fresh = state.missed + (at < 0 ? 0 : state.items.slice(at + 1).filter(isSaid).length);
  // Nothing lies over a command that is being read but news.
  if (fresh === 0 && (!sight.isFar || props.isReading)) return null;
  return (
    <button class="jump" type="button" onClick={props.onJump}>
      <Icon name="down" small /><span>{fresh === 0 ? "Latest" : `${fresh} new`}</span>
    </button>
  );
}
