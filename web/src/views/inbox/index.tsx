/**
 * What waits for the person, the longest first. Until questions have cards of their own these are agents that are
 * stopped at a prompt, ask, or have a fault.
 */
import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";

import type { Agent, Machine } from "../../api/types";
import { go } from "../../kit/navigate";
import { Resizer } from "../../parts/resizer";
import { addressOf } from "../../store/routes";
import { PromptCard, PromptDock } from "../blocked";
import { isWide } from "../../kit/media";
import { span } from "../../kit/time";
import { block, line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Empty } from "../../parts/empty";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { Title, TitleLevel } from "../../parts/title";
import { standingOf, waiting, type Group } from "../../store/agents";
import { Row, showAgent } from "../agents";
import { useHeld } from "../agents/held";

/** The address of what waits: its dialog, which is another one when the next prompt shows; else the agent. */
export function waitingId(agent: Agent): string {
  return agent.waiting_for?.id ?? agent.id;
}

export function Inbox(props: { questionId?: string }) {
  const room = useRoom();
  const agents = useComputed(() => room.state.value.agents).value;
  const machines = useComputed(() => room.state.value.machines).value;
  const isKnown = room.state.value.seq !== null;
  const next = useMemo(() => asGroups(waiting(agents.values(), machines)), [agents, machines]);
  const list = useRef<HTMLDivElement>(null);
  const { groups, settling, isShifting } = useHeld(list, next, agents, "inbox");
  const shown = groups[0]?.agents ?? [];
  const chosen = shown.find((agent) => waitingId(agent) === props.questionId);
  // The first one is opened once, by its address: what stands beside the list never becomes another prompt by itself.
  const first = props.questionId === undefined && isWide.value ? shown[0] : undefined;
  useEffect(() => {
    if (first !== undefined) go({ at: "question", questionId: waitingId(first) }, { replace: true });
  }, [first === undefined]);
  return (
    <>
      <section class="pane pane-list" aria-label="Waits for you">
        <header class="head"><div class="head-top"><Title class="head-title">Inbox</Title></div>
          <p class="head-sum" role="status">{!isKnown ? "" : shown.length === 0 ? "Nothing waits for you" : <b>{shown.length === 1 ? "1 waits for you" : `${shown.length} wait for you`}</b>}</p>
        </header>
        <div class={isShifting ? "pane-scroll is-shifting" : "pane-scroll"} tabIndex={-1} role="group" aria-label="Waits for you" ref={list}>
          {shown.length === 0 && isKnown ? <Nothing /> : null}
          <div class="group">
            {isWide.value ? (
              <ul class="need">
                {shown.map((agent) => (
                  <Row
                    key={agent.id} agent={agent} machineName={nameOf(machines.get(agent.machine_id))} awaySinceMs={null}
                    isCurrent={agent === chosen} isSettling={settling.has(agent.id)} to={{ at: "question", questionId: waitingId(agent) }}
                  />
                ))}
              </ul>
            ) : (
              <ul class="stack">{shown.map((agent) => <li key={agent.id} class={settling.has(agent.id) ? "is-settling" : undefined}><Card agent={agent} machine={machines.get(agent.machine_id)} /></li>)}</ul>
            )}
          </div>
        </div>
      </section>
      <Resizer />
      <TitleLevel.Provider value={isWide.value ? 2 : 1}>
        <section class="pane pane-detail" aria-label={chosen === undefined ? "What waits" : `What ${line(chosen.name, 80)} waits for`}>
          {chosen !== undefined ? <Detail key={waitingId(chosen)} agent={chosen} machine={machines.get(chosen.machine_id)} />
            : props.questionId !== undefined && isKnown ? <Closed /> : null}
        </section>
      </TitleLevel.Provider>
    </>
  );
}

function asGroups(agents: readonly Agent[]): Group[] {
  return agents.length === 0 ? [] : [{ id: "needs", kind: "needs", title: "Waits for you", machine: null, agents }];
}

function nameOf(machine: Machine | undefined): string {
  return machine === undefined ? "" : line(machine.name, 60);
}

