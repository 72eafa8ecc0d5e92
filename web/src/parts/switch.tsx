/** A setting that is on or off, with its words before it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export interface SwitchProps {
  label: string;
  hint?: ComponentChildren;
  isOn: boolean;
  disabled?: boolean;
  onChange(isOn: boolean): void;
}

export function Switch(props: SwitchProps) {
  const id = useId();
  return (
    <label class="set">
      <span class="grow">
        {props.label}
        {props.hint === undefined ? null : <small id={id}>{props.hint}</small>}
      </span>
      <input
        class="switch" type="checkbox" role="switch" checked={props.isOn} disabled={props.disabled}
        aria-label={props.label} aria-describedby={props.hint === undefined ? undefined : id}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
    </label>
  );
}
