/** Notifications of this device: what they are for, on and off, a test, and which ways lead to which device. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { components } from "../../api/schema";
import type { Refusal } from "../../api/http";
import { line } from "../../kit/text";
import { changeRules, loadRules, notifyRules, snooze } from "../../live/notify-rules";
import { lookAtPush, push, turnOff, turnOn, type PushState } from "../../live/push";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { NotifyList } from "./notify-list";
import { NotifyRules } from "./notify-rules";
import { Page, Section, Trouble } from "./page";

type SubscriptionList = components["schemas"]["SubscriptionList"];
type PushTested = components["schemas"]["PushTested"];

const WHY: Readonly<Record<Extract<PushState, { at: "impossible" }>["why"], string>> = {
  insecure: "Browsers allow notifications over HTTPS only. On the hub’s machine: controlroom up --tailscale.",
  browser: "This browser has no notifications for web apps. Try another one.",
  install: "Here they need the installed app: Share, then Add to Home Screen, then open it from there.",
  worker: "The app’s worker does not run in this browser: a private window, or a setting that forbids it.",
};

export function Notifications() {
  const room = useRoom();
  const refusal = useSignal<Refusal | null>(null);
  const said = useSignal("");
  const isBusy = useSignal(false);
  const ways = useSignal<SubscriptionList["subscriptions"]>([]);
  const now = push.value;
  const look = async (): Promise<void> => {
    const answer = await room.http.request<SubscriptionList>("GET", "/push/subscriptions");
    if (answer.ok) ways.value = answer.value.subscriptions;
  };
  const say = (answer: Promise<Refusal | null>): void => void answer.then((found) => (refusal.value = found));
  useEffect(() => {
    void lookAtPush(room.http).then(look);
    say(loadRules(room));
  }, []);
  const run = async (what: () => Promise<{ text: string } | null>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    said.value = "";
    refusal.value = null;
    const trouble = await what();
    refusal.value = trouble === null ? null : { code: "failed", text: trouble.text, status: 0 };
    isBusy.value = false;
    await look();
  };
  const test = async (): Promise<{ text: string } | null> => {
    const answer = await room.http.request<PushTested>("POST", "/push/test", { body: {} });
    if (!answer.ok) return { text: answer.refusal.text };
    const { sent, troubles } = answer.value;
    said.value = sent > 0 ? "Handed to the push service. It appears here within seconds; if not, look at the system’s settings for this browser." : "";
    return troubles === undefined || troubles.length === 0 ? null : { text: troubles.join(" ") };
  };
  return (
    <Page title="Notifications">
      <Section title="This device" hint={hintOf(now)}>
        <div class="panel">
          <div class="set">
            <Icon name="bell" />
            <div class="grow"><b>{stateOf(now)}</b><small>A question, an agent that waits for you, finished work, trouble with the control room. Each once, none for what you read elsewhere.</small></div>
          </div>
        </div>
        {now.at === "off" ? <button class="btn btn-primary btn-block notify-on" type="button" disabled={isBusy.value} onClick={() => void run(() => turnOn(room.http))}><Icon name="bell" small />Turn on notifications</button> : null}
        {now.at === "on" ? (
          <div class="notify-acts">
            <button class="btn btn-line" type="button" disabled={isBusy.value} onClick={() => void run(test)}>Send a test</button>
            <button class="btn btn-line" type="button" disabled={isBusy.value} onClick={() => void run(() => turnOff(room.http))}>Turn off</button>
          </div>
        ) : null}
        {said.value === "" ? null : <p class="sec-hint" role="status">{said.value}</p>}
        <Trouble refusal={refusal.value} />
      </Section>
      {notifyRules.value === null ? null : (
        <NotifyRules rules={notifyRules.value} onChange={(wish) => say(changeRules(room, wish))} onSnooze={(what, untilMs) => say(snooze(room, what, untilMs))} />
      )}
      <Section title="Where they go" hint="Phones with the relay’s app get theirs in that app. Services such as ntfy or mail are set up on the hub’s machine.">
        {ways.value.length === 0 ? <p class="second">Nowhere yet.</p> : (
          <ul class="panel">
            {ways.value.map((way) => (
              <li key={way.id} class="set">
                <Icon name={way.channel === "webpush" ? "laptop" : "phone"} />
                <div class="grow"><b><bdi>{line(way.name ?? "", 80)}</bdi></b><small>{CHANNELS[way.channel] ?? line(way.channel, 40)}{now.at === "on" && way.id === now.id ? " · this device" : ""}</small></div>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <NotifyList />
    </Page>
  );
}

const CHANNELS: Readonly<Record<string, string>> = {
  webpush: "Browser", apns: "iPhone app", fcm: "Android app", proactive: "Relay’s app", apprise: "Service",
};

function stateOf(state: PushState): string {
  switch (state.at) {
    case "looking": return "Looking";
    case "impossible": return "Not possible here";
    case "denied": return "Denied in this browser";
    case "off": return "Off";
    case "on": return "On";
  }
}

function hintOf(state: PushState): string {
  switch (state.at) {
    case "looking": return "";
    case "impossible": return WHY[state.why];
    case "denied": return "Allow notifications in the browser’s settings for this page, then come back.";
    case "off": return "The browser asks you once. What a lock screen shows holds no code, no command and no secret.";
    case "on": return "The words are sealed for this browser; its push service cannot read them.";
  }
}
