/** The frame: strips, navigation, list and detail. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { ChatList } from "../api/types";
import { isWide } from "../kit/media";
import { line } from "../kit/text";
import { useRoom } from "../live/room";
import { Empty } from "../parts/empty";
import { Title, TitleLevel } from "../parts/title";
import { Toasts } from "../parts/toast";
import { AgentList } from "../views/agents";
import { shown } from "../views/agents/shown";
import { Boundary } from "./boundary";
import { layout } from "../kit/layout";
import { Nav } from "./nav";
import { go, isDetail, isPopOut, route, tabOf } from "../kit/navigate";
import { titleOf } from "./page";
import { Resizer } from "../parts/resizer";
import { addressOf, type Route } from "../store/routes";
import { rowOf, Shortcuts } from "./shortcuts";
import { Strips } from "./strips";
import { wish } from "../views/operations/wish";
import { AgentSheets, AgentTerminal, ChatView, Chief, HostShells, Inbox, OperationSheets, SettingsList, SettingsPage, SharedView, Usage } from "./views";

export function Shell() {
  const place = route.value;
  const { isOld } = useRoom();
  useFocus(place);
  const isHidden = layout.value.isListHidden && isDetail(place);
  return (
    <div
      class={isOld.value ? "app is-old" : "app"} data-view={isDetail(place) ? "detail" : "list"} data-window={isPopOut ? "" : undefined}
      style={`--list-width:${layout.value.listRem}rem`}
    >
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to content</a>
      <div class="banner"><Strips /></div>
      {isPopOut ? null : <Nav place={place} />}
      <main class={mainClass(place, isHidden)} id="main" tabIndex={-1}>
        <TitleLevel.Provider value={1}>
          <Boundary place={tabOf(place)}><Panes place={place} isListHidden={isHidden} /></Boundary>
        </TitleLevel.Provider>
      </main>
      <Toasts />
      {shown.value === null ? null : <AgentSheets />}
      {wish.value === null ? null : <OperationSheets />}
      <Shortcuts />
    </div>
  );
}

function mainClass(place: Route, isListHidden: boolean): string {
  const isOne = isPopOut || place.at === "chief" || place.at === "usage" || place.at === "lost" || place.at === "shared" || (place.at === "inbox" && place.isClosed === true);
  return ["panes", isOne ? "panes-one" : "", isListHidden ? "is-list-hidden" : ""].filter(Boolean).join(" ");
}

/** The panes of a place: the list that it belongs to, and itself. */
function Panes(props: { place: Route; isListHidden: boolean }) {
  const { place } = props;
  switch (place.at) {
    case "agents":
    case "agent":
    case "chat":
    case "terminal":
    case "shells":
      return <Beside place={addressOf(place)} list={<AgentList currentId={"agentId" in place ? place.agentId : null} currentChatId={place.at === "chat" ? place.chatId : null} />} isListHidden={props.isListHidden}><AgentDetail place={place} /></Beside>;
    case "inbox":
    case "question":
      return <Inbox {...(place.at === "question" ? { questionId: place.questionId } : { isClosed: place.isClosed === true })} />;
    case "chief":
      return <Chief />;
    case "usage":
      return <Usage />;
    case "settings":
      return <Beside place={addressOf(place)} list={<SettingsList page={place.page} />} isListHidden={props.isListHidden}><SettingsPage key={place.page} page={place.page} /></Beside>;
    case "shared":
      return <SharedView />;
    case "lost":
      return <Lost path={place.path} />;
    case "pair":
      return null;
  }
}

/** List and detail. In a window of its own, and on a phone behind a detail, the list is not there. */
function Beside(props: { place: string; list: ComponentChildren; isListHidden: boolean; children: ComponentChildren }) {
  if (isPopOut) return <Boundary place={props.place}>{props.children}</Boundary>;
  const isListShown = isWide.value && !props.isListHidden;
  return (
    <>
      {props.list}
      <Resizer />
      <TitleLevel.Provider value={isListShown ? 2 : 1}><Boundary place={props.place}>{props.children}</Boundary></TitleLevel.Provider>
    </>
  );
}

