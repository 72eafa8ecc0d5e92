/** What is worth a notification, for all devices of the person. */
import type { Signal } from "@preact/signals";

import type { components } from "../../api/schema";
import { Switch } from "../../parts/switch";
import { Section } from "./page";

export type Rules = components["schemas"]["NotificationSettings"];
export type RulesWish = components["schemas"]["PatchNotificationSettings"];

export function NotifyRules(props: { rules: Rules; isBusy: Signal<boolean>; onChange(wish: RulesWish): void }) {
  const { rules, isBusy, onChange } = props;
  const of = (kind: "question" | "waiting" | "finished" | "trouble") => ({
    isOn: rules[kind] !== "off",
    disabled: isBusy.value,
    onChange: (isOn: boolean) => onChange({ [kind]: isOn ? "on" : "off" }),
  });
  return (
    <>
      <Section title="What you are told, on all devices" hint="A Status line never is. What you read on one device is gone from the others.">
        <div class="panel">
          <Switch label="A question" hint="At once; blocking ones louder" {...of("question")} />
          <Switch label="An agent waits at a prompt" hint={`When it has waited for ${secondsOf(rules.waiting_after_s)}`} {...of("waiting")} />
          <Switch label="Finished work" hint={`After more than ${secondsOf(rules.finished_after_s)} of work`} {...of("finished")} />
          <Switch label="Trouble with the control room" hint="A machine that is silent, a full disk, a store that fails" {...of("trouble")} />
          <Switch label="Only what blocks" hint="Blocking questions and prompts, nothing else" isOn={rules.only_blocking} disabled={isBusy.value} onChange={(only_blocking) => onChange({ only_blocking })} />
        </div>
      </Section>
      <Section title="When, and how much is shown">
        <div class="panel">
          <QuietHours rules={rules} isBusy={isBusy.value} onChange={onChange} />
          <label class="set set-wrap">
            <span class="grow">On the lock screen<small>{PREVIEWS[rules.previews]}</small></span>
            <select class="input select" disabled={isBusy.value} value={rules.previews} onChange={(event) => onChange({ previews: event.currentTarget.value as Rules["previews"] })}>
              <option value="none">Only that something waits</option>
              <option value="words">Names and sentences</option>
              <option value="all">Everything</option>
            </select>
          </label>
        </div>
      </Section>
    </>
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
