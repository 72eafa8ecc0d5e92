/** One account: its windows, who uses it, and where it is signed in. */
import type { Account, Agent, Machine, Profile } from "../../api/types";
import { hidesSomething, line } from "../../kit/text";
import { CopyButton } from "../../parts/code";
import { Icon } from "../../parts/icon";
import { Menu } from "../../parts/menu";
import { Tag } from "../../parts/tag";
import { kindName } from "../../store/agents";
import { addressOf } from "../../store/routes";
import {
  heldUntil, loginOf, machinesOf, marks, paidWords, signIn, windowView, type Minima, type Times, type WindowView,
} from "../../store/usage";
import { wishFor } from "../operations/wish";

/** So many agents are named in a card; the others are counted. */
const MOST_NAMED = 8;
const MOST_TYPED = 400;

interface AccountProps {
  account: Account;
  profiles: readonly Profile[];
  machines: ReadonlyMap<string, Machine>;
  minima: Minima;
  users: readonly Agent[];
  machineName: (id: string) => string;
  times: Times;
}

export function AccountCard(props: AccountProps) {
  const { account, times } = props;
  const name = line(account.name, 120) || account.id;
  const own = props.profiles.filter((profile) => profile.account === account.id);
  const where = machinesOf(account, props.profiles, props.machines).map((machine) => line(machine, 60)).join(" + ");
  const what = [[kindName(account.kind), line(account.plan ?? "", 40)].filter((part) => part !== "").join(" "), where].filter((part) => part !== "").join(", ");
  const paid = paidWords(account);
  const views = account.windows.map((window) => windowView(account, window, times));
  const read = views.length > 1 && views.every((view) => view.read === views[0]?.read) ? (views[0]?.read ?? null) : null;
  return (
    <article class="acct" aria-labelledby={`account-${account.id}`}>
      <div class="acct-head">
        <h3 class="acct-name" id={`account-${account.id}`} data-account-name tabIndex={-1}><bdi>{name}</bdi></h3>
        <span class="sm muted"><bdi>{what}</bdi></span>
        {marks(account, props.profiles, props.minima, props.machineName, times).map((mark) => <Tag key={mark.text} kind={mark.kind}>{mark.text}</Tag>)}
        {props.users.length === 0 ? null : <Menu class="usage-move" label={`Move an agent from ${name}`} items={props.users.map((agent) => ({ label: `Move ${line(agent.name, 60) || agent.id}…`, icon: "move", run: () => wishFor({ kind: "move", agentId: agent.id }) }))}><Icon name="move" /></Menu>}
      </div>
      {account.windows.length === 0 ? <p class="md second">Nothing is known yet of what it has left.</p> : null}
      {views.map((view) => <WindowLine key={view.key} account={name} view={view} hasRead={read === null} />)}
      {read === null ? null : <p class="sm muted usage-read">All {read}</p>}
      {heldUntil(account, times.nowMs) === null ? null : <p class="sm second usage-note"><bdi>{line(account.hold?.why ?? "", 200)}</bdi></p>}
      {paid === "" ? null : <p class="sm second usage-note">{paid}</p>}
      {own.filter((profile) => (profile.problem ?? "") !== "").map((profile) => (
        <p key={profile.id} class="sm second usage-note usage-problem"><Icon name="info" small /><span><bdi>{line(profile.name, 60)}</bdi> on <bdi>{props.machineName(profile.machine_id)}</bdi>: <bdi>{line(profile.problem ?? "", 200)}</bdi></span></p>
      ))}
      <div class="acct-foot">
        <span class="grow">{props.users.length === 0 ? "No agent" : <AgentLinks agents={props.users} />}</span>
        <details class="usage-where">
          <summary>{own.length === 1 ? "1 profile" : `${own.length} profiles`}<span class="vh"> of {name}</span></summary>
          <ul>{own.map((profile) => <li key={profile.id}><ProfileLine profile={profile} machineName={props.machineName} times={times} /></li>)}</ul>
        </details>
      </div>
    </article>
  );
}

function WindowLine(props: { account: string; view: WindowView; hasRead: boolean }) {
  const { view } = props;
  const name = line(view.name, 60);
  const label = `${props.account}, ${name}`;
  const bar = { plain: "bar", full: "bar bar-full", stale: "bar bar-stale", none: "bar bar-none" }[view.look];
  return (
    <div class="win">
      <span class="second"><bdi>{name}</bdi></span>
      {view.usedPct === null ? <div class={bar} role="img" aria-label={`${label}: ${view.said}`} /> : (
        <div class={bar} role="meter" aria-label={`${label}, used`} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(view.usedPct)} aria-valuetext={view.said}>
          <i style={`--v:${view.usedPct}`} />
          {view.reservePct === null ? null : <span class="keep" style={`--r:${view.reservePct}`} />}
        </div>
      )}
      <span class="pct">{view.text}</span>
      <span class="when">{view.when}</span>
      {props.hasRead ? <span class="when">{view.read}</span> : null}
    </div>
  );
}

/** Names of agents that lead to their chats. */
export function AgentLinks(props: { agents: readonly Agent[] }) {
  const { agents } = props;
  const more = agents.length - MOST_NAMED;
  return (
    <span class="usage-agents">
      {agents.slice(0, MOST_NAMED).map((agent, at) => (
        <span key={agent.id}>{at === 0 ? "" : ", "}<a href={addressOf({ at: "agent", agentId: agent.id })}><bdi>{line(agent.name, 80) || agent.id}</bdi></a></span>
      ))}
      {more > 0 ? <span> and {more} more</span> : null}
    </span>
  );
}

/** One config folder: where it lies, how its login stands, and how to sign in. */
export function ProfileLine(props: { profile: Profile; machineName: (id: string) => string; times: Times }) {
  const { profile, times } = props;
  const login = loginOf(profile);
  const ends = profile.login_ends_ms ?? null;
  const words = {
    ok: "signed in", idle: "login idle: an agent that uses it renews it", out: "signed out",
    ends_soon: ends === null ? "login ends soon" : `login ends in ${times.span(ends - times.nowMs)}, ${times.clock(ends)}`,
  }[login] ?? "login not known";
  const found = login === "out" || login === "ends_soon" ? signIn(profile) : null;
  const command = found !== null && found.length <= MOST_TYPED && !hidesSomething(found) ? found : null; // what is copied is what is seen
  const problem = profile.problem ?? "";
  return (
    <div class="grow usage-profile">
      <span><b><bdi>{line(profile.name, 60)}</bdi></b> on <bdi>{props.machineName(profile.machine_id)}</bdi>: {words}</span>
      <small class="muted"><bdi>{line(profile.folder, 300)}</bdi></small>
      {problem === "" ? null : <small class="second"><bdi>{line(problem, 300)}</bdi></small>}
      {command === null ? null : (
        <>
          <small class="muted">To sign in, on <bdi>{props.machineName(profile.machine_id)}</bdi>:</small>
          <div class="cmdline"><code>{command}</code><CopyButton text={command} /></div>
        </>
      )}
    </div>
  );
}