function Nothing() {
  return (
    <Empty icon="inbox" title={<h2>Nothing waits for you</h2>}>
      <p>Agents that stop at a prompt, ask you something or have a fault show here, the longest waiting first.</p>
      <a class="btn btn-line" href="/app/agents">All agents</a>
    </Empty>
  );
}

/** A link to something that is not open any more. */
function Closed() {
  return (
    <Empty icon="inbox" title={<Title>This is not open any more</Title>}>
      <p>It was answered here or in the terminal, or its agent went on. Nothing was sent by opening this link.</p>
      <a class="btn btn-line" href="/app/inbox">What waits now</a>
    </Empty>
  );
}

/** On a desktop: beside the list, with the way to the chat and the terminal. */
function Detail(props: { agent: Agent; machine: Machine | undefined }) {
  const { agent, machine } = props;
  const standing = standingOf(agent);
  return (
    <>
      <header class="chat-head">
        <div class="chat-bar">
          <a class="icon-btn only-phone" href="/app/inbox" aria-label="Back to Inbox"><Icon name="back" /></a>
          <div class="chat-id">
            <Title class="chat-name"><bdi>{line(agent.name, 100)}</bdi></Title>
            <p class="chat-state"><Lamp name={standing.lamp} small /><span><b>{standing.word}</b> for <Since sinceMs={standing.sinceMs} />{machine === undefined ? "" : " · "}<bdi>{nameOf(machine)}</bdi></span></p>
          </div>
          <a class="icon-btn" href={addressOf({ at: "agent", agentId: agent.id })} aria-label="Open the chat"><Icon name="list" /></a>
          <a class="icon-btn" href={addressOf({ at: "terminal", agentId: agent.id })} aria-label="Open the live terminal"><Icon name="term" /></a>
          <button class="icon-btn" type="button" aria-label="Why, and actions" onClick={() => showAgent(agent.id)}><Icon name="more" /></button>
        </div>
      </header>
      <div class="thread"><div class="thread-in"><What agent={agent} isDocked /></div></div>
      {agent.waiting_for ? <PromptDock agent={agent} /> : null}
    </>
  );
}

/** On a phone: one card after the other. */
function Card(props: { agent: Agent; machine: Machine | undefined }) {
  const { agent } = props;
  const standing = standingOf(agent);
  return (
    <article class="inbox-card stack-s" aria-label={`${standing.word}: ${line(agent.name, 80)}`}>
      <div class="card-over">
        <Lamp name={standing.lamp} />
        <a class="who" href={addressOf({ at: "agent", agentId: agent.id })}><bdi>{line(agent.name, 80)}</bdi></a>
        <span class="age"><Since sinceMs={standing.sinceMs} /></span>
        <button class="icon-btn" type="button" aria-label={`Why, and actions for ${line(agent.name, 80)}`} onClick={() => showAgent(agent.id)}><Icon name="more" /></button>
      </div>
      <What agent={agent} />
    </article>
  );
}

function Since(props: { sinceMs: number }) {
  const { now } = useRoom();
  const text = useComputed(() => span(now.value - props.sinceMs));
  return <>{text}</>;
}

/** What it waits for: its fault with what to do, its dialog with the answers, or its question. */
function What(props: { agent: Agent; isDocked?: boolean }) {
  const { agent } = props;
  return (
    <>
      {agent.fault ? <Words agent={agent} text={agent.fault.text} isLit={false} /> : null}
      {agent.waiting_for ? <PromptCard agent={agent} isDocked={props.isDocked === true} />
        : agent.fault ? null : <Words agent={agent} text={agent.evidence.detail} isLit />}
    </>
  );
}

function Words(props: { agent: Agent; text: string; isLit: boolean }) {
  const { agent } = props;
  return (
    <section class={props.isLit ? "card card-lit" : "card"}>
      <p class="card-over">{standingOf(agent).word}</p>
      <p class="card-q" dir="auto">{block(props.text, 2000)}</p>
      {props.isLit ? <p class="md second">Answer in its chat.</p> : null}
      <div class="card-acts">
        <a class="btn btn-line" href={addressOf({ at: "agent", agentId: agent.id })}><Icon name="list" small />Open the chat</a>
        <a class="btn btn-plain" href={addressOf({ at: "terminal", agentId: agent.id })}><Icon name="term" small />See its terminal</a>
      </div>
    </section>
  );
}
