/** What this browser gives the app: state, purpose, how to change it. Chats and answers need none of it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Refusal } from "../../api/http";
import type { Device } from "../../api/types";
import { addressOf } from "../../store/routes";
import { go } from "../../kit/navigate";
import { canInstall, install } from "../../kit/install";
import { probe } from "../../kit/probe";
import { loadDevices, ownDevice, ownPasskeys } from "../../live/devices";
import { useRoom } from "../../live/room";
import { ConnectionBadge } from "../../parts/connection-badge";
import { Icon } from "../../parts/icon";
import { PlainReasons } from "../../parts/plain-reason";
import { connectionOf, type PlainReason } from "../../store/connection";
import { factsOf, type Fact, type FactAct } from "../../store/this-device";
import { Page, Section, Trouble } from "./page";
import { SignOut } from "./sign-out";

const ACTS: Readonly<Record<FactAct, string>> = { ask: "Ask now", keep: "Keep it", install: "Install", passkey: "Make one" };

export function ThisDevice() {
  const room = useRoom();
  const facts = useSignal<readonly Fact[]>([]);
  const device = ownDevice(room);
  const look = async (): Promise<void> => {
    facts.value = factsOf(await probe(ownPasskeys.value.length));
  };
  useEffect(() => {
    void loadDevices(room);
    const again = (): void => void look();
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, []);
  useEffect(() => void look(), [canInstall.value, ownPasskeys.value]);
  const act = async (what: FactAct): Promise<void> => {
    switch (what) {
      case "ask":
        await Notification.requestPermission();
        break;
      case "keep":
        await navigator.storage.persist();
        break;
      case "install":
        await install();
        break;
      case "passkey":
        go({ at: "settings", page: "lock" });
        return;
    }
    await look();
  };
  return (
    <Page title="This device">
      {device === null ? null : <ConnectionSection device={device} />}
      <Section title="What the browser allows" hint="Chats and answers need none of these.">
        <ul class="panel">
          {facts.value.map((fact) => (
            <li key={fact.name} class="set fact">
              <Icon name={fact.icon} />
              <div class="grow">
                <b>{fact.title}</b> <span class={fact.isOn ? "ok" : "second"}>{fact.state}</span>
                <small>{fact.purpose} {fact.how}</small>
              </div>
              {fact.act === null ? null : (
                <button class="btn btn-line" type="button" onClick={() => void act(fact.act as FactAct)}>{ACTS[fact.act]}<span class="vh">: {fact.title}</span></button>
              )}
            </li>
          ))}
        </ul>
      </Section>
      {device === null ? null : <SignOut device={device} />}
    </Page>
  );
}

function ConnectionSection(props: { device: Device }) {
  const room = useRoom();
  const refusal = useSignal<Refusal | null>(null);
  const connection = connectionOf(props.device);
  const reason = props.device.plain_reason ?? null;
  const accept = async (value: PlainReason | null): Promise<void> => {
    const answer = await room.http.request<Device>("PATCH", `/devices/${props.device.id}`, { body: { plain_reason: value } });
    refusal.value = answer.ok ? null : answer.refusal;
    if (answer.ok) await loadDevices(room);
  };
  return (
    <Section title="Connection">
      <div class="panel">
        <div class="set">
          <Icon name={connection.kind === "secure" ? "lock" : "link"} />
          <div class="grow"><ConnectionBadge connection={connection} /><small>{connection.detail}</small></div>
          {reason === null || connection.kind === "secure" ? null : (
            <button class="btn btn-plain" type="button" onClick={() => void accept(null)}>Withdraw<span class="vh"> the reason</span></button>
          )}
        </div>
        {connection.kind === "plain" ? (
          <a class="set" href={addressOf({ at: "settings", page: "pair" })}><span class="grow">Turn on HTTPS<small>What is missing without it, and how to get it</small></span><Icon name="right" small /></a>
        ) : null}
      </div>
      {connection.kind === "plain" ? <PlainReasons value={reason} onChange={(value) => void accept(value)} /> : null}
      <Trouble refusal={refusal.value} />
    </Section>
  );
}
