/** Keys that a phone's keyboard does not have, with Ctrl and Alt that hold for the next key. */
import { withSticky, type RowKey, type Sticky } from "./keys";

export interface KeyRowProps {
  rows: readonly (readonly RowKey[])[];
  sticky: Sticky;
  onSticky(sticky: Sticky): void;
  /** Presses keys; `refuse` when Ctrl or Alt with this key is nothing. */
  onKeys(keys: readonly string[]): void;
  onNothing(): void;
}

export function KeyRow({ rows, sticky, onSticky, onKeys, onNothing }: KeyRowProps) {
  const press = (row: RowKey): void => {
    if (sticky === "none") {
      onKeys(row.keys);
      return;
    }
    onSticky("none");
    const only = row.keys.length === 1 ? withSticky(row.keys[0] ?? "", sticky) : null;
    if (only === null) onNothing();
    else onKeys([only]);
  };
  const toggle = (wanted: Sticky) => (
    <button class="key" type="button" aria-pressed={sticky === wanted} onClick={() => onSticky(sticky === wanted ? "none" : wanted)}>{wanted}</button>
  );
  const [first, ...more] = rows;
  const draw = (row: RowKey) => (
    <button key={row.label} class="key" type="button" aria-label={row.name} title={row.name} onClick={() => press(row)}>{row.label}</button>
  );
  return (
    // A tap must not take the focus from the text field: the phone's keyboard would close.
    <div class="keys" role="toolbar" aria-label="Keys" onMouseDown={(event) => event.preventDefault()}>
      {first?.slice(0, 2).map(draw)}
      {toggle("ctrl")}
      {toggle("alt")}
      {first?.slice(2).map(draw)}
      {more.map((row, at) => row.length === 0 ? null : [<span key={`gap ${at}`} class="key-gap" aria-hidden="true" />, ...row.map(draw)])}
    </div>
  );
}
