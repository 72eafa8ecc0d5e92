/** What is worth a notification, for all devices of the person. */
import { line } from "../../kit/text";
import { clock } from "../../kit/time";
import { heldUntil, isSettingRules, type AgentRule, type Rules, type RulesWish } from "../../live/notify-rules";
import { useRoom } from "../../live/room";
import { Switch } from "../../parts/switch";
import { showAgent } from "../agents/shown";
import { Section } from "./page";
import { Snooze } from "./snooze";

type Kind = "question" | "waiting" | "finished" | "trouble";

interface RulesProps {
  rules: Rules;
  onChange(wish: RulesWish): void;
  onSnooze(what: string, untilMs: number): void;
}

export function NotifyRules(props: RulesProps) {
  const { rules, onChange } = props;
  const isBusy = isSettingRules.value;
  const of = (kind: Kind) => ({ value: rules[kind], isBusy, onChange: (value: Rules[Kind]) => onChange({ [kind]: value }) });
  return (
    <>
      <Section title="What you are told, on all devices" hint="A Status line never is. What you read on one device is gone from the others.">
        <div class="panel">
          <KindSet label="A question" hint="At once; blocking ones louder" {...of("question")} />
          <KindSet label="An agent waits at a prompt" hint={`When it has waited for ${secondsOf(rules.waiting_after_s)}`} {...of("waiting")} />
          <KindSet label="Finished work" hint={`After more than ${secondsOf(rules.finished_after_s)} of work`} {...of("finished")} />
          <KindSet label="Trouble with the control room" hint="A machine that is silent, a full disk, a store that fails" {...of("trouble")} />
          <Switch label="Only what blocks" hint="Blocking questions and prompts, nothing else" isOn={rules.only_blocking} disabled={isBusy} onChange={(only_blocking) => onChange({ only_blocking })} />
        </div>
      </Section>
      <Section title="When, and how much is shown">
        <div class="panel">
          <Snooze rules={rules} what="" label="Hold everything for a time" onSnooze={(untilMs) => props.onSnooze("", untilMs)} />
          <QuietHours rules={rules} isBusy={isBusy} onChange={onChange} />
          <label class="set set-wrap">
            <span class="grow">On the lock screen<small>{PREVIEWS[rules.previews]}</small></span>
            <select class="input select" disabled={isBusy} value={rules.previews} onChange={(event) => onChange({ previews: event.currentTarget.value as Rules["previews"] })}>
              <option value="none">Only that something waits</option>
              <option value="words">Names and sentences</option>
              <option value="all">Everything</option>
            </select>
          </label>
        </div>
      </Section>
      <Agents {...props} />
    </>
  );
}

function KindSet(props: { label: string; hint: string; value: Rules[Kind]; isBusy: boolean; onChange(value: Rules[Kind]): void }) {
  return (
    <label class="set set-wrap">
      <span class="grow">{props.label}<small>{props.hint}</small></span>
      <select class="input select" disabled={props.isBusy} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value as Rules[Kind])}>
        <option value="on">On</option>
        <option value="always">Also in quiet hours</option>
        <option value="off">Off</option>
      </select>
    </label>
  );
}

const AGENT_RULES: Readonly<Record<AgentRule, string>> = { all: "everything", blocking: "only what blocks", off: "nothing" };

/** Agents of which the person is told something else; each is changed in its own sheet. */
function Agents(props: RulesProps) {
  const { rules } = props;
  const room = useRoom();
  const { agents } = room.state.value;
  const nowMs = room.now.value;
  const muted = [...agents.values()].filter((agent) => agent.muted === true).map((agent) => agent.id);
  const ids = new Set([...Object.keys(rules.agents), ...(rules.snoozes ?? []).map((one) => one.what), ...muted]);
  const shown = [...ids].filter((id) => agents.has(id)).map((id) => {
    const untilMs = heldUntil(rules, id, nowMs);
    const rule = agents.get(id)?.muted === true ? "off" : rules.agents[id] ?? "all";
    return { id, name: line(agents.get(id)?.name ?? "", 80), words: [`You are told ${AGENT_RULES[rule]}`, untilMs === null ? "" : `held until ${clock(untilMs, nowMs)}`].filter(Boolean).join(", "), isOwn: rule !== "all" || untilMs !== null };
  }).filter((one) => one.isOwn);
  return (
    <Section title="Agents with rules of their own" hint="An agent’s own sheet has its notifications: hold its row in the list, or open its chat and its menu.">
      {shown.length === 0 ? <p class="second">None: what stands above holds for all.</p> : (
        <ul class="panel">
          {shown.map((one) => (
            <li key={one.id} class="set">
              <div class="grow"><b><bdi>{one.name}</bdi></b><small>{one.words}</small></div>
              <button class="btn btn-line" type="button" onClick={() => showAgent(one.id)}>Change<span class="vh"> {one.name}</span></button>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const PREVIEWS: Readonly<Record<Rules["previews"], string>> = {
  none: "No name and no word of an agent",
  words: "No code, no command and no secret",
  all: "Whole texts and the last lines of the screen, also to push services that you set up",
};

function QuietHours(props: { rules: Rules; isBusy: boolean; onChange(wish: RulesWish): void }) {
  const { rules, isBusy, onChange } = props;
  const [begin = "", end = ""] = rules.quiet.split("-");
  const isOn = rules.quiet !== "";
  const set = (from: string, to: string): void => {
    if (from !== "" && to !== "" && from !== to) onChange({ quiet: `${from}-${to}` });
  };
  return (
    <>
      <Switch
        label="Quiet hours" isOn={isOn} disabled={isBusy}
        hint={`What comes then waits, and is told together at their end. Time of the hub: ${rules.zone}`}
        onChange={(on) => onChange({ quiet: on ? "22:00-07:00" : "" })}
      />
      {isOn ? (
        <div class="set quiet-hours">
          <label>From <input class="input" type="time" value={begin} disabled={isBusy} onChange={(event) => set(event.currentTarget.value, end)} /></label>
          <label>to <input class="input" type="time" value={end} disabled={isBusy} onChange={(event) => set(begin, event.currentTarget.value)} /></label>
        </div>
      ) : null}
    </>
  );
}

function secondsOf(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}
