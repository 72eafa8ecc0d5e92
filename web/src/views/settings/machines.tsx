/** The machines and the hub: what answers, since when not, and what troubles it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { components } from "../../api/schema";
import type { Refusal } from "../../api/http";
import type { Machine } from "../../api/types";
import { line } from "../../kit/text";
import { age, clock } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Lamp } from "../../parts/lamp";
import { Tag } from "../../parts/tag";
import { Page, Section, Trouble } from "./page";

type Status = components["schemas"]["Status"];

export function Machines() {
  const room = useRoom();
  const status = useSignal<Status | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  useEffect(() => {
    void room.http.request<Status>("GET", "/status").then((answer) => {
      if (answer.ok) status.value = answer.value;
      refusal.value = answer.ok ? null : answer.refusal;
    });
  }, [room.state.value.epoch]);
  const { machines, agents, serverVersion } = room.state.value;
  const nowMs = room.now.value;
  const isLive = room.link.value.kind === "live";
  const since = status.value === null ? "" : `Runs since ${clock(status.value.started_at_ms, nowMs)} · `;
  const health = status.value?.health ?? [];
  const checker = status.value?.checker ?? null;
  return (
    <Page title="Machines and health">
      <Section title="Machines">
        <ul class="panel">
          {[...machines.values()].map((machine) => (
            <MachineRow key={machine.id} machine={machine} agents={[...agents.values()].filter((agent) => agent.machine_id === machine.id).length} nowMs={nowMs} />
          ))}
          <li class="set">
            <span class={isLive ? "dot" : "dot dot-off"} />
            <div class="grow"><b>The hub</b><small>{since}{serverVersion === null ? "not heard yet" : `version ${line(serverVersion, 40)}`} · {isLive ? "connected" : "not connected now"}</small></div>
          </li>
        </ul>
      </Section>
      <Section title="Health" hint={<>On the hub’s machine, <code>controlroom doctor</code> says more.</>}>
        <Trouble refusal={refusal.value} />
        {health.length === 0 ? (
          status.value === null ? null : <p class="second">Nothing troubles the hub or its machines.</p>
        ) : (
          <ul class="panel">
            {health.map((item) => (
              <li key={`${item.code} ${item.title}`} class="set fact">
                <Lamp name="fault" small />
                <div class="grow"><b>{line(item.title)}</b><small>Since {clock(item.since_ms, nowMs)}, {age(item.since_ms, nowMs)} ago</small><small class="second">{line(item.do, 500)}</small></div>
              </li>
            ))}
          </ul>
        )}
        {checker === null ? null : (
          <ul class="panel">
            <li class="set fact">
              <div class="grow"><b>Checker of questions</b><small>{line(checker.text, 300)}{checker.model === "" ? "" : ` ${checker.calls_today} of ${checker.calls_per_day} calls today.`}</small></div>
            </li>
          </ul>
        )}
      </Section>
    </Page>
  );
}

function MachineRow(props: { machine: Machine; agents: number; nowMs: number }) {
  const { machine, nowMs } = props;
  const count = props.agents === 1 ? "1 agent" : `${props.agents} agents`;
  return (
    <li class="set fact">
      <span class={machine.online ? "dot" : "dot dot-off"} />
      <div class="grow">
        <b><bdi>{line(machine.name, 80)}</bdi></b> {machine.primary ? <Tag>Primary</Tag> : null}
        <small>
          {count} · {machine.online ? "connected" : `last seen ${clock(machine.last_seen_ms, nowMs)}, ${age(machine.last_seen_ms, nowMs)} ago`} · version {line(machine.version, 40)}
        </small>
        {machine.online ? null : <small class="second">Not reachable. Is it awake and on the private network?</small>}
      </div>
    </li>
  );
}
