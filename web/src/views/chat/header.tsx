/** The head of a chat: who it is, how it stands and since when, its Status, and what can be done with it. */
import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";

import type { Agent, ChatEntry, ChatList, Done } from "../../api/types";
import { back, go, isPopOut, popOut } from "../../kit/navigate";
import { addressOf } from "../../store/routes";
import { clock, span } from "../../kit/time";
import { line } from "../../kit/text";
import { newId, useRoom, type Room } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { Menu, type MenuItem } from "../../parts/menu";
import { Sheet } from "../../parts/sheet";
import { Title } from "../../parts/title";
import { showToast } from "../../parts/toast";
import { isAway, kindName, standingOf } from "../../store/agents";
import { isWaiting, operationWords, underWayOf } from "../../store/operations";
import { copyLink, toggleArchive, toggleMute, togglePin } from "../agents/acts";
import { AgentNotify } from "../agents/notify";
import { showAgent } from "../agents/shown";
import { operationItems } from "../operations/acts";

export interface ChatHeaderProps {
  agent: Agent;
  chatId: string;
  onSearch(): void;
}

export function ChatHeader(props: ChatHeaderProps) {
  const { agent, chatId } = props;
  const room = useRoom();
  const [sheet, setSheet] = useState<"older" | "stop" | "hide" | "notify" | null>(null);
  const standing = standingOf(agent);
  const name = line(agent.name, 120) || agent.id;
  const machine = room.state.value.machines.get(agent.machine_id);
  const isOff = isAway(agent, room.state.value.machines);
  const isPast = chatId !== agent.chat_id;
  const isLit = (standing.lamp === "blocked" || standing.lamp === "question") && !isOff && !room.isOld.value;
  const operation = underWayOf(room.state.value.operations.values(), agent.id).find((one) => one.state === "running" && !isWaiting(one));
  const rest = [kindName(agent.kind), machine?.name, agent.profile?.split("/").pop()].filter((part) => part != null && part !== "").map((part) => line(part ?? "", 60));
  return (
    <header class="chat-head">
      <div class="chat-bar">
        <BackButton />
        <div class="chat-id">
          <Title class="chat-name"><bdi>{name}</bdi></Title>
          <button class="chat-state chat-why" type="button" onClick={() => showAgent(agent.id)} title="Why it counts as that">
            <Lamp name={operation === undefined ? standing.lamp : "starting"} small />
            <span>
              {operation === undefined ? null : <>{line(operationWords(operation).what, 80)} · </>}
              <span class={isLit ? "lit" : undefined}>{standing.word}</span> <Since agent={agent} isOff={isOff} lastSeenMs={machine?.last_seen_ms ?? null} />
              {rest.map((part, at) => <span key={at} class={at === 1 ? undefined : "only-wide"}> · <bdi>{part}</bdi></span>)}
            </span>
          </button>
        </div>
        <button class="icon-btn only-wide-grid" type="button" aria-label="Search in this chat" onClick={props.onSearch}><Icon name="search" /></button>
        <a class="icon-btn" href={addressOf({ at: "terminal", agentId: agent.id })} aria-label="Open the live terminal"><Icon name="term" /></a>
        <Menu label={`Actions for ${name}`} items={itemsOf(room, agent, standing.word, props.onSearch, setSheet)} />
      </div>
      {agent.header ? <p class="chat-status"><span class="vh">Status: </span><bdi>{line(agent.header, 300)}</bdi></p> : null}
      {isPast ? <PastChat agent={agent} /> : null}
      {sheet === "older" ? <OtherChats agent={agent} chatId={chatId} onClose={() => setSheet(null)} /> : null}
      {sheet === "stop" ? <StopTurn agent={agent} onClose={() => setSheet(null)} /> : null}
      {sheet === "notify" ? <Sheet title={`Notifications of ${line(agent.name, 60)}`} onClose={() => setSheet(null)}><AgentNotify agent={agent} /></Sheet> : null}
      {sheet === "hide" ? <HideChat chatId={chatId} onClose={() => setSheet(null)} /> : null}
    </header>
  );
}

export function BackButton() {
  if (isPopOut) return null; // a window of its own has nothing behind it
  return <button class="icon-btn only-phone" type="button" aria-label="Back" onClick={() => back()}><Icon name="back" /></button>;
}

function Since(props: { agent: Agent; isOff: boolean; lastSeenMs: number | null }) {
  const { now, isOld, state } = useRoom();
  const { agent, isOff, lastSeenMs } = props;
  const text = useComputed(() => {
    const { freshness } = state.value;
    // While the link is down nothing is known of now: the time of the last word is told instead of an age that grows.
    if (isOld.value) return freshness.kind === "stale" ? `at ${clock(freshness.sinceMs, now.value)}` : "when last heard";
    if (isOff && lastSeenMs !== null) return `when last seen, ${span(now.value - lastSeenMs)} ago`;
    return `for ${span(now.value - standingOf(agent).sinceMs)}`;
  });
  return <>{text}</>;
}

