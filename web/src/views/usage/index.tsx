/** What accounts have left, who uses them, and what agents used. Everything says its age and where it comes from. */
import "./usage.css";

import { useComputed } from "@preact/signals";
import { useMemo, useRef, useState } from "preact/hooks";

import type { Refusal } from "../../api/http";
import type { Agent, PolicyReport, Profile } from "../../api/types";
import { useKeys } from "../../kit/keys";
import { isPopOut, popOut } from "../../kit/navigate";
import { line } from "../../kit/text";
import { clock, span } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Empty } from "../../parts/empty";
import { CopyButton } from "../../parts/code";
import { Icon } from "../../parts/icon";
import { Title } from "../../parts/title";
import { kindName } from "../../store/agents";
import { isUnderWay } from "../../store/operations";
import { accountByAgent, counts, countWords, inOrder, minimaOf, usersOf, type Counts, type Times } from "../../store/usage";
import { useOperations } from "../operations/card";
import { AccountCard, AgentLinks, ProfileLine } from "./account";
import { ReadAgain } from "./again";
import { useAround } from "./load";
import { Opinion } from "./opinion";
import { Rules } from "./rules";
import { Suggested } from "./suggested";
import { WhatAgentsUsed } from "./sums";

/** Ages here are minutes: nothing has to be drawn every second. */
const TICK_MS = 10_000;

export function Usage() {
  const room = useRoom();
  const { profiles, policy, isKnown, refusal } = useAround();
  const byId = useComputed(() => room.state.value.accounts.byId).value;
  const machines = useComputed(() => room.state.value.machines).value;
  const agents = useComputed(() => room.state.value.agents).value;
  const nowMs = useComputed(() => Math.floor(room.now.value / TICK_MS) * TICK_MS).value;
  const list = useRef<HTMLDivElement>(null);
  const [hasRules, setRules] = useState(false);
  useCardSteps(list);
  const times: Times = { nowMs, span, clock: (ms) => clock(ms, nowMs) };
  const accounts = useMemo(() => inOrder(byId?.values() ?? []), [byId]);
  const operations = useOperations();
  const underWay = useMemo(() => new Set([...operations.values()].filter(isUnderWay).map((one) => one.agent_id ?? "")), [operations]);
  const minima = minimaOf(policy);
  const users = useMemo(
    () => usersOf(agents.values(), new Set(accounts.map((account) => account.id)), accountByAgent(agents.values(), profiles, policy)),
    [agents, accounts, profiles, policy],
  );
  const machineName = (id: string): string => line(machines.get(id)?.name ?? "a machine that is not listed", 60);
  const loose = profiles.filter((profile) => profile.account == null);
  const isShown = byId !== null;
  return (
    <section class="pane pane-list" aria-label="Usage">
      <header class="head usage-wide">
        <div class="head-top">
          <Title class="head-title">Usage</Title>
          <ReadAgain machineName={machineName} />
          {policy === null ? null : <button class="icon-btn" type="button" aria-label="Rules and reserves" title="Rules and reserves" onClick={() => setRules(true)}><Icon name="settings" /></button>}
          {isPopOut ? null : <button class="icon-btn only-wide-flex" type="button" aria-label="Usage in its own window" title="In its own window" onClick={() => popOut({ at: "usage" })}><Icon name="move" /></button>}
        </div>
        {isShown && accounts.length > 0 ? <Summary found={counts(accounts, minima, nowMs)} /> : null}
      </header>
      <div class="pane-scroll" tabIndex={-1} role="group" aria-label="Accounts and what agents used" aria-busy={!isKnown && refusal === null} ref={list}>
        <div class="page usage-wide">
          {refusal === null ? null : <Trouble refusal={refusal} isShown={isShown} />}
          {isShown && isKnown && accounts.length === 0 ? <NoAccount profiles={profiles} /> : null}
          {byId !== null && policy !== null ? <Suggested policy={policy} profiles={profiles} accounts={byId} agents={agents} underWay={underWay} /> : null}
          {isShown && accounts.length > 0 ? (
            <section aria-labelledby="usage-accounts">
              <h2 class="group-head" id="usage-accounts">Accounts</h2>
              <div class="acct-grid">
                {accounts.map((account) => (
                  <AccountCard key={account.id} account={account} profiles={profiles} machines={machines} minima={minima} users={users.byAccount.get(account.id) ?? []} machineName={machineName} times={times} />
                ))}
              </div>
              <p class="sec-hint">Bars show what is used. Hatched: an old reading, so at least this much. Dashed: not known. Striped end: the reserve.</p>
            </section>
          ) : null}
          {isShown && policy !== null ? <Opinion policy={policy} profiles={profiles} agents={agents} underWay={underWay} /> : null}
          {isShown && isKnown ? <Loose agents={users.others} policy={policy} /> : null}
          {loose.length === 0 || !isShown ? null : <LooseProfiles profiles={loose} machineName={machineName} times={times} />}
          {isShown ? <WhatAgentsUsed agents={agents} profiles={profiles} machineName={machineName} /> : null}
        </div>
      </div>
      {hasRules && policy !== null ? <Rules policy={policy} accounts={accounts} onClose={() => setRules(false)} /> : null}
    </section>
  );
}

