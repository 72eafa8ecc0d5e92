/** The rules that the policy goes by, and the reserves: settings of the hub, shown as they count now. */
import type { Account, PolicyReport } from "../../api/types";
import { line } from "../../kit/text";
import { Icon } from "../../parts/icon";
import { Sheet } from "../../parts/sheet";
import { percent } from "../../store/usage";

export function Rules(props: { policy: PolicyReport; accounts: readonly Account[]; onClose(): void }) {
  const { rules, machines = [], paused, unknown = [] } = props.policy;
  const reserves = props.accounts.filter((account) => (account.reserve_pct ?? 0) > 0);
  return (
    <Sheet title="Rules and reserves" onClose={props.onClose}>
      <dl class="facts">
        <Fact name="Week" text={`An agent moves when less than ${percent(rules.week_min_pct)} is left`} />
        <Fact name="5 hours" text={`An agent moves when less than ${percent(rules.five_hours_min_pct)} is left`} />
        <Fact name="Margin" text={`Another account has to have ${percent(rules.margin_pct)} more than that in every window`} />
        <Fact name="Cool-down" text={`${rules.cool_down_min} min between two moves of an agent`} />
        <div><dt>Reserves</dt><dd>{reserves.length === 0 ? "None: no part of a week is kept" : <ul>{reserves.map((account) => <li key={account.id}><bdi>{line(account.name, 80)}</bdi>: {percent(account.reserve_pct ?? 0)} of the week, which moves never touch</li>)}</ul>}</dd></div>
        <div><dt>By itself</dt><dd>{machines.length === 0 ? "On no machine" : <ul>{machines.map((machine) => <li key={machine.id}><bdi>{line(machine.name, 60)}</bdi>: {!machine.automatic ? "no, it only says what it would do" : paused ? "yes, and paused now" : "yes"}</li>)}</ul>}</dd></div>
      </dl>
      {unknown.length === 0 ? null : <p class="callout"><Icon name="warn" /><span>The setting policy.automatic names <bdi>{line(unknown.join(", "), 200)}</bdi>, and no machine is called that.</span></p>}
      <p class="sm muted">They are settings of the hub, under <code>[policy]</code> in <code>config.toml</code> of its data folder: <code>week_min_pct</code>, <code>five_hours_min_pct</code>, <code>margin_pct</code>, <code>cool_down_min</code>, <code>reserves</code>, <code>automatic</code>. They count once the control room is started again.</p>
    </Sheet>
  );
}

function Fact(props: { name: string; text: string }) {
  return <div><dt>{props.name}</dt><dd>{props.text}</dd></div>;
}
