/** One conversation: an agent's present chat, or an older one, or one whose agent is gone (both read-only). */
import "./chat.css";

import { computed, useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Agent, FoundItem, Item } from "../../api/types";
import { useKeys } from "../../kit/keys";
import { addressOf, type Route } from "../../store/routes";
import { copyText } from "../../kit/copy";
import { fullTime } from "../../kit/time";
import { line } from "../../kit/text";
import { fetchPage } from "../../live/question-acts";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Sheet } from "../../parts/sheet";
import { showToast } from "../../parts/toast";
import { editsBefore } from "../../store/chat-blocks";
import { PromptCard, PromptDock, useHasPrompt } from "../blocked";
import { Composer, OutboxMessages, quoteInto } from "../composer";
import { UnderWay } from "../operations/card";
import { ChatHeader } from "./header";
import { GoneHeader, ReadOnly, useEntry } from "./gone";
import type { ThreadActs } from "./item";
import { ChatModel } from "./model";
import { ChatSearch } from "./search";
import { Thread } from "./thread";

export interface ChatViewProps {
  agentId?: string;
  chatId: string;
  /** Open around this item instead of at the first unread one. */
  itemId?: string;
}

export function ChatView(props: ChatViewProps) {
  const room = useRoom();
  const agent = useComputed(() => (props.agentId === undefined ? undefined : room.state.value.agents.get(props.agentId))).value ?? null;
  // A fresh session is another chat: everything here begins anew with it.
  return <Chat key={props.chatId} agent={agent} chatId={props.chatId} itemId={props.itemId ?? null} />;
}

function Chat(props: { agent: Agent | null; chatId: string; itemId: string | null }) {
  const { agent, chatId } = props;
  const room = useRoom();
  const model = useMemo(() => new ChatModel(room, chatId), [room, chatId]);
  const unread = useRef(agent?.chat_id === chatId ? agent.unread : 0);
  const [isSearching, setSearching] = useState(false);
  const [marked, setMarked] = useState<{ id: string | null; visit: number }>({ id: props.itemId, visit: 0 });
  const [menuItem, setMenuItem] = useState<Item | null>(null);
  const entry = useEntry(chatId, agent === null);
  const isReadOnly = agent === null || agent.chat_id !== chatId || agent.activity === "gone";
  const ownerId = agent?.id ?? entry?.agent_id ?? null;
  const hasLeft = useMemo(() => computed(() => ownerId !== null && !room.state.value.agents.has(ownerId)), [room, ownerId]).value;
  const isPresent = agent === null ? hasLeft : agent.chat_id === chatId;
  const machineId = agent?.machine_id ?? entry?.machine_id;
  const machineName = useComputed(() => line(machineId === undefined ? "" : (room.state.value.machines.get(machineId)?.name ?? ""), 60)).value || "its machine";

  useEffect(() => {
    model.start(unread.current, props.itemId ?? undefined);
    return () => model.close();
  }, [model]);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const { itemId } = props;
    if (itemId === null) return;
    const isHere = model.state.peek().items.some((item) => item.id === itemId);
    const show = (): void => setMarked((before) => ({ id: itemId, visit: before.visit + 1 }));
    if (isHere) show();
    else void model.openAround(itemId).then((isThere) => { if (isThere) show(); });
  }, [props.itemId]);
  useAskedHere(model, ownerId);
  useKeys({ "mod+f": { label: "Search in this chat", group: "Chat", run: () => setSearching(true) } });

  const name = agent?.name ?? entry?.name ?? "Chat";
  const acts = useMemo<ThreadActs>(() => ({
    agentId: agent?.id ?? null,
    chatId,
    isReadOnly,
    menu: setMenuItem,
    good: (item) => room.seen(chatId, item.id),
    ask: (item) => quoteInto(chatId, { author: name, text: item.result?.sentence || (item.text ?? "") }),
    answer: () => document.querySelector<HTMLElement>(".composer textarea")?.focus(),
    edits: (item) => editsBefore(model.state.peek().items, item.id),
  }), [agent?.id, chatId, isReadOnly, name, model]);

  const onFound = (hit: FoundItem): void => {
    setSearching(false);
    const show = (): void => setMarked((before) => ({ id: hit.item.id, visit: before.visit + 1 }));
    if (model.state.peek().items.some((item) => item.id === hit.item.id)) show();
    else void model.openPage(hit.page).then((isThere) => { if (isThere) show(); });
  };
  const shown = new Set(model.state.value.waiting.map((item) => item.id));
  for (const item of model.state.value.items) if (item.delivery) shown.add(item.delivery.id);
  return (
    <section class="pane pane-detail chat" aria-label={`Chat with ${line(name, 100)}`}>
      {agent === null ? <GoneHeader entry={entry} onSearch={() => setSearching(true)} /> : <ChatHeader agent={agent} chatId={chatId} onSearch={() => setSearching(true)} />}
      {isSearching ? <ChatSearch model={model} machineName={machineName} onFound={onFound} onClose={() => setSearching(false)} /> : null}
      <Thread model={model} agent={agent} ownerId={ownerId} hasDeeds={isPresent} machineName={machineName} acts={acts} unread={unread.current} itemId={marked.id} visit={marked.visit} promptId={isReadOnly ? null : (agent?.waiting_for?.id ?? null)}>
        {ownerId === null || !isPresent ? null : <UnderWay agentId={ownerId} />}
        {agent === null || isReadOnly ? null : (
          <>
            <OutboxMessages chatId={chatId} shown={shown} />
            <div data-key="prompt" class="msg msg-prompt"><PromptCard agent={agent} isDocked={true} /></div>
          </>
        )}
      </Thread>
      {agent === null || isReadOnly ? <ReadOnly isGone={agent === null || agent.activity === "gone"} agent={agent?.chat_id === chatId ? agent : null} /> : <Foot agent={agent} chatId={chatId} />}
      {menuItem === null ? null : (
        <ItemSheet item={menuItem} model={model} isReadOnly={isReadOnly} author={menuItem.kind === "user" || menuItem.kind === "message" ? "You" : name} place={placeOf(agent, chatId, menuItem)} onClose={() => setMenuItem(null)} />
      )}
    </section>
  );
}

