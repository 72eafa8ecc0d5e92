/** The tabs: at the foot of a phone, at the side of a desktop with words and machines where there is room. */
import { useComputed } from "@preact/signals";

import type { Machine } from "../api/types";
import { line } from "../kit/text";
import { span } from "../kit/time";
import { useRoom } from "../live/room";
import { Icon } from "../parts/icon";
import { countsOf } from "../store/agents";
import { tabOf } from "../kit/navigate";
import { addressOf, type Route, type Tab } from "../store/routes";

const TABS: readonly { tab: Tab; name: string; keys: string }[] = [
  { tab: "chief", name: "Chief", keys: "G C" },
  { tab: "agents", name: "Agents", keys: "G A" },
  { tab: "inbox", name: "Inbox", keys: "G I" },
  { tab: "usage", name: "Usage", keys: "G U" },
  { tab: "settings", name: "Settings", keys: "G S" },
];

export function Nav(props: { place: Route }) {
  const room = useRoom();
  const counts = useComputed(() => countsOf(room.state.value.agents, room.state.value.machines, room.state.value.questions));
  const stopped = useComputed(() => counts.value.stopped).value;
  const questions = useComputed(() => counts.value.questions).value;
  const current = tabOf(props.place);
  return (
    <nav class="nav" aria-label="Main">
      <p class="nav-brand"><Mark /> Control Room</p>
      <ul class="nav-list">
        {TABS.map(({ tab, name, keys }) => (
          <li key={tab}>
            <a class="nav-link" href={addressOf({ at: tab })} aria-current={tab === current ? "page" : undefined}>
              <Icon name={tab} /><span>{name}</span>
              {tab === "agents" ? <Badge count={stopped} words={`${stopped} stopped`} /> : null}
              {tab === "inbox" ? <Badge count={questions} words={questions === 1 ? "1 open question" : `${questions} open questions`} /> : null}
              <kbd class="nav-key" aria-hidden="true">{keys}</kbd>
            </a>
          </li>
        ))}
      </ul>
      <Machines />
    </nav>
  );
}

function Badge(props: { count: number; words: string }) {
  if (props.count === 0) return null;
  return <span class="badge"><span aria-hidden="true">{props.count > 99 ? "99+" : props.count}</span><span class="vh">, {props.words}</span></span>;
}

function Machines() {
  const { state } = useRoom();
  const machines = useComputed(() => state.value.machines).value;
  const agents = useComputed(() => state.value.agents).value;
  if (machines.size === 0) return null;
  const listed = [...agents.values()].filter((agent) => !agent.archived);
  return (
    <ul class="nav-foot" aria-label="Machines">
      {[...machines.values()].map((machine, at) => (
        <MachineLine key={machine.id} machine={machine} count={listed.filter((agent) => agent.machine_id === machine.id).length} isFirst={at === 0} />
      ))}
    </ul>
  );
}

function MachineLine(props: { machine: Machine; count: number; isFirst: boolean }) {
  const { machine, count, isFirst } = props;
  const { now } = useRoom();
  const seen = useComputed(() => `${span(now.value - machine.last_seen_ms)} ago`);
  return (
    <li>
      <span class={machine.online ? "dot" : "dot dot-off"} />
      <bdi class="grow">{line(machine.name, 40)}<span class="vh">{machine.online ? ", connected" : ", not reachable, last seen"}</span></bdi>
      <span class="muted">{machine.online ? (isFirst ? `${count} ${count === 1 ? "agent" : "agents"}` : count) : seen}</span>
    </li>
  );
}

/** The mark of the app. */
function Mark() {
  return (
    <svg class="mark" style="width:1.5rem;height:1.5rem" viewBox="0 0 56 56" aria-hidden="true">
      <rect width="56" height="56" rx="14" fill="#161b21" />
      <g fill="#46515d">{DOTS.map(([x, y]) => <circle key={`${x} ${y}`} cx={x} cy={y} r="3.5" />)}</g>
      <circle cx="40" cy="28" r="6" fill="#ffb52e" />
    </svg>
  );
}

const DOTS = [[16, 16], [28, 16], [40, 16], [16, 28], [28, 28], [16, 40], [28, 40], [40, 40]] as const;