function AgentDetail(props: { place: Route }) {
  const { place } = props;
  const { state } = useRoom();
  switch (place.at) {
    case "agent": {
      const agent = state.value.agents.get(place.agentId);
      if (agent === undefined) return <UnknownAgent key={place.agentId} agentId={place.agentId} isHeard={state.value.seq !== null} />;
      return <ChatView key={agent.id} agentId={agent.id} chatId={agent.chat_id} {...(place.itemId === undefined ? {} : { itemId: place.itemId })} />;
    }
    case "chat": {
      const owner = [...state.value.agents.values()].find((agent) => agent.chat_id === place.chatId);
      return (
        <ChatView
          key={place.chatId} chatId={place.chatId} {...(owner === undefined ? {} : { agentId: owner.id })}
          {...(place.itemId === undefined ? {} : { itemId: place.itemId })}
        />
      );
    }
    case "terminal":
      return <section class="pane pane-detail" aria-label={titleOf(place, state.value)}><AgentTerminal key={place.agentId} agentId={place.agentId} /></section>;
    case "shells":
      return <section class="pane pane-detail" aria-label="Shells"><HostShells /></section>;
    default:
      if (state.value.agents.size === 0) return <section class="pane pane-detail" aria-label="Chat" />;
      return (
        <section class="pane pane-detail" aria-label="Chat">
          <Empty icon="agents" title={<h2>No chat is open</h2>}>
            <p>Choose an agent in the list. <span class="only-wide"><kbd>J</kbd> and <kbd>K</kbd> move, <kbd>Enter</kbd> opens, <kbd>N</kbd> opens the next that needs you, <kbd>?</kbd> shows all keys.</span></p>
          </Empty>
        </section>
      );
  }
}

/** A link to an agent that is not in the fleet: not yet, or not any more. Its newest chat is looked for. */
function UnknownAgent(props: { agentId: string; isHeard: boolean }) {
  const { agentId, isHeard } = props;
  const { http } = useRoom();
  const [isLooking, setLooking] = useState(true);
  useEffect(() => {
    if (!isHeard) return;
    const abort = new AbortController();
    void http.request<ChatList>("GET", "/chats", { query: { q: agentId, limit: 10 }, signal: abort.signal }).then((answer) => {
      if (abort.signal.aborted) return;
      const chat = answer.ok ? answer.value.chats.find((each) => each.agent_id === agentId) : undefined;
      if (chat === undefined) setLooking(false);
      else go({ at: "chat", chatId: chat.chat_id }, { replace: true });
    });
    return () => abort.abort();
  }, [agentId, isHeard]);
  if (isHeard && isLooking) return <section class="pane pane-detail" aria-label="Chat" aria-busy="true" />;
  return (
    <section class="pane pane-detail" aria-label="Chat">
      <Empty icon="agents" isBusy={!props.isHeard} title={<Title>{props.isHeard ? "This agent is not in the list" : "Nothing was heard yet"}</Title>}>
        <p>{props.isHeard ? "It was closed, or has been gone for more than a day. Its chats stay readable: search for their words." : "The chat shows as soon as the control room answers."}</p>
        <a class="btn btn-line" href="/app/agents">All agents</a>
      </Empty>
    </section>
  );
}

function Lost(props: { path: string }) {
  return (
    <section class="pane pane-list" aria-label="Not found">
      <Empty icon="search" title={<Title>There is no such page</Title>}>
        <p><code>{line(props.path, 120)}</code> leads nowhere here. The link may be of another version, or cut.</p>
        <a class="btn btn-line" href="/app/agents">All agents</a>
      </Empty>
    </section>
  );
}

/** After a change of place the focus is never lost: where what had it is hidden now, the page's content has it. */
function useFocus(place: Route): void {
  const before = useRef(place);
  useEffect(() => {
    const from = before.current;
    before.current = place;
    if (from === place) return;
    const frame = requestAnimationFrame(() => {
      const active = document.activeElement;
      const row = "agentId" in place ? rowOf(place.agentId) : null;
      if (active?.classList.contains("row-link") && row?.checkVisibility()) {
        row.focus({ preventScroll: true });
        row.scrollIntoView({ block: "nearest" });
        return;
      }
      if (active instanceof HTMLElement && active !== document.body && active.id !== "main" && active.checkVisibility()) return;
      const cameFrom = "agentId" in from ? rowOf(from.agentId) : null;
      const target = cameFrom?.checkVisibility() ? cameFrom : document.getElementById("main");
      target?.focus({ preventScroll: target !== cameFrom });
    });
    return () => cancelAnimationFrame(frame);
  }, [place]);
}
