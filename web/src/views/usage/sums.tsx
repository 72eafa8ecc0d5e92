/** Tokens and their price on the API, by agent, day, model or profile. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import type { Agent, Profile, UsageReport } from "../../api/types";
import { isWide } from "../../kit/media";
import { line } from "../../kit/text";
import { clock } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Segmented } from "../../parts/segmented";
import { addressOf } from "../../store/routes";
import { notesOf, progressOf, rowName, sumOf, sumRow, sumRows, WAYS, type SumRow, type UsageBy } from "../../store/usage-sums";
import { useSums } from "./load";

/** So many rows stand there at once; more are asked for. */
const MOST_ROWS = 30;

interface SumsProps {
  agents: ReadonlyMap<string, Agent>;
  profiles: readonly Profile[];
  machineName: (id: string) => string;
}

export function WhatAgentsUsed(props: SumsProps) {
  const [by, setBy] = useState<UsageBy>("agent");
  const sums = useSums(by);
  const report = sums.by === by ? sums.report : null;
  return (
    <section class="usage-part" aria-labelledby="usage-sums" aria-busy={report === null && sums.refusal === null}>
      <h2 class="group-head" id="usage-sums">What agents used</h2>
      <div class="usage-ways"><Segmented<UsageBy> label="Sums by" options={WAYS} value={by} onChange={setBy} /></div>
      {sums.refusal === null || sums.by !== by ? null : (
        <p class="callout callout-fault usage-trouble" role="alert"><Icon name="warn" /><span>The sums could not be read: <bdi>{line(sums.refusal.text, 200)}</bdi> It is tried again.{report === null ? "" : " What stands here is older."}</span></p>
      )}
      {report === null ? null : <Report {...props} report={report} by={by} atMs={sums.atMs} />}
    </section>
  );
}

function Report(props: SumsProps & { report: UsageReport; by: UsageBy; atMs: number }) {
  const { report, by } = props;
  const { now } = useRoom();
  const [most, setMost] = useState(MOST_ROWS);
  const rows = sumRows(report, by);
  const progress = progressOf(report);
  const names = new Map<string, string>(by === "agent" ? [...props.agents.values()].map((agent) => [agent.id, agent.name])
    : by === "profile" ? props.profiles.map((profile) => [profile.id, `${profile.name} on ${props.machineName(profile.machine_id)}`]) : []);
  return (
    <>
      {progress === null ? null : (
        <p class="callout usage-trouble" role="status"><Icon name="hourglass" /><span>Files are still being read ({progress} %): the sums are not whole yet.</span></p>
      )}
      {rows.length === 0 ? <p class="panel usage-none second">{progress === null ? "Nothing was used yet, as far as the agents’ files say." : "Nothing was read yet."}</p> : (
        <Table by={by}>
          {rows.slice(0, most).map((row) => <Row key={row.key} row={sumRow(row)} name={rowName(row.key, by, names)} to={by === "agent" && props.agents.has(row.key) ? row.key : null} />)}
          {rows.length === 1 ? null : <Row row={sumRow(sumOf(rows))} name="Together" to={null} isSum />}
        </Table>
      )}
      {rows.length <= most ? null : <p class="fab-row"><button class="btn btn-line btn-block" type="button" onClick={() => setMost(most + MOST_ROWS)}>Show {Math.min(MOST_ROWS, rows.length - most)} more of {rows.length}</button></p>}
      <p class="sec-hint">Added up at {clock(props.atMs, now.peek())}. {notesOf(report, props.machineName).map((note) => line(note, 400)).join(" ")}</p>
    </>
  );
}

const HEADS: readonly { of: Exclude<keyof SumRow, "key" | "lacks" | "cost">; label: string }[] = [
  { of: "answers", label: "Answers" }, { of: "input", label: "Input" }, { of: "cached", label: "Cache read" }, { of: "written", label: "Cache written" }, { of: "output", label: "Output" },
];

/** On a narrow screen the tokens stand below the name. */
function Table(props: { by: UsageBy; children: ComponentChildren }) {
  const first = WAYS.find((way) => way.value === props.by)?.label ?? "";
  return (
    <div class="panel">
      <table class="usage-table">
        <caption class="vh">Tokens and their price on the API by {props.by}</caption>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {isWide.value ? HEADS.map((head) => <th key={head.of} scope="col" class="num">{head.label}</th>) : null}
            <th scope="col" class="num">Cost</th>
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

function Row(props: { row: SumRow; name: string; to: string | null; isSum?: boolean }) {
  const { row, to } = props;
  const name = <bdi>{line(props.name, 120)}</bdi>;
  return (
    <tr class={props.isSum === true ? "usage-sum" : undefined}>
      <th scope="row">
        {to === null ? name : <a href={addressOf({ at: "agent", agentId: to })}>{name}</a>}
        {isWide.value ? null : <small>{row.answers} answers: {row.input} input, {row.cached} cache read, {row.written} cache written, {row.output} output</small>}
      </th>
      {isWide.value ? HEADS.map((head) => <td key={head.of} class="num">{row[head.of]}</td>) : null}
      <td class={row.lacks === "all" ? "num muted" : "num"}>{row.cost}</td>
    </tr>
  );
}
