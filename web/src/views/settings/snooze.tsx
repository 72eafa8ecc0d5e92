/** Holds notifications for a time: all of them, or those about one agent. */
import { clock } from "../../kit/time";
import { heldUntil, isSettingRules, type Rules } from "../../live/notify-rules";
import { useRoom } from "../../live/room";

const HOUR_MS = 3_600_000;
const TIMES = [{ label: "1 hour", ms: HOUR_MS }, { label: "4 hours", ms: 4 * HOUR_MS }, { label: "1 day", ms: 24 * HOUR_MS }] as const;

/** `what`: the agent's id; "": everything. */
export function Snooze(props: { rules: Rules; what: string; label: string; onSnooze(untilMs: number): void }) {
  const room = useRoom();
  const untilMs = heldUntil(props.rules, props.what, room.now.value);
  const choose = (value: string): void => {
    if (value === "held") return;
    props.onSnooze(value === "" ? 0 : room.nowMs() + Number(value));
  };
  return (
    <label class="set set-wrap">
      <span class="grow">{props.label}<small>What still waits when it is over is told then</small></span>
      <select class="input select" disabled={isSettingRules.value} value={untilMs === null ? "" : "held"} onChange={(event) => choose(event.currentTarget.value)}>
        {untilMs === null ? null : <option value="held">Until {clock(untilMs, room.now.value)}</option>}
        <option value="">{untilMs === null ? "No" : "End it"}</option>
        {TIMES.map((time) => <option key={time.ms} value={time.ms}>{untilMs === null ? `For ${time.label}` : `For ${time.label} from now`}</option>)}
      </select>
    </label>
  );
}
