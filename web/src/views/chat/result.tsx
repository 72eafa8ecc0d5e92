/** A result as a card: what changed, what was checked, what was not done, where to look. None of its buttons types. */
import { signal } from "@preact/signals";
import { useId, useState } from "preact/hooks";

import type { Item } from "../../api/types";
import { clock, fullTime } from "../../kit/time";
import { block, line } from "../../kit/text";
import { Counts, DiffSummary, DiffText } from "../../parts/diff";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { InlineMarkdown, Markdown } from "../../parts/markdown";
import { Sheet } from "../../parts/sheet";
import type { FileChange } from "../../store/chat-blocks";

/** Results that the person called good, while this page lives; that they were seen is the hub's to know. */
const good = signal<ReadonlySet<string>>(new Set());

export interface ResultCardProps {
  item: Item;
  changes: readonly FileChange[];
  nowMs: number;
  isReadOnly: boolean;
  /** The tools whose changes "See the diff" shows. */
  edits(): readonly Item[];
  onGood(): void;
  onAsk(): void;
}

export function ResultCard(props: ResultCardProps) {
  const { item, changes } = props;
  const id = useId();
  const [isDiff, setDiff] = useState(false);
  const isGood = good.value.has(item.id);
  const result = item.result ?? { sentence: "", body: item.text ?? "" };
  const sentence = block(result.sentence, 2000) || "Result";
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-over">
        <Lamp name="done" /><span>{isGood ? "Result, looks good to you" : "Result"}</span>
        <time class="age" title={fullTime(item.at_ms)}>{clock(item.at_ms, props.nowMs)}</time>
      </div>
      <h2 class="card-q" id={id} dir="auto"><InlineMarkdown text={sentence} /></h2>
      {result.body ? <div class="md-body md"><Markdown text={result.body} /></div> : null}
      <dl class="facts">
        <Part name="Changed" text={result.changed} />
        <Part name="Checked" text={result.checked} />
        <Part name="Not done" text={result.not_done} />
        <Part name="Look at" text={result.look_at} />
      </dl>
      <DiffSummary changes={changes} />
      <div class="card-acts">
        {props.isReadOnly ? null : (
          <>
            <button
              class={isGood ? "btn btn-line" : "btn btn-primary"} type="button" aria-pressed={isGood}
              onClick={() => { good.value = new Set([...good.value, item.id]); props.onGood(); }}
            >
              <Icon name="check" small />Looks good
            </button>
            <button class="btn btn-line" type="button" onClick={props.onAsk}>Ask for changes</button>
          </>
        )}
        {changes.length === 0 ? null : <button class="btn btn-plain" type="button" onClick={() => setDiff(true)}>See the diff</button>}
      </div>
      {isDiff ? <DiffSheet edits={props.edits()} onClose={() => setDiff(false)} /> : null}
    </section>
  );
}

function Part(props: { name: string; text: string | undefined }) {
  if (!props.text) return null;
  return <div><dt>{props.name}</dt><dd class="md-body"><Markdown text={props.text} /></dd></div>;
}

/** The changes of a turn, file by file, as the tools were asked for them. */
export function DiffSheet(props: { edits: readonly Item[]; onClose(): void }) {
  return (
    <Sheet title="What changed" onClose={props.onClose}>
      {props.edits.map((edit) => (
        <section key={edit.id} class="stack-s">
          {(edit.tool?.changes ?? []).map((change) => (
            <h3 key={change.path} class="diff-file"><code><bdi>{line(change.path, 500)}</bdi></code> <Counts added={change.added} removed={change.removed} /></h3>
          ))}
          {edit.tool?.input ? <DiffText text={edit.tool.input} label={line(edit.tool.title, 200)} /> : <p class="sm muted">Its lines are not in the transcript.</p>}
          {edit.clipped ? <p class="sm muted">Shortened here; the whole change is in the agent’s own file.</p> : null}
        </section>
      ))}
    </Sheet>
  );
}
