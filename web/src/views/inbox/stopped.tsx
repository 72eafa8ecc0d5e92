/** Agents that wait with something that has no card of its own: a prompt, a fault, a question that nobody could read. */
import { useComputed } from "@preact/signals";

import type { Agent, Machine } from "../../api/types";
import { block, line } from "../../kit/text";
import { span } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { Title } from "../../parts/title";
import { standingOf } from "../../store/agents";
import { addressOf } from "../../store/routes";
import { showAgent } from "../agents";
import { PromptCard, PromptDock } from "../blocked";

/** The address of what waits: its dialog, which is another one when the next prompt shows; else the agent. */
export function waitingId(agent: Agent): string {
  return agent.waiting_for?.id ?? agent.id;
}

export function nameOf(machine: Machine | undefined): string {
  return machine === undefined ? "" : line(machine.name, 60);
}

/** On a desktop: beside the list, with the way to the chat and the terminal. */
export function StoppedDetail(props: { agent: Agent; machine: Machine | undefined }) {
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
export function StoppedCard(props: { agent: Agent; machine: Machine | undefined }) {
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
