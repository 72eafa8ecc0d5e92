/** The command palette: type to go to an agent or a tab, or to do something with what is open. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Agent, ChatEntry, ChatList, FoundItems, Item, Question } from "../api/types";
import { useDelayed } from "../kit/delayed";
import { line } from "../kit/text";
import { setPaused } from "../live/question-acts";
import { useRoom, type Room } from "../live/room";
import { Icon } from "../parts/icon";
import { Lamp } from "../parts/lamp";
import { Dialog } from "../parts/sheet";
import { showToast } from "../parts/toast";
import { isAway, standingOf } from "../store/agents";
import { fit, inCallOrder, ranked } from "../store/palette";
import { openOf } from "../store/questions";
import { changeTaste, taste } from "../store/taste";
import { showAgent } from "../views/agents";
import { copyLink, toggleArchive, toggleMute, togglePin } from "../views/agents/acts";
import { operationItems } from "../views/operations/acts";
import { wishFor } from "../views/operations/wish";
import { KeyNames } from "./all-keys";
import { keyActs } from "../kit/keys";
import { changeLayout, layout } from "../kit/layout";
import { go, popOut, route } from "../kit/navigate";
import { overlay } from "../kit/overlay";
import type { Route } from "../store/routes";
import { currentAgentId } from "./shortcuts";

interface Entry {
  id: string;
  name: string;
  icon?: string;
  agent?: Agent;
  /** Its machine cannot be reached. */
  isAway?: boolean;
  keys?: string;
  run(): void;
}

interface Section {
  title: string;
  entries: readonly Entry[];
}

const MOST_AGENTS = 8;
const MOST_ACTS = 16;
const MOST_QUESTIONS = 6;
/** The rank from which on what was typed stands in a text word by word. */
const WORDS_FIT = 2.5;
const MOST_HITS = 6;
const ASK_AFTER_MS = 250;
const ASK_FROM_LETTERS = 3;

export function Palette(props: { onClose(): void }) {
  const room = useRoom();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const subject = useRef(currentAgentId()); // before the focus moves into the dialog
  const agents = room.state.value.agents;
  const agent = subject.current === null ? undefined : agents.get(subject.current);
  const chats = useChats(room, typed);
  const hits = useHits(room, agent, typed);
  const sections = useMemo(
    () => [...sectionsFor(room, agents, agent, typed), ...chatSections(agent, agents, chats, hits)], [agents, agent, typed, chats, hits],
  );
  const all = sections.flatMap((section) => section.entries);
  const chosen = all[Math.min(at, all.length - 1)];
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen?.id]);

  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    props.onClose();
    // The dialog gives the focus back first: what an entry does may want it.
    requestAnimationFrame(() => entry.run());
  };
  const onKey = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: event.ctrlKey ? 0 : undefined, End: event.ctrlKey ? all.length - 1 : undefined }[event.key];
    if (to !== undefined && all.length > 0) setAt((to + all.length) % all.length);
    else if (event.key === "Enter" && !event.isComposing) run(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog class="sheet palette" label="Go to or do" onClose={props.onClose} closesOutside>
      <div style="padding:var(--s3)">
        <label class="search">
          <Icon name="search" small />
          <span class="vh">Go to or do</span>
          <input
            class="input" type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
            aria-activedescendant={chosen === undefined ? undefined : `palette-${chosen.id}`} autofocus autocomplete="off" spellcheck={false}
            placeholder="Go to or do" value={typed} maxLength={200} onKeyDown={onKey}
            onInput={(event) => { setTyped(event.currentTarget.value); setAt(0); }}
          />
        </label>
      </div>
      <div class="sheet-body" style="padding:0 0 var(--s2)" id="palette-list" role="listbox" aria-label="Results" tabIndex={-1} ref={list}>
        {sections.map((section) => (
          <ul key={section.title} role="group" aria-label={section.title}>
            <li class="group-head" style="padding-inline:var(--s4)" role="presentation"><bdi>{section.title}</bdi></li>
            {section.entries.map((entry) => (
              <li
                key={entry.id} id={`palette-${entry.id}`} role="option" aria-selected={entry === chosen} class={entry.isAway ? "set is-stale" : "set"}
                style={`min-height:max(var(--tap),2.5rem);cursor:pointer;${entry === chosen ? "background:var(--selected)" : ""}`}
                onPointerMove={() => setAt(all.indexOf(entry))} onClick={() => run(entry)}
              >
                {entry.agent === undefined ? <Icon name={entry.icon ?? "right"} /> : <Lamp name={standingOf(entry.agent).lamp} />}
                <span class="grow">{entry.agent === undefined ? null : <span class="vh">{standingOf(entry.agent).word}{entry.isAway ? ", not reachable" : ""}: </span>}<bdi>{entry.name}</bdi></span>
                {entry.keys === undefined ? null : <span class="only-wide" aria-hidden="true"><KeyNames keys={entry.keys} /></span>}
              </li>
            ))}
          </ul>
        ))}
      </div>
      {all.length > 0 ? null : <p class="sec-hint" style="padding:0 var(--s4) var(--s4)" role="status">Nothing is called “<bdi>{line(typed, 60)}</bdi>”.</p>}
    </Dialog>
  );
}

