/** A field whose text goes to the pane with one submit; masked while the program there reads without showing. */
import type { Ref } from "preact";

import { withSticky, type Sticky } from "./keys";

export interface TextFieldProps {
  field: Ref<HTMLInputElement>;
  value: string;
  isMasked: boolean;
  isBusy: boolean;
  sticky: Sticky;
  onValue(value: string): void;
  onSubmit(): void;
  /** A letter was typed while Ctrl or Alt held: it is a key. */
  onKey(key: string | null): void;
}

export function TextField(props: TextFieldProps) {
  const { sticky, isMasked } = props;
  const onInput = (event: InputEvent): void => {
    const field = event.currentTarget as HTMLInputElement;
    if (sticky !== "none" && event.data !== null && [...event.data].length === 1) {
      field.value = props.value;
      props.onKey(withSticky(event.data, sticky));
      return;
    }
    props.onValue(field.value);
  };
  return (
    <form class="term-input" onSubmit={(event) => { event.preventDefault(); props.onSubmit(); }}>
      <input
        {...(isMasked ? { type: "password" as const } : { type: "text" as const })} ref={props.field} value={props.value}
        aria-label={isMasked ? "Password for the pane, not shown" : "Type into the pane"}
        placeholder={isMasked ? "Not shown, Enter sends" : "Type, then Enter sends"}
        autocapitalize="off" autocomplete={isMasked ? "new-password" : "off"} spellcheck={false} enterkeyhint="send"
        data-1p-ignore data-lpignore="true" onInput={onInput}
      />
      <button class="key" type="submit" style="flex:none" disabled={props.isBusy}>Enter</button>
    </form>
  );
}
