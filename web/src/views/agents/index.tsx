/** The list of agents: who needs the person first, then what is finished, works, is idle, and who cannot be reached. */
import { signal, useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Agent, Machine } from "../../api/types";
import { lazy } from "../../parts/lazy";
import { clock, span } from "../../kit/time";
import { line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Chip } from "../../parts/chip";
import { Icon } from "../../parts/icon";
import { Title } from "../../parts/title";
import { ALL, arrange, countsOf, filtersOf, isSameFilter, type Filter, type Group } from "../../store/agents";
import { asShown, firstOf, type Asked } from "../../store/questions";
import { wishFor } from "../operations/wish";
import { FirstRun, Loading, NoMatch } from "./empty";
import { useHeld, useKeptFocus } from "./held";
import { Row } from "./row";
import { search, SEARCH_FIELD, searchWanted } from "./search";

export { showAgent } from "./shown";
export { Row } from "./row";
export { SEARCH_FIELD, searchWanted } from "./search";

/** What the person chose to see, kept while other tabs are open. */
const filter = signal<Filter>(ALL);
let scrolled = 0;
/** Seconds would be read out each second. */
const TOLD_FROM_MS = 60_000;

export interface AgentListProps {
  /** The agent whose chat or terminal is open. */
  currentId: string | null;
  /** The older chat that is open. */
  currentChatId: string | null;
}

const OlderChats = lazy(() => import("./older").then((module) => module.OlderChats));
const isOlderOpen = signal(false);

export function AgentList(props: AgentListProps) {
  const room = useRoom();
  const asked = useComputed(() => room.state.value.questions).value;
  const agents = useComputed(() => asShown(room.state.value.agents, room.state.value.questions)).value;
  const machines = useComputed(() => room.state.value.machines).value;
  const isKnown = room.state.value.seq !== null;
  const all = useMemo(() => [...agents.values()], [agents]);
  const choices = useMemo(() => filtersOf(all, machines), [all, machines]);
  const chosen = choices.some((choice) => isSameFilter(choice.filter, filter.value)) ? filter.value : ALL;
  const next = useMemo(() => arrange(all, machines, chosen, search.value), [all, machines, chosen, search.value]);
  const list = useRef<HTMLDivElement>(null);
  const { groups, settling, isShifting } = useHeld(list, next, agents, `${JSON.stringify(chosen)} ${search.value}`);
  useKeptPlace(list);
  useKeptFocus(list);
  return (
    <section class="pane pane-list" aria-label="Agents">
      <header class="head">
        <Head><Summary agents={agents} machines={machines} asked={asked} /></Head>
        {all.length === 0 ? null : (
          <div class="chips" role="group" aria-label="Filter">
            {choices.map((choice) => (
              <Chip
                key={JSON.stringify(choice.filter)} label={line(choice.label, 40)}
                count={choice.filter.by === "kind" ? undefined : choice.count}
                isOn={isSameFilter(choice.filter, chosen)} onPress={() => { filter.value = choice.filter; }}
              />
            ))}
          </div>
        )}
      </header>
      <div class={isShifting ? "pane-scroll is-shifting" : "pane-scroll"} tabIndex={-1} role="group" aria-label="Agent list" ref={list}>
        {groups.map((group) => (
          <GroupView key={group.id} group={group} machines={machines} settling={settling} currentId={props.currentId} asked={asked} />
        ))}
        {groups.length > 0 ? null : !isKnown ? <Loading /> : all.length === 0 ? <FirstRun machines={machines} /> : (
          <NoMatch search={search.value} filter={chosen} onClear={() => { filter.value = ALL; search.value = ""; }} />
        )}
        {isKnown ? <Older search={search.value} currentChatId={props.currentChatId} /> : null}
      </div>
    </section>
  );
}

/** Behind one line, so that what is old costs nothing until somebody looks for it. */
function Older(props: { search: string; currentChatId: string | null }) {
  const isOpen = isOlderOpen.value || props.currentChatId !== null;
  return (
    <section class="group flat" aria-label="Older chats">
      <button class="btn btn-plain" type="button" aria-expanded={isOpen} onClick={() => { isOlderOpen.value = !isOpen; }}>
        <Icon name={isOpen ? "down" : "right"} small />Older chats
      </button>
      {isOpen ? <OlderChats search={props.search} currentChatId={props.currentChatId} /> : null}
    </section>
  );
}

