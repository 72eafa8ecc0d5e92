/** All of one agent that the list has no room for: why it counts as what it does, and what can be done with it. */
import type { Agent, Machine } from "../../api/types";
import { addressOf } from "../../store/routes";
import { popOut } from "../../kit/navigate";
import { clock, fullTime, span } from "../../kit/time";
import { block, line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { Sheet } from "../../parts/sheet";
import { isAway, kindName, standingOf } from "../../store/agents";
import { OperationButtons } from "../operations/buttons";
import { copyLink, toggleArchive, toggleMute, togglePin } from "./acts";
import { AgentNotify } from "./notify";
import { shown } from "./shown";

/** The place for the sheet: the shell mounts it once one is shown. */
export function AgentSheets() {
  const room = useRoom();
  const agentId = shown.value;
  if (agentId === null) return null;
  const { agents, machines } = room.state.value;
  const agent = agents.get(agentId);
  if (agent === undefined) return null;
  return <AgentSheet key={agentId} agent={agent} machine={machines.get(agent.machine_id) ?? null} onClose={() => { shown.value = null; }} />;
}

function AgentSheet(props: { agent: Agent; machine: Machine | null; onClose(): void }) {
  const { agent, machine, onClose } = props;
  const room = useRoom();
  const isOff = isAway(agent, room.state.value.machines);
  const does = (act: () => void) => () => {
    onClose();
    act();
  };
  return (
    <Sheet title={line(agent.name, 100)} onClose={onClose}>
      <div class="acts">
        <a class="btn" href={addressOf({ at: "agent", agentId: agent.id })} onClick={onClose}><Icon name="list" small />Open the chat</a>
        <a class="btn" href={addressOf({ at: "terminal", agentId: agent.id })} onClick={onClose}><Icon name="term" small />Open the terminal</a>
        <button class="btn" type="button" onClick={does(() => void togglePin(room, agent))}><Icon name="pin" small />{agent.pinned ? "Unpin" : "Pin"}</button>
        <button class="btn" type="button" onClick={does(() => void toggleMute(room, agent))}><Icon name={agent.muted ? "bell" : "mute"} small />{agent.muted ? "Unmute its pushes" : "Mute its pushes"}</button>
        <button class="btn" type="button" onClick={does(() => void toggleArchive(room, agent))}><Icon name={agent.archived ? "undo" : "inbox"} small />{agent.archived ? "Bring it back" : "Archive"}</button>
        <button class="btn only-wide-flex" type="button" onClick={does(() => popOut({ at: "agent", agentId: agent.id }))}><Icon name="move" small />In its own window</button>
        <button class="btn" type="button" onClick={does(() => void copyLink(agent))}><Icon name="link" small />Copy its link</button>
      </div>
      <OperationButtons agent={agent} before={onClose} />
      <Why agent={agent} machine={machine} isOff={isOff} />
      <AgentNotify agent={agent} />
    </Sheet>
  );
}

function Why(props: { agent: Agent; machine: Machine | null; isOff: boolean }) {
  const { agent, machine, isOff } = props;
  const { now } = useRoom();
  const nowMs = now.value;
  const standing = standingOf(agent);
  const { evidence, fault } = agent;
  return (
    <section class="stack" aria-labelledby="why-title">
      <h3 class="card-over" id="why-title">
        <Lamp name={standing.lamp} />
        <b>{isOff ? `${standing.word}, as last seen` : standing.word}</b>
        <span class="age" title={fullTime(standing.sinceMs)}>for {span(nowMs - standing.sinceMs)}, since {clock(standing.sinceMs, nowMs)}</span>
      </h3>
      {isOff && machine !== null ? (
        <p class="callout"><Icon name="off" /><span><bdi>{line(machine.name, 60)}</bdi> is not reachable, last seen {clock(machine.last_seen_ms, nowMs)}. What it does now is not known.</span></p>
      ) : null}
      {fault ? <p class="callout callout-fault"><Icon name="warn" /><span dir="auto">{block(fault.text, 600)}</span></p> : null}
      {agent.uncertain ? (
        <p class="callout"><Icon name="info" /><span>Which session runs in its pane is not certain: <bdi>{line(agent.uncertain)}</bdi></span></p>
      ) : null}
      <dl class="facts">
        <Fact name="Rule" text={RULES[evidence.rule] ?? evidence.rule} />
        <Fact name="Source" text={SOURCES[evidence.source] ?? (evidence.source || "none")} />
        <Fact name="It says" text={block(evidence.detail, 600) || "nothing"} />
        <Fact name="Since" text={fullTime(evidence.at_ms)} />
        {standing.was === null ? null : <Fact name="Before" text={`${standing.was.word}, ${clock(standing.was.atMs, nowMs)}`} />}
        <Fact name="Agent" text={[kindName(agent.kind), agent.model, agent.profile].filter(Boolean).join(" · ")} />
        <Fact name="Machine" text={machine?.name ?? "not known"} />
        {agent.folder ? <Fact name="Folder" text={agent.branch ? `${agent.folder} (${agent.branch})` : agent.folder} /> : null}
        {agent.pane ? <Fact name="Pane" text={`${agent.pane.multiplexer} ${agent.pane.server} ${agent.pane.id}`} /> : null}
        {agent.helpers > 0 ? <Fact name="Helpers" text={String(agent.helpers)} /> : null}
        {agent.context_used_pct == null ? null : <Fact name="Context" text={`${Math.round(agent.context_used_pct)} % used`} />}
      </dl>
    </section>
  );
}

function Fact(props: { name: string; text: string }) {
  return <div><dt>{props.name}</dt><dd dir="auto">{line(props.text, 600)}</dd></div>;
}

const RULES: Readonly<Record<string, string>> = {
  gone: "Gone: its process has ended",
  unknown: "Not known: no evidence is fresh enough",
  blocked: "Blocked: a dialog waits for a person",
  question: "Question: its last reply asks you",
  working: "Working: a turn runs",
  helpers: "Waiting on helpers: its turn ended, helpers run",
  idle: "Idle: at its prompt, no turn runs",
  starting: "Starting: young, nothing known yet",
};

const SOURCES: Readonly<Record<string, string>> = {
  registry: "the agent’s own registry",
  socket: "the agent’s own socket",
  transcript: "its transcript",
  screen: "its screen",
  title: "the title of its pane",
  process: "its process",
  hooks: "its hooks",
};
