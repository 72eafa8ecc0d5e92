/** What tools and helpers did between two bubbles: one quiet line that opens. */
import { useState } from "preact/hooks";

import type { Item } from "../../api/types";
import { span } from "../../kit/time";
import { block, line } from "../../kit/text";
import { Counts, DiffText } from "../../parts/diff";
import { Icon } from "../../parts/icon";
import { Markdown } from "../../parts/markdown";
import { helpersSummary, workSummary } from "../../store/chat-blocks";

export interface WorkLineProps {
  items: readonly Item[];
  /** When it ended; null: it goes on. */
  endMs: number | null;
  /** The agent waits for a person: what has begun does not run yet. */
  isBlocked: boolean;
  /** Open from the start, each step with what it was asked and what it said. */
  isFull: boolean;
}

export function WorkLine(props: WorkLineProps) {
  const { items, endMs, isFull, isBlocked } = props;
  const isRunning = endMs === null;
  const { text, running, troubles, changes } = workSummary(items, isRunning);
  const added = changes.reduce((sum, change) => sum + change.added, 0);
  const removed = changes.reduce((sum, change) => sum + change.removed, 0);
  return (
    <Fold isOpen={isFull} time={timeOf(items, endMs)} summary={
      <>
        {running === null ? null : <>{isBlocked ? "Waits for an answer:" : "Running"} <code><bdi>{line(running.replace(/^(?:Bash|Shell): /, ""), 160)}</bdi></code>{text === "" ? "" : ", before: "}</>}
        {running === null ? text : text.slice(0, 1).toLowerCase() + text.slice(1)}
        {changes.length === 0 ? null : <> <Counts added={added} removed={removed} /></>}
        {troubles.length === 0 ? null : <>{text === "" && running === null ? "" : ", "}<span class="bad">{troubles.join(", ")}</span></>}
      </>
    }>
      {() => items.map((item) => <li key={item.id}>{item.kind === "thinking" ? <Thought item={item} /> : <Step item={item} isFull={isFull} runs={runs(endMs, isBlocked)} />}</li>)}
    </Fold>
  );
}

/** What a step without an end does: it can be told only while its agent works. */
function runs(endMs: number | null, isBlocked: boolean): string {
  return endMs !== null ? "no end is known" : isBlocked ? "not begun or not ended" : "running";
}

export function HelpersLine(props: WorkLineProps) {
  const { items, endMs, isFull } = props;
  const { text, troubles, running } = helpersSummary(items);
  return (
    <Fold isOpen={isFull} time={timeOf(items, endMs)} summary={
      <>
        <bdi>{line(text, 200)}</bdi>
        {running > 0 && endMs === null ? <>, {running === 1 ? "it runs" : `${running} run`}</> : null}
        {troubles.length === 0 ? null : <>, <span class="bad">{troubles.join(", ")}</span></>}
      </>
    }>
      {() => items.map((item) => <li key={item.id}><Step item={item} isFull={isFull} runs={runs(endMs, false)} /></li>)}
    </Fold>
  );
}

function timeOf(items: readonly Item[], endMs: number | null): string {
  if (endMs === null) return "now";
  const ms = endMs - (items[0]?.at_ms ?? endMs);
  return ms >= 1000 ? span(ms) : "";
}

/** A line that opens. Its content is drawn when it is open only: a long chat has thousands of steps. */
function Fold(props: { isOpen: boolean; summary: preact.ComponentChildren; time: string; children(): preact.ComponentChildren }) {
  const [isOpen, setOpen] = useState(props.isOpen);
  return (
    <details class="work" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary><span class="chev"><Icon name="right" /></span><span class="work-say">{props.summary}</span>{props.time === "" ? null : <span class="t">{props.time}</span>}</summary>
      {isOpen ? <ol>{props.children()}</ol> : null}
    </details>
  );
}

function Step(props: { item: Item; isFull: boolean; runs: string }) {
  const { item } = props;
  const { tool } = item;
  if (!tool) return <span class="grow" dir="auto">{block(item.text ?? "", 4000)}</span>;
  const state = tool.state === "running" ? props.runs : tool.state === "done" ? "" : tool.state;
  const head = (
    <>
      <code class="step-title"><bdi>{line(tool.title, 180)}</bdi></code>
      {item.kind === "helper" && item.text ? <> <bdi>{line(item.text, 200)}</bdi></> : null}
      {state === "" ? null : <> <span class={tool.state === "running" ? "muted" : "bad"}>{state}</span></>}
      {(tool.changes ?? []).map((change) => <span key={change.path} class="step-change"> <Counts added={change.added} removed={change.removed} /></span>)}
    </>
  );
  if (!tool.input && !tool.output) return <span class="grow">{head}</span>;
  return (
    <details class="step grow" open={props.isFull}>
      <summary>{head}</summary>
      {tool.input ? (tool.changes ? <DiffText text={tool.input} label="What was changed" /> : <Pre text={tool.input} label="What it was asked" />) : null}
      {tool.output ? (item.kind === "helper" ? <div class="md-body"><Markdown text={tool.output} /></div> : <Pre text={tool.output} label="What it answered" isBad={tool.state === "failed"} />) : null}
      {item.clipped ? <p class="xs muted">Shortened here.</p> : null}
    </details>
  );
}

function Pre(props: { text: string; label: string; isBad?: boolean }) {
  return <pre class={props.isBad ? "code-text step-text bad" : "code-text step-text"} tabIndex={0} role="group" aria-label={props.label} dir="ltr"><code>{block(props.text)}</code></pre>;
}

/** What the agent thought, folded; open while it is being written when that is wanted. */
export function Thought(props: { item: Item; isOpen?: boolean }) {
  const { item } = props;
  return (
    <details class="step thought" open={props.isOpen ?? false}>
      <summary>{props.isOpen ? "Thinking" : "Reasoning"}</summary>
      <div class="md-body"><Markdown text={item.text ?? ""} /></div>
      {item.clipped ? <p class="xs muted">Shortened here.</p> : null}
    </details>
  );
}
