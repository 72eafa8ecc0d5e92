/**
 * Takes all keys for the pane while it has the focus: a field that nobody sees, at the cursor, so that input methods
 * show their candidates there. Escape twice leaves.
 */
import type { Ref } from "preact";
import { useRef } from "preact/hooks";

import { keyOf } from "./keys";

export const TWICE_MS = 400;

export interface CatchProps {
  field: Ref<HTMLTextAreaElement>;
  label: string;
  /** Where the cursor is, in pixels of the terminal. */
  left: number;
  top: number;
  onKeys(keys: readonly string[]): void;
  /** A text from an input method or the clipboard. */
  onText(text: string): void;
  onCopy(): boolean;
  onLeave(): void;
  onFocus(hasFocus: boolean): void;
}

export function Catch(props: CatchProps) {
  const escapedAt = useRef(-TWICE_MS);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.key === "Process" || event.key === "Unidentified" || event.key === "Dead") return;
    if (event.ctrlKey && event.shiftKey && event.key.length === 1) { // the browser's own, and copying
      if (event.key.toLowerCase() === "c" && props.onCopy()) event.preventDefault();
      return;
    }
    if (event.ctrlKey && !event.altKey && event.key.toLowerCase() === "v") return; // pastes
    const name = keyOf(event);
    if (name === null) return;
    event.preventDefault();
    if (name === "Escape") {
      const isTwice = event.timeStamp - escapedAt.current < TWICE_MS;
      escapedAt.current = isTwice ? -TWICE_MS : event.timeStamp;
      if (isTwice) {
        props.onLeave();
        return;
      }
    } else {
      escapedAt.current = -TWICE_MS;
    }
    props.onKeys([name]);
  };
  const take = (field: HTMLTextAreaElement): void => {
    const text = field.value;
    field.value = "";
    if (text !== "") props.onText(text);
  };
  return (
    <textarea
      ref={props.field} class="term-catch" aria-label={props.label} style={{ left: `${props.left}px`, top: `${props.top}px` }}
      rows={1} autocapitalize="off" autocomplete="off" spellcheck={false} onKeyDown={onKeyDown}
      onInput={(event) => { if (!event.isComposing) take(event.currentTarget); }}
      onCompositionEnd={(event) => take(event.currentTarget)}
      onPaste={(event) => {
        event.preventDefault();
        props.onText(event.clipboardData?.getData("text/plain") ?? "");
      }}
      onCopy={(event) => { if (props.onCopy()) event.preventDefault(); }}
      onFocus={() => props.onFocus(true)} onBlur={() => props.onFocus(false)}
    />
  );
}
