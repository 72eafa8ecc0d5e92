/** Parts that the sheets of operations share. */
import type { ComponentChildren } from "preact";

import { Icon } from "../../parts/icon";
import type { Asking } from "./asking";

const LONGEST_WHY = 500;

export function Why(props: { value: string; disabled: boolean; onInput(text: string): void }) {
  return (
    <label class="field">
      <span class="field-label">Why</span>
      <textarea class="input" rows={2} dir="auto" maxLength={LONGEST_WHY} required disabled={props.disabled} value={props.value} onInput={(event) => props.onInput(event.currentTarget.value)} />
      <span class="field-hint">One sentence. It stays on the receipt.</span>
    </label>
  );
}

export function TextField(props: { label: string; value: string; hint?: string; disabled: boolean; isCode?: boolean; list?: string; limit?: number; placeholder?: string; onInput(text: string): void }) {
  return (
    <label class="field">
      <span class="field-label">{props.label}</span>
      <input
        class={props.isCode ? "input mono" : "input"} type="text" dir="auto" autocomplete="off" autocapitalize={props.isCode ? "off" : undefined} spellcheck={!props.isCode}
        list={props.list} maxLength={props.limit ?? 1_000} disabled={props.disabled} placeholder={props.placeholder} value={props.value} onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      {props.hint === undefined ? null : <span class="field-hint">{props.hint}</span>}
    </label>
  );
}

export interface Choice {
  value: string;
  label: ComponentChildren;
  words?: ComponentChildren;
  disabled?: boolean;
}

/** One of a few, each with what it means. */
export function Choices(props: { name: string; label: string; choices: readonly Choice[]; value: string | null; disabled: boolean; onChange(value: string): void }) {
  return (
    <fieldset disabled={props.disabled}>
      <legend class="field-label">{props.label}</legend>
      <ul class="panel pick">
        {props.choices.map((choice) => (
          <li key={choice.value}>
            <label>
              <input type="radio" name={props.name} checked={choice.value === props.value} disabled={choice.disabled} onChange={() => props.onChange(choice.value)} />
              <span class="grow">{choice.label}{choice.words === undefined ? null : <small>{choice.words}</small>}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

export function Trouble(props: { asking: Asking }) {
  return <div role="alert">{props.asking.trouble === "" ? null : <p class="callout callout-fault"><Icon name="warn" /><span>{props.asking.trouble}</span></p>}</div>;
}

export function Note(props: { icon?: string; children: ComponentChildren }) {
  return <p class="callout"><Icon name={props.icon ?? "info"} /><span>{props.children}</span></p>;
}