/** While nothing is proven, in the past tense. */
function Summary(props: { found: Counts }) {
  const { isOld, link, now } = useRoom();
  const provenMs = isOld.value && "sinceMs" in link.value ? link.value.sinceMs : null;
  const words = countWords(props.found);
  const rest = words.rest.join(", ");
  return (
    <p class="head-sum" role="status">
      {provenMs === null ? null : `At ${clock(provenMs, now.peek())}: `}
      {words.head}{words.held === "" && rest === "" ? "" : ". "}
      {words.held === "" ? null : <b>{words.held}</b>}{words.held !== "" && rest !== "" ? ", " : ""}{rest}
    </p>
  );
}

function Trouble(props: { refusal: Refusal; isShown: boolean }) {
  return (
    <p class="callout callout-fault usage-trouble" role="alert">
      <Icon name="warn" />
      <span>The accounts could not be read: <bdi>{line(props.refusal.text, 200)}</bdi> It is tried again.{props.isShown ? " What stands here is older." : ""}</span>
    </p>
  );
}

const LOOK = "controlroom profiles";

function NoAccount(props: { profiles: readonly Profile[] }) {
  const { profiles } = props;
  const folders = profiles.length === 1 ? "One config folder was" : `${profiles.length} config folders were`;
  return (
    <Empty icon="usage" title={<h2>{profiles.length === 0 ? "No config folder of an agent was found" : "No account is known"}</h2>}>
      <p>{profiles.length === 0
        ? "Accounts are read from the folders in which Claude Code and Codex keep their logins. Folders that lie elsewhere can be named in the setting profiles.folders."
        : `${folders} found, and none is signed in to an account. Agents that use an API key have no account and no windows.`}</p>
      <p>This command on a machine shows each folder and what is missing:</p>
      <div class="cmdline"><code>{LOOK}</code><CopyButton text={LOOK} /></div>
    </Empty>
  );
}

/** Agents whose account is not known: never left out silently. */
function Loose(props: { agents: readonly Agent[]; policy: PolicyReport | null }) {
  const { agents } = props;
  if (agents.length === 0) return null;
  const kinds = [...new Set(agents.map((agent) => kindName(agent.kind)))].join(", ");
  return (
    <section class="usage-part" aria-labelledby="usage-loose">
      <h2 class="group-head" id="usage-loose">Account not known <span class="count">{agents.length}</span></h2>
      <div class="panel"><p class="set"><span class="grow"><AgentLinks agents={agents} /><small>{line(kinds, 100)}. They use an API key, or a folder whose login cannot be read.</small></span></p></div>
    </section>
  );
}

function LooseProfiles(props: { profiles: readonly Profile[]; machineName: (id: string) => string; times: Times }) {
  return (
    <section class="usage-part" aria-labelledby="usage-folders">
      <h2 class="group-head" id="usage-folders">Folders without an account <span class="count">{props.profiles.length}</span></h2>
      <ul class="panel">
        {props.profiles.map((profile) => <li key={profile.id} class="set"><ProfileLine profile={profile} machineName={props.machineName} times={props.times} /></li>)}
      </ul>
    </section>
  );
}

/** J and K lead from account to account. */
function useCardSteps(list: { current: HTMLElement | null }): void {
  const step = (by: 1 | -1): boolean => {
    const headings = [...(list.current?.querySelectorAll<HTMLElement>("[data-account-name]") ?? [])];
    const card = document.activeElement?.closest(".acct");
    const at = headings.findIndex((heading) => card?.contains(heading) === true);
    const next = headings[at < 0 ? (by > 0 ? 0 : headings.length - 1) : at + by];
    if (next === undefined) return headings.length > 0;
    next.focus({ preventScroll: true });
    next.closest(".acct")?.scrollIntoView({ block: "nearest" });
    return true;
  };
  useKeys({
    j: { label: "Next account", group: "Usage", run: () => step(1) },
    k: { label: "Previous account", group: "Usage", run: () => step(-1) },
  });
}
