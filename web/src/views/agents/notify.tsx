/** What the person is told of one agent, on all devices: everything, only what blocks, nothing, or nothing for a time. */
import "../settings/settings.css";

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Refusal } from "../../api/http";
import type { Agent } from "../../api/types";
import { line } from "../../kit/text";
import { changeRules, isSettingRules, loadRules, notifyRules, snooze, type AgentRule } from "../../live/notify-rules";
import { useRoom } from "../../live/room";
import { Snooze } from "../settings/snooze";
import { toggleMute } from "./acts";

const WORDS: readonly { rule: AgentRule; label: string }[] = [
  { rule: "all", label: "Everything" }, { rule: "blocking", label: "Only what blocks" }, { rule: "off", label: "Nothing" },
];

export function AgentNotify(props: { agent: Agent }) {
  const { agent } = props;
  const room = useRoom();
  const refusal = useSignal<Refusal | null>(null);
  useEffect(() => void loadRules(room).then((said) => (refusal.value = said)), [room]);
  const rules = notifyRules.value;
  const own = rules?.agents?.[agent.id] ?? "all";
  // A muted agent tells nothing, whatever its rule is.
  const choose = async (rule: AgentRule): Promise<void> => {
    refusal.value = await changeRules(room, { agents: { [agent.id]: rule } });
    if (refusal.value === null && agent.muted && rule !== "off") await toggleMute(room, agent);
  };
  return (
    <section aria-labelledby="agent-notify">
      <h3 class="field-label" id="agent-notify">Its notifications, on all devices</h3>
      {refusal.value === null ? null : <p class="sec-hint" role="alert">{line(refusal.value.text, 200)}</p>}
      {rules === null ? null : (
        <div class="panel">
          <label class="set set-wrap">
            <span class="grow">You are told of<small>{agent.muted ? "Its pushes are muted" : "Blocking: prompts, and questions that must wait for you"}</small></span>
            <select class="input select" disabled={isSettingRules.value} value={agent.muted ? "off" : own} onChange={(event) => void choose(event.currentTarget.value as AgentRule)}>
              {WORDS.map(({ rule, label }) => <option key={rule} value={rule}>{label}</option>)}
            </select>
          </label>
          <Snooze rules={rules} what={agent.id} label="Hold them for a time" onSnooze={(untilMs) => void snooze(room, agent.id, untilMs).then((said) => (refusal.value = said))} />
        </div>
      )}
    </section>
  );
}
