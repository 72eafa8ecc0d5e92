/** Files that changed, with lines added and removed; and the text of a change line by line. */
import { block, line } from "../kit/text";
import type { FileChange } from "../store/chat-blocks";

export function DiffSummary(props: { changes: readonly FileChange[] }) {
  const { changes } = props;
  if (changes.length === 0) return null;
  return (
    <ul class="diff" aria-label={changes.length === 1 ? "1 file changed" : `${changes.length} files changed`}>
      {changes.map((change) => (
        <li key={change.path}>
          <code><bdi>{line(change.path, 500)}</bdi></code>
          <Counts added={change.added} removed={change.removed} />
        </li>
      ))}
    </ul>
  );
}

export function Counts(props: { added: number; removed: number }) {
  return (
    <span class="num">
      <span class="add">+{props.added}<span class="vh"> added,</span></span> <span class="del">−{props.removed}<span class="vh"> removed</span></span>
    </span>
  );
}

/** A change as the tool was asked for it: lines that begin with `+` or `-` are coloured, nothing else is meant. */
export function DiffText(props: { text: string; label: string }) {
  return (
    <pre class="code-text diff-text" tabIndex={0} role="group" aria-label={props.label} dir="ltr">
      <code>
        {block(props.text).split("\n").map((row, at) => (
          <span key={at} class={row.startsWith("+") ? "ln add" : row.startsWith("-") ? "ln del" : "ln"}>{row}{"\n"}</span>
        ))}
      </code>
    </pre>
  );
}
