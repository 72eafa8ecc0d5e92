/** Why a connection without encryption is acceptable to the person: asked once, shown with the device afterwards. */
import "./plain-reason.css";
import { PLAIN_REASONS, type PlainReason } from "../store/connection";

export interface PlainReasonProps {
  value: PlainReason | null;
  onChange(reason: PlainReason): void;
}

export function PlainReasons(props: PlainReasonProps) {
  return (
    <fieldset class="pick plain-reasons">
      <legend class="sec-title">Why is a connection without encryption fine here?</legend>
      <div class="panel">
        {PLAIN_REASONS.map(({ value, label, hint }) => (
          <label key={value}>
            <input type="radio" name="plain-reason" value={value} checked={props.value === value} onChange={() => props.onChange(value)} />
            <span class="grow">{label}<small>{hint}</small></span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
