/** What to do with an address or a path that stands in a terminal. Nothing opens without a look at where it leads. */
import { copyText } from "../../kit/copy";
import { marked } from "../../kit/text";
import { Sheet } from "../../parts/sheet";
import { showToast } from "../../parts/toast";
import { linkParts, type Target } from "./targets";

export interface TargetSheetProps {
  target: Target;
  onClose(): void;
  /** Puts it into the text field; absent where nothing can be typed. */
  onInsert?(text: string): void;
}

export function TargetSheet({ target, onClose, onInsert }: TargetSheetProps) {
  const copy = async (): Promise<void> => {
    const isDone = await copyText(target.text);
    showToast({ text: isDone ? "Copied" : "This browser does not allow copying here." });
    onClose();
  };
  const isLink = target.kind === "link";
  return (
    <Sheet
      title={isLink ? "Open this address?" : "Path"}
      onClose={onClose}
      foot={
        <>
          {isLink ? (
            <a class="btn btn-primary" href={target.text} target="_blank" rel="noopener noreferrer" onClick={onClose}>Open</a>
          ) : null}
          <button class="btn btn-line" type="button" onClick={() => void copy()}>Copy</button>
          {onInsert === undefined ? null : (
            <button class="btn btn-line" type="button" onClick={() => { onInsert(target.text); onClose(); }}>Insert</button>
          )}
        </>
      }
    >
      {isLink ? <Address text={target.text} /> : <p class="target" dir="ltr">{marked(target.text)}</p>}
      {isLink ? <p class="muted">It stands in the agent’s terminal: a program wrote it.</p> : null}
    </Sheet>
  );
}

function Address({ text }: { text: string }) {
  const { scheme, host, rest } = linkParts(text);
  return <p class="target" dir="ltr">{scheme}://<b>{marked(host)}</b>{marked(rest)}</p>;
}
