/** Why a connection without encryption is acceptable to the person: asked once, shown with the device afterwards. */
import { PLAIN_REASONS, type PlainReason } from "../store/connection";

export interface PlainReasonProps {
  value: PlainReason | null;
  onChange(reason: PlainReason): void;
}

export function PlainReasons(props: PlainReasonProps) {
  return (
    <fieldset class="panel pick plain-reasons">
      <legend class="sec-title">Why is a connection without encryption fine here?</legend>
      {PLAIN_REASONS.map(({ value, label, hint }) => (
        <label key={value}>
          <input type="radio" name="plain-reason" value={value} checked={props.value === value} onChange={() => props.onChange(value)} />
          <span class="grow">{label}<small>{hint}</small></span>
        </label>
      ))}
    </fieldset>
  );
}
