/** What the policy would do now beside what it suggests, or does by itself. */
import type { Agent, PolicyAdvice, PolicyReport, Profile } from "../../api/types";
import { block, line } from "../../kit/text";
import { Icon } from "../../parts/icon";
import { actsOn, advised, policyNote, suggested, type SameAdvice } from "../../store/usage";
import { AgentLinks } from "./account";

const HEADS: Readonly<Record<PolicyAdvice["what"], string>> = { move: "Would move", wait: "Would move", ask: "Would ask you first", stay: "Stays" };
const ACTING: typeof HEADS = { move: "Moves", wait: "Moves", ask: "Asks you first", stay: "Stays" };
const ICONS: Readonly<Record<PolicyAdvice["what"], string>> = { move: "move", wait: "hourglass", ask: "warn", stay: "check" };

export function Opinion(props: { policy: PolicyReport; profiles: readonly Profile[]; agents: ReadonlyMap<string, Agent>; underWay: ReadonlySet<string> }) {
  const hands = new Set(suggested(props.policy, props.agents, props.profiles, props.underWay).flatMap((same) => same.agents.map((agent) => agent.id)));
  const found = advised(props.policy, props.agents).filter((same) => !same.agents.every((agent) => hands.has(agent.id) || props.underWay.has(agent.id)));
  if (found.length === 0) return <p class="sec-hint">{policyNote(props.policy)}</p>;
  return (
    <section class="usage-part" aria-labelledby="usage-rules">
      <h2 class="group-head" id="usage-rules">What the usage rules would do</h2>
      <ul class="panel">{found.map((same) => <Advised key={same.advice.agent_id} same={same} profiles={props.profiles} isActing={same.agents.every((agent) => actsOn(props.policy, agent.machine_id))} />)}</ul>
      <p class="sec-hint">{policyNote(props.policy)}</p>
    </section>
  );
}

function Advised(props: { same: SameAdvice; profiles: readonly Profile[]; isActing: boolean }) {
  const { advice, agents } = props.same;
  const target = props.profiles.find((profile) => profile.id === advice.to_profile);
  const place = target === undefined ? "" : ` to ${line(target.name, 60)}`;
  const rest = advice.what === "wait" ? ", but waits" : advice.what === "move" && advice.when === "idle" ? " when its turn ends" : "";
  const head = `${(props.isActing ? ACTING : HEADS)[advice.what] ?? "Would do something that this version does not know"}${place}${rest}`;
  return (
    <li class="set usage-advice">
      <Icon name={ICONS[advice.what] ?? "info"} />
      <div class="grow">
        <span><b><bdi>{head}</bdi></b>: <AgentLinks agents={agents} /></span>
        <small><bdi>{line(advice.why, 300)}</bdi></small>
        {advice.card == null ? null : <small><bdi>{line(advice.card.question, 300)}</bdi></small>}
        {advice.sentences.length === 0 ? null : (
          <details class="usage-where">
            <summary>Why<span class="vh">, {line(agents[0]?.name ?? "", 80)}</span></summary>
            <ul>{advice.sentences.map((sentence) => <li key={sentence}><bdi>{block(sentence, 400)}</bdi></li>)}</ul>
          </details>
        )}
      </div>
    </li>
  );
}