/** Chats that no agent in the list leads to, and places in the chat that is open. */
function chatSections(agent: Agent | undefined, agents: ReadonlyMap<string, Agent>, chats: readonly ChatEntry[], hits: readonly Item[]): Section[] {
  const listed = new Set([...agents.values()].map((each) => each.chat_id));
  const sections: Section[] = [
    {
      title: agent === undefined ? "In the chat" : `In the chat with ${line(agent.name, 60)}`,
      entries: agent === undefined ? [] : hits.map((item) => ({
        id: `hit-${item.id.replace(/\W/g, "-")}`, name: `“${line(item.text ?? item.tool?.title ?? "", 90)}”`, icon: "doc",
        run: () => go({ at: "agent", agentId: agent.id, itemId: item.id }),
      })),
    },
    {
      title: "Older chats",
      entries: chats.filter((chat) => !listed.has(chat.chat_id)).slice(0, MOST_AGENTS).map((chat) => ({
        id: `chat-${chat.chat_id.replace(/\W/g, "-")}`, name: line(chat.name, 100), icon: "doc", run: () => go({ at: "chat", chatId: chat.chat_id }),
      })),
    },
  ];
  return sections.filter((section) => section.entries.length > 0);
}

function useChats(room: Room, typed: string): readonly ChatEntry[] {
  const found = useAsked<ChatList>(room, "/chats", typed);
  return found?.chats ?? [];
}

function useHits(room: Room, agent: Agent | undefined, typed: string): readonly Item[] {
  const found = useAsked<FoundItems>(room, agent === undefined ? null : `/chats/${encodeURIComponent(agent.chat_id)}/search`, typed);
  return (found?.hits ?? []).slice(0, MOST_HITS).map((hit) => hit.item);
}

/** What the hub finds for what was typed, once nobody types. Nothing while it is asked for, or when it refuses. */
function useAsked<T>(room: Room, path: string | null, typed: string): T | null {
  const text = useDelayed(typed.trim(), ASK_AFTER_MS);
  const [found, setFound] = useState<T | null>(null);
  useEffect(() => {
    setFound(null);
    if (path === null || text.length < ASK_FROM_LETTERS) return;
    const abort = new AbortController();
    void room.http.request<T>("GET", path, { query: { q: text, limit: 20 }, signal: abort.signal }).then((answer) => {
      if (answer.ok && !abort.signal.aborted) setFound(answer.value);
    });
    return () => abort.abort();
  }, [path, text]);
  return found;
}

function sectionsFor(room: Room, agents: ReadonlyMap<string, Agent>, agent: Agent | undefined, typed: string): Section[] {
  const found = ranked(inCallOrder(agents.values()), (each) => each.name, typed, MOST_AGENTS);
  const sections: Section[] = [
    {
      title: "Agents",
      entries: found.map((each) => ({ id: `agent-${each.id}`, name: line(each.name, 100), agent: each, isAway: isAway(each, room.state.value.machines), run: () => go({ at: "agent", agentId: each.id }) })),
    },
    {
      title: "Questions",
      entries: ranked(questionsWith(room, typed), (question) => question.question, typed, MOST_QUESTIONS).map((question) => ({
        id: `question-${question.id.replace(/\W/g, "-")}`, name: `${question.blocking ? "Blocking: " : ""}${line(question.question, 110)}`, icon: "inbox",
        run: () => go({ at: "question", questionId: question.id }),
      })),
    },
    ...(agent === undefined ? [] : [{ title: `Do with ${line(agent.name, 60)}`, entries: ranked(actsOf(room, agent), (entry) => entry.name, typed, MOST_ACTS) }]),
    { title: "Go to", entries: ranked(PLACES, (entry) => entry.name, typed, MOST_ACTS) },
    { title: "Do", entries: ranked([...keyEntries(), ...acts(room)], (entry) => entry.name, typed, MOST_ACTS) },
  ];
  return sections.filter((section) => section.entries.length > 0);
}

/** In a sentence any letters stand in some order: only words count. */
function questionsWith(room: Room, typed: string): readonly Question[] {
  return openOf(room.state.value.questions).filter((question) => typed.trim() === "" || fit(question.question, typed) >= WORDS_FIT);
}

