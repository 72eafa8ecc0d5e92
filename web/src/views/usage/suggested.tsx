/** Moves that the usage rules would do where they may not act by themselves: a person does them, or not. */
import { signal } from "@preact/signals";

import type { Account, Agent, PolicyReport, Profile } from "../../api/types";
import { block, line } from "../../kit/text";
import { Icon } from "../../parts/icon";
import { suggested, suggestionKey, type SameAdvice } from "../../store/usage";
import { wishFor } from "../operations/wish";
import { AgentLinks } from "./account";

/** What the person put off, until it is another one or the page is opened anew. */
const putOff = signal<ReadonlySet<string>>(new Set());

interface SuggestedProps {
  policy: PolicyReport;
  profiles: readonly Profile[];
  accounts: ReadonlyMap<string, Account>;
  agents: ReadonlyMap<string, Agent>;
  /** Agents on which an operation is under way. */
  underWay: ReadonlySet<string>;
}

export function Suggested(props: SuggestedProps) {
  const found = suggested(props.policy, props.agents, props.profiles, props.underWay).filter((same) => !putOff.value.has(suggestionKey(same)));
  if (found.length === 0) return null;
  return (
    <section class="usage-suggested" aria-labelledby="usage-suggested">
      <h2 class="group-head" id="usage-suggested">Suggested <span class="count">{found.length}</span></h2>
      <div class="stack">{found.map((same) => <Suggestion key={suggestionKey(same)} same={same} {...props} />)}</div>
    </section>
  );
}

function Suggestion(props: SuggestedProps & { same: SameAdvice }) {
  const { advice, agents } = props.same;
  const target = props.profiles.find((profile) => profile.id === advice.to_profile);
  const from = advice.account == null ? undefined : props.accounts.get(advice.account);
  const to = line(target?.name ?? "another account", 60);
  const only = agents.length === 1 ? agents[0] : undefined;
  const id = `suggested-${agents[0]?.id ?? ""}`;
  const move = (agent: Agent): void => wishFor({ kind: "move", agentId: agent.id, why: line(advice.why, 400), ...(advice.to_profile == null ? {} : { profileId: advice.to_profile }) });
  return (
    <article class="card" aria-labelledby={id}>
      <div class="card-over"><Icon name="move" /><span>Move by the usage rules</span></div>
      <h3 class="card-q" id={id}>
        Move {only === undefined ? `${agents.length} agents` : <bdi>{line(only.name, 80)}</bdi>}{from === undefined ? null : <> from <bdi>{line(from.name, 80)}</bdi></>} to <bdi>{to}</bdi>?
      </h3>
      <p class="md second"><bdi>{line(advice.why, 400)}</bdi>{advice.when === "idle" ? " It would wait for the end of the turn." : ""}</p>
      {only === undefined ? <p class="md"><AgentLinks agents={agents} /></p> : null}
      <div class="card-acts">
        {agents.map((agent) => (
          <button key={agent.id} class={only === undefined ? "btn btn-line" : "btn btn-primary"} type="button" onClick={() => move(agent)}>
            Move{only === undefined ? <> <bdi>{line(agent.name, 40)}</bdi></> : <span class="vh"> {line(agent.name, 80)}</span>}…
          </button>
        ))}
        <button class="btn btn-plain" type="button" onClick={() => { putOff.value = new Set([...putOff.value, suggestionKey(props.same)]); }}>Not now</button>
      </div>
      {advice.sentences.length === 0 ? null : (
        <details class="usage-where">
          <summary>Why this one</summary>
          <ul>{advice.sentences.map((sentence) => <li key={sentence}><bdi>{block(sentence, 400)}</bdi></li>)}</ul>
        </details>
      )}
    </article>
  );
}