const ASKED_PAGE = 200;

/** How the questions of this chat ended: asked for once something in it asked, and anew with each fleet. */
function useAskedHere(model: ChatModel, agentId: string | null): void {
  const room = useRoom();
  const epoch = useComputed(() => room.state.value.epoch).value;
  const hasAsked = useComputed(() => model.state.value.items.some((item) => item.kind === "question")).value;
  useEffect(() => {
    if (!hasAsked || agentId === null || epoch === 0) return;
    const abort = new AbortController();
    void fetchPage(room, { agent: agentId, limit: ASKED_PAGE }, abort.signal);
    return () => abort.abort();
  }, [room, agentId, epoch, hasAsked]);
}

/** The dock of the open dialog; without one the composer. */
function Foot(props: { agent: Agent; chatId: string }) {
  const hasPrompt = useHasPrompt(props.agent);
  return hasPrompt ? <PromptDock agent={props.agent} /> : <Composer agent={props.agent} chatId={props.chatId} />;
}

function placeOf(agent: Agent | null, chatId: string, item: Item): Route {
  return agent !== null && agent.chat_id === chatId ? { at: "agent", agentId: agent.id, itemId: item.id } : { at: "chat", chatId, itemId: item.id };
}

/** What can be done with one message. */
function ItemSheet(props: { item: Item; model: ChatModel; isReadOnly: boolean; author: string; place: Route; onClose(): void }) {
  const { item, model, onClose } = props;
  const text = item.text ?? "";
  const does = (act: () => void) => () => {
    onClose();
    act();
  };
  const copy = async (what: string, said: string): Promise<void> => {
    const isCopied = await copyText(what);
    showToast({ text: isCopied ? said : "This browser copies nothing here" });
  };
  const hide = async (): Promise<void> => {
    const refusal = await model.hide(item.id);
    if (refusal !== null) showToast({ text: line(refusal.text, 200) });
    else showToast({ text: "Hidden on all your devices", forMs: 15_000, act: { label: "Undo", run: () => void undo() } });
  };
  const undo = async (): Promise<void> => {
    const refusal = await model.restore(item.id);
    if (refusal !== null) showToast({ text: line(refusal.text, 200) });
  };
  return (
    <Sheet title={`${line(props.author, 60)}, ${fullTime(item.at_ms)}`} onClose={onClose}>
      <div class="acts">
        {props.isReadOnly || text === "" ? null : <button class="btn" type="button" onClick={does(() => quoteInto(model.chatId, { author: props.author, text }))}><Icon name="edit" small />Quote</button>}
        {text === "" ? null : <button class="btn" type="button" onClick={does(() => void copy(text, "The text is copied"))}><Icon name="copy" small />Copy the text</button>}
        <button class="btn" type="button" onClick={does(() => void copy(location.origin + addressOf(props.place), "The link is copied"))}><Icon name="link" small />Copy its link</button>
        <button class="btn" type="button" onClick={does(() => void hide())}><Icon name="eye" small />Hide on all devices</button>
      </div>
      <p class="sm muted">Hiding takes it out of this app only. The agent’s own file is never touched.</p>
    </Sheet>
  );
}