function actsOf(room: Room, agent: Agent): Entry[] {
  const agentId = agent.id;
  const isOpen = "agentId" in route.value && route.value.agentId === agentId;
  return [
    ...(isOpen && route.value.at === "agent" ? [] : [{ id: "chat", name: "Open the chat", icon: "list", run: () => go({ at: "agent", agentId }) }]),
    { id: "terminal", name: "Open the terminal", icon: "term", keys: "t", run: () => go({ at: "terminal", agentId }) },
    { id: "why", name: "Why it counts as what it does", icon: "eye", keys: "m", run: () => showAgent(agentId) },
    { id: "pin", name: agent.pinned ? "Unpin" : "Pin", icon: "pin", run: () => void togglePin(room, agent) },
    { id: "mute", name: agent.muted ? "Unmute its pushes" : "Mute its pushes", icon: agent.muted ? "bell" : "mute", run: () => void toggleMute(room, agent) },
    { id: "archive", name: agent.archived ? "Bring it back" : "Archive", icon: agent.archived ? "undo" : "inbox", run: () => void toggleArchive(room, agent) },
    { id: "window", name: "Chat in its own window", icon: "move", run: () => popOut({ at: "agent", agentId }) },
    { id: "term-window", name: "Terminal in its own window", icon: "move", run: () => popOut({ at: "terminal", agentId }) },
    { id: "link", name: "Copy its link", icon: "link", run: () => void copyLink(agent) },
    ...operationItems(agent).map((item): Entry => ({ id: `operation-${item.icon ?? ""}`, name: item.label, ...(item.icon === undefined ? {} : { icon: item.icon }), run: item.run })),
  ];
}

const PLACES: readonly Entry[] = ([
  ["Chief", "chief", { at: "chief" }, "g c"],
  ["Agents", "agents", { at: "agents" }, "g a"],
  ["Inbox", "inbox", { at: "inbox" }, "g i"],
  ["Closed questions", "checks", { at: "inbox", isClosed: true }, undefined],
  ["Usage", "usage", { at: "usage" }, "g u"],
  ["Settings", "settings", { at: "settings" }, "g s"],
  ["Shells of the host", "term", { at: "shells" }, undefined],
  ["Devices", "phone", { at: "settings", page: "devices" }, undefined],
  ["This device", "laptop", { at: "settings", page: "this-device" }, undefined],
] as const satisfies readonly (readonly [string, string, Route, string | undefined])[]).map(([name, icon, to, keys]) => ({
  id: `place-${icon}`, name, icon, run: () => go(to), ...(keys === undefined ? {} : { keys }),
}));

/** What the view that is open lets keys do, and says that it may be done from here. */
function keyEntries(): Entry[] {
  return keyActs().map(({ keys, shortcut }) => ({
    id: `key-${keys.replace(/\W/g, (sign) => String(sign.charCodeAt(0)))}`, name: shortcut.label, icon: "right", keys,
    run: () => { shortcut.run(new KeyboardEvent("keydown")); },
  }));
}

async function pause(room: Room, isPaused: boolean): Promise<void> {
  const trouble = await setPaused(room, isPaused);
  showToast({ text: trouble !== "" ? line(trouble, 200) : isPaused ? "Paused. No default is used by itself" : "Resumed. Overdue defaults are used now" });
}

function acts(room: Room): Entry[] {
  const { theme } = taste.value;
  const isPaused = room.state.value.paused !== null;
  return [
    { id: "start", name: "Start an agent…", icon: "plus", run: () => wishFor({ kind: "start" }) },
    { id: "pause", name: isPaused ? "Resume: use defaults again" : "Pause: use no default by itself", icon: isPaused ? "right" : "hourglass", run: () => void pause(room, !isPaused) },
    { id: "list", name: layout.value.isListHidden ? "Show the list" : "Hide the list", icon: "list", keys: "[", run: () => changeLayout({ isListHidden: !layout.value.isListHidden }) },
    ...(theme === "dark" ? [] : [{ id: "dark", name: "Dark", icon: "moon", run: () => changeTaste({ theme: "dark" }) }]),
    ...(theme === "light" ? [] : [{ id: "light", name: "Light", icon: "sun", run: () => changeTaste({ theme: "light" }) }]),
    ...(theme === "system" ? [] : [{ id: "system", name: "Light or dark as the system", icon: "laptop", run: () => changeTaste({ theme: "system" }) }]),
    { id: "usage-window", name: "Usage in its own window", icon: "move", run: () => popOut({ at: "usage" }) },
    { id: "keys", name: "All keys", icon: "keyb", keys: "?", run: () => { overlay.value = "keys"; } },
  ];
}