function GroupView(props: { group: Group; machines: ReadonlyMap<string, Machine>; settling: ReadonlySet<string>; currentId: string | null; asked: Asked }) {
  const { group, machines, settling } = props;
  const { now } = useRoom();
  const id = `group-${group.id.replace(/[^\w-]/g, "-")}`;
  return (
    <section class={group.kind === "needs" ? "group" : "group flat"} aria-labelledby={id}>
      <h2 class="group-head" id={id}>
        <bdi>{line(group.title, 80)}</bdi> <span class="count">{group.agents.length}</span>
        {group.machine === null ? null : <span class="aside">last seen {clock(group.machine.last_seen_ms, now.value)}</span>}
      </h2>
      <ul class={group.kind === "needs" ? "need" : undefined}>
        {group.agents.map((agent) => {
          const machine = machines.get(agent.machine_id);
          return (
            <Row
              key={agent.id} agent={agent} machineName={machine?.name ?? ""}
              awaySinceMs={machine?.online === true ? null : machine?.last_seen_ms ?? agent.since_ms}
              isCurrent={agent.id === props.currentId} isSettling={settling.has(agent.id) && group.kind !== "away"} question={firstOf(props.asked, agent.id)}
            />
          );
        })}
      </ul>
    </section>
  );
}

let answered = 0;

function Head(props: { children: ComponentChildren }) {
  const [isSearching, setSearching] = useState(search.value !== "");
  const field = useRef<HTMLInputElement>(null);
  const open = (): void => {
    setSearching(true);
    requestAnimationFrame(() => field.current?.focus());
  };
  const wanted = searchWanted.value;
  useEffect(() => {
    if (wanted > answered) open();
    answered = wanted;
  }, [wanted]);
  return (
    <>
      <div class="head-top">
        <Title class="head-title">Agents</Title>
        <button class="icon-btn only-phone" type="button" aria-label="Search agents" aria-expanded={isSearching} onClick={() => (isSearching ? setSearching(false) : open())}>
          <Icon name="search" />
        </button>
        <button class="icon-btn" type="button" aria-label="Start an agent" title="Start an agent" onClick={() => wishFor({ kind: "start" })}><Icon name="plus" /></button>
      </div>
      {props.children}
      <label class={isSearching ? "search" : "search only-wide"} style="margin-top:var(--s2)">
        <Icon name="search" small />
        <span class="vh">Search agents</span>
        <input
          ref={field} id={SEARCH_FIELD} class="input" type="search" placeholder="Search agents" value={search.value} enterkeyhint="search"
          autocomplete="off" spellcheck={false} maxLength={200}
          onInput={(event) => { search.value = event.currentTarget.value; }}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            if (search.value === "") event.currentTarget.blur();
            search.value = "";
          }}
        />
        {search.value === "" ? <kbd class="only-wide" aria-hidden="true">/</kbd> : null}
      </label>
    </>
  );
}

/** How many wait, and for how long: the one thing that is announced. While nothing is proven, in the past tense. */
function Summary(props: { agents: ReadonlyMap<string, Agent>; machines: ReadonlyMap<string, Machine>; asked: Asked }) {
  const { now, isOld, link, state } = useRoom();
  const counts = useMemo(() => countsOf(props.agents, props.machines, props.asked), [props.agents, props.machines, props.asked]);
  if (state.value.seq === null || props.agents.size === 0) return null;
  const { waiting, longestSinceMs } = counts;
  const provenMs = "sinceMs" in link.value ? link.value.sinceMs : null;
  if (isOld.value && provenMs !== null) {
    const text = waiting === 0 ? "nothing waited for you" : `${waiting} waited for you`;
    return <p class="head-sum" role="status">At {clock(provenMs, now.value)}: <b>{text}</b></p>;
  }
  return (
    <p class="head-sum" role="status">
      {waiting === 0 ? "Nothing waits for you" : <><b>{waiting === 1 ? "1 waits for you" : `${waiting} wait for you`}</b>{longestSinceMs === null || now.value - longestSinceMs < TOLD_FROM_MS ? "" : waiting === 1 ? `, for ${span(now.value - longestSinceMs)}` : `, the longest for ${span(now.value - longestSinceMs)}`}</>}
    </p>
  );
}

/** Scrolled as it was when another tab was open in between. */
function useKeptPlace(list: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    element.scrollTop = scrolled;
    return () => {
      scrolled = element.scrollTop;
    };
  }, []);
}