function itemsOf(room: Room, agent: Agent, word: string, onSearch: () => void, open: (sheet: "older" | "stop" | "hide" | "notify") => void): (MenuItem | null)[] {
  const runs = agent.activity === "working" || agent.activity === "helpers";
  return [
    { label: `Why it counts as ${word.toLowerCase()}`, icon: "eye", run: () => showAgent(agent.id) },
    { label: "Search in this chat", icon: "search", run: onSearch },
    { label: agent.pinned ? "Unpin" : "Pin", icon: "pin", run: () => void togglePin(room, agent) },
    { label: agent.muted ? "Unmute its pushes" : "Mute its pushes", icon: "mute", run: () => void toggleMute(room, agent) },
    { label: "Its notifications…", icon: "bell", run: () => open("notify") },
    { label: agent.archived ? "Bring it back" : "Archive", icon: agent.archived ? "undo" : "inbox", run: () => void toggleArchive(room, agent) },
    { label: "Copy its link", icon: "link", run: () => void copyLink(agent) },
    { label: "In its own window", icon: "move", run: () => popOut({ at: "agent", agentId: agent.id }) },
    null,
    { label: "Its other chats", icon: "list", run: () => open("older") },
    { label: "Hide what was said so far", icon: "eye", run: () => open("hide") },
    null,
    ...operationItems(agent),
    null,
    { label: "Stop this turn…", icon: "stop", isBad: true, disabled: !runs, run: () => open("stop") },
  ];
}

function PastChat(props: { agent: Agent }) {
  return <p class="chat-status">An earlier chat of this agent. <a href={addressOf({ at: "agent", agentId: props.agent.id })}>Open the present one</a></p>;
}

/** Stopping asks once; it is looked at again by the hub whether the turn still runs. */
function StopTurn(props: { agent: Agent; onClose(): void }) {
  const room = useRoom();
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const stop = async (): Promise<void> => {
    setBusy(true);
    const body = { request_id: newId("req") };
    const answer = await room.http.request<Done>("POST", `/agents/${encodeURIComponent(props.agent.id)}/interrupt`, { body, withinMs: 45_000 });
    setBusy(false);
    if (answer.ok) props.onClose();
    else setTrouble(answer.refusal.code === "changed" ? "A prompt is open, so nothing was stopped." : answer.refusal.text);
  };
  return (
    <Sheet
      title="Stop this turn?" onClose={props.onClose}
      foot={<><button class="btn btn-line" type="button" onClick={props.onClose}>Let it work</button><button class="btn btn-fault" type="button" disabled={isBusy} onClick={() => void stop()}>Stop this turn</button></>}
    >
      <p class="md">The agent ends what it does now and waits for your next message. It keeps running, and nothing it wrote is lost.</p>
      <div role="alert">{trouble === "" ? null : <p class="callout callout-fault"><Icon name="warn" /><span>{line(trouble, 300)}</span></p>}</div>
    </Sheet>
  );
}

function HideChat(props: { chatId: string; onClose(): void }) {
  const room = useRoom();
  const path = `/chats/${encodeURIComponent(props.chatId)}`;
  const hide = async (): Promise<void> => {
    props.onClose();
    const answer = await room.http.request("DELETE", path);
    if (!answer.ok) showToast({ text: answer.refusal.text });
    else {
      showToast({ text: "Hidden on all your devices", forMs: 15_000, act: { label: "Undo", run: () => void room.http.request("POST", `${path}/restore`) } });
    }
  };
  return (
    <Sheet
      title="Hide what was said so far?" onClose={props.onClose}
      foot={<><button class="btn btn-line" type="button" onClick={props.onClose}>Cancel</button><button class="btn btn-primary" type="button" onClick={() => void hide()}>Hide it</button></>}
    >
      <p class="md">It is hidden on all your devices. What comes later shows. The agent’s own file is not touched. Undo is offered right after.</p>
    </Sheet>
  );
}

/** Earlier sessions of the agent: each is a chat that stays readable. */
function OtherChats(props: { agent: Agent; chatId: string; onClose(): void }) {
  const room = useRoom();
  const [chats, setChats] = useState<readonly ChatEntry[] | null>(null);
  const [trouble, setTrouble] = useState("");
  useState(() => {
    void room.http.request<ChatList>("GET", "/chats", { query: { q: props.agent.id, limit: 100 } }).then((answer) => {
      if (answer.ok) setChats(answer.value.chats.filter((chat) => chat.agent_id === props.agent.id && chat.chat_id !== props.chatId));
      else setTrouble(answer.refusal.text);
    });
  });
  return (
    <Sheet title="Its other chats" onClose={props.onClose}>
      {trouble !== "" ? <p class="callout callout-fault"><Icon name="warn" /><span>{line(trouble, 300)}</span></p> : null}
      {chats === null ? <p class="md second" aria-busy={trouble === ""}>{trouble === "" ? "Looking" : ""}</p>
        : chats.length === 0 ? <p class="md second">It has only this one. A fresh session begins another; the old one stays readable here.</p>
        : (
          <ul class="panel pick">
            {chats.map((chat) => (
              <li key={chat.chat_id}>
                <a class="set" href={addressOf({ at: "chat", chatId: chat.chat_id })} onClick={(event) => { event.preventDefault(); props.onClose(); go({ at: "chat", chatId: chat.chat_id }); }}>
                  <span class="grow"><bdi>{line(chat.last ?? "Nothing was said", 120)}</bdi><small>{chat.present ? "The present one" : chat.last_ms == null ? "" : clock(chat.last_ms, room.nowMs())}</small></span>
                  <Icon name="right" />
                </a>
              </li>
            ))}
          </ul>
        )}
    </Sheet>
  );
}
