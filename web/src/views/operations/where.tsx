/** Where an agent can be moved to, with what each place has left and what the policy thinks of it. */
import "../usage/usage.css";

import { useComputed } from "@preact/signals";

import type { Account, Agent, PolicyAdvice } from "../../api/types";
import { block, line } from "../../kit/text";
import { clock, span } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Tag } from "../../parts/tag";
import { targetsOf, type Target } from "../../store/targets";
import { useAround } from "../usage/load";
import { Choices, Note } from "./fields";

export interface Targets {
  targets: readonly Target[];
  advice: PolicyAdvice | null;
  /** The policy's reason for the move that it would do; "": it would do none. */
  why: string;
  isKnown: boolean;
}

const NONE: ReadonlyMap<string, Account> = new Map();

export function useTargets(agent: Agent): Targets {
  const room = useRoom();
  const { profiles, policy, isKnown } = useAround();
  const accounts = useComputed(() => room.state.value.accounts.byId).value ?? NONE;
  const machine = line(room.state.value.machines.get(agent.machine_id)?.name ?? "its machine", 60);
  const advice = policy?.advice.find((one) => one.agent_id === agent.id) ?? null;
  const nowMs = room.now.value;
  const targets = targetsOf(agent, profiles, accounts, advice, machine, { nowMs, span, clock: (ms) => clock(ms, nowMs) });
  const isDue = advice !== null && (advice.what === "move" || advice.what === "wait");
  return { targets, advice, why: isDue ? line(advice.why, 400) : "", isKnown };
}

export function Where(props: { around: Targets; chosen: string | null; disabled: boolean; onChoose(profileId: string): void }) {
  const { targets, advice, isKnown } = props.around;
  if (targets.length === 0) {
    return isKnown ? <Note>No other profile of its kind is on its machine. Profiles are config folders: <code>controlroom profiles</code> shows them.</Note> : <p class="md second" aria-busy="true">Looking for profiles</p>;
  }
  return (
    <>
      <Choices
        name="to" label="To" disabled={props.disabled} value={props.chosen} onChange={props.onChoose}
        choices={targets.map((target) => ({
          value: target.profile.id, disabled: !target.isPossible,
          label: <><bdi>{line(target.profile.name, 60)}</bdi>{target.isSuggested ? <> <Tag kind="accent">Suggested</Tag></> : null}</>, words: <bdi>{line(target.words, 400)}</bdi>,
        }))}
      />
      {advice === null ? null : <Advice advice={advice} />}
    </>
  );
}

/** What the policy would do now, and why. A hand may do something else. */
function Advice(props: { advice: PolicyAdvice }) {
  const { advice } = props;
  return (
    <section class="policy-says" aria-label="What the usage rules say">
      <p class="md"><b>The usage rules say:</b> <bdi>{line(advice.why, 400)}</bdi></p>
      {advice.card == null ? null : <Note icon="warn"><bdi>{block(advice.card.question, 400)}</bdi></Note>}
      {advice.sentences.length === 0 ? null : (
        <details class="usage-where"><summary>Why</summary><ul>{advice.sentences.map((sentence) => <li key={sentence} class="sm second"><bdi>{block(sentence, 400)}</bdi></li>)}</ul></details>
      )}
    </section>
  );
}
