/** What the list says when it has nothing to show, and what can be done. */
import type { Machine } from "../../api/types";
import { copyText } from "../../kit/copy";
import { line } from "../../kit/text";
import { clock } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Empty } from "../../parts/empty";
import { Icon } from "../../parts/icon";
import { showToast } from "../../parts/toast";
import type { Filter } from "../../store/agents";
import { wishFor } from "../operations/wish";

const SAID_AFTER_MS = 1500;

/** Nothing was heard yet. */
export function Loading() {
  const { link, now } = useRoom();
  const { value } = link;
  if (value.kind === "live") return null;
  const since = "sinceMs" in value ? value.sinceMs : now.value;
  if (now.value - since < SAID_AFTER_MS) return null; // most answers are there before anybody reads
  return (
    <Empty icon="agents" isBusy title={<h2>Nothing was heard yet</h2>}>
      <p>Asking the control room since {clock(since, now.value)}. The agents show here as soon as it answers.</p>
    </Empty>
  );
}

export function NoMatch(props: { search: string; filter: Filter; onClear(): void }) {
  const { search, filter } = props;
  if (search !== "") {
    return (
      <Empty icon="search" title={<h2>No agent matches “<bdi>{line(search, 60)}</bdi>”</h2>}>
        <p>Looked at names, folders, machines, accounts, status lines and last words.</p>
        <button class="btn btn-line" type="button" onClick={props.onClear}>Clear the search</button>
      </Empty>
    );
  }
  return (
    <Empty icon="check" title={<h2>{filter.by === "unread" ? "Nothing is unread" : "No agent is in this list"}</h2>}>
      <p>{filter.by === "unread" ? "You have seen the newest words of each agent." : "Agents that you archived stand under Archived."}</p>
      {filter.by === "all" ? null : <button class="btn btn-line" type="button" onClick={props.onClear}>Show all agents</button>}
    </Empty>
  );
}

const START = "tmux new -s first claude";

/** A control room without agents. */
export function FirstRun(props: { machines: ReadonlyMap<string, Machine> }) {
  const all = [...props.machines.values()];
  const here = all.find((machine) => machine.primary) ?? all[0];
  const name = here === undefined ? "the machine" : line(here.name, 60);
  return (
    <div class="page stack-l" style="max-width:34rem">
      <section class="stack">
        <h2 class="card-q">No agents yet</h2>
        <p class="second"><bdi>{name}</bdi> {here?.online === false ? "cannot be reached." : "is connected. Agents that run in its terminal panes show up here by themselves."}</p>
      </section>
      <section aria-labelledby="start-one">
        <h2 class="sec-title" id="start-one">Start one in a terminal on <bdi>{name}</bdi></h2>
        <Command text={START} />
        <p><button class="btn btn-line" type="button" onClick={() => wishFor({ kind: "start" })}>Start one from here</button></p>
        <p class="sec-hint">Looking for new panes. This page changes by itself.</p>
      </section>
      <section aria-labelledby="start-demo">
        <h2 class="sec-title" id="start-demo">Or try it with invented agents</h2>
        <Command text="controlroom demo" />
        <p class="sec-hint">They run beside yours, call no model, and vanish with Ctrl-C.</p>
      </section>
      <section aria-labelledby="start-ready">
        <h2 class="sec-title" id="start-ready">Ready</h2>
        <ul class="panel">
          <li class="set"><Icon name="check" /><span class="grow">This device is paired</span></li>
          {all.map((machine) => (
            <li class="set" key={machine.id}>
              <Icon name={machine.online ? "check" : "off"} />
              <span class="grow"><bdi>{line(machine.name, 60)}</bdi> {machine.online ? "is connected" : "cannot be reached"}<small>Control Room {line(machine.version, 40)}</small></span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Command(props: { text: string }) {
  const copy = async (): Promise<void> => {
    showToast({ text: (await copyText(props.text)) ? "The command is copied" : "This browser copies nothing here." });
  };
  return (
    <div class="cmdline">
      <code>{props.text}</code>
      <button class="icon-btn" type="button" aria-label={`Copy the command ${props.text}`} onClick={() => void copy()}><Icon name="copy" /></button>
    </div>
  );
}
