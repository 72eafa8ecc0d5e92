/** All paired devices: what each may do, until when, how it is connected, when it was seen. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Refusal } from "../../api/http";
import type { Device } from "../../api/types";
import { addressOf } from "../../store/routes";
import { line } from "../../kit/text";
import { fullTime } from "../../kit/time";
import { loadDevices, ownId } from "../../live/devices";
import { useRoom } from "../../live/room";
import { ConnectionBadge } from "../../parts/connection-badge";
import { Icon } from "../../parts/icon";
import { Sheet } from "../../parts/sheet";
import { Tag } from "../../parts/tag";
import { connectionOf } from "../../store/connection";
import { Page, Section, Trouble } from "./page";
import { SignOut } from "./sign-out";
import { deviceIcon, grantsOf, KINDS, pairedWords, seenWords } from "./words";

type Asked = { act: "rename" | "revoke"; device: Device } | null;

export function Devices() {
  const room = useRoom();
  const asked = useSignal<Asked>(null);
  const trouble = useSignal<Refusal | null>(null);
  useEffect(() => {
    void loadDevices(room).then((answer) => {
      trouble.value = answer.ok ? null : answer.refusal;
    });
  }, []);
  const devices = [...(room.state.value.devices?.values() ?? [])].sort(
    (one, other) => Number(other.id === ownId.value) - Number(one.id === ownId.value) || other.last_seen_ms - one.last_seen_ms,
  );
  const own = devices.find(({ id }) => id === ownId.value);
  return (
    <Page title="Devices">
      <Section title={devices.length === 1 ? "1 paired" : `${devices.length} paired`} hint="A device that is revoked is out at once, and all devices see a receipt. Rights are given on the hub’s machine alone.">
        <Trouble refusal={trouble.value} />
        <ul class="panel">
          {devices.map((device) => (
            <DeviceRow
              key={device.id} device={device} isOwn={device.id === ownId.value}
              onRename={() => { asked.value = { act: "rename", device }; }} onRevoke={() => { asked.value = { act: "revoke", device }; }}
            />
          ))}
        </ul>
        <a class="btn btn-line btn-block" href={addressOf({ at: "settings", page: "pair" })}><Icon name="qr" small />Pair a device</a>
      </Section>
      {own === undefined ? null : <SignOut device={own} />}
      {asked.value?.act === "rename" ? <Rename device={asked.value.device} onClose={() => { asked.value = null; }} /> : null}
      {asked.value?.act === "revoke" ? <Revoke device={asked.value.device} onClose={() => { asked.value = null; }} /> : null}
    </Page>
  );
}

function DeviceRow(props: { device: Device; isOwn: boolean; onRename(): void; onRevoke(): void }) {
  const { device, isOwn } = props;
  const { now } = useRoom();
  const nowMs = now.value;
  const name = line(device.name, 80);
  const connection = connectionOf(device);
  const user = line(device.tailscale_name || device.tailscale_user || "", 80);
  return (
    <li class="set device">
      <Icon name={deviceIcon(device)} />
      <div class="grow">
        <b><bdi>{name}</bdi>{isOwn ? ", this device" : ""}</b>
        <small title={fullTime(device.last_seen_ms)}>
          {isOwn ? "Active now" : seenWords(device.last_seen_ms, nowMs)} · {pairedWords(device, nowMs)} · {KINDS[device.kind]}
          {user === "" ? null : <> · <bdi>{user}</bdi></>}
        </small>
        <div class="grants">
          <ConnectionBadge connection={connection} />
          {grantsOf(device, nowMs).map(({ right, text, title, isOver }) => (
            <span key={right} title={title}><Tag>{isOver ? <s>{text}</s> : text}</Tag></span>
          ))}
          {device.lock?.app ? <Tag><Icon name="face" small />Locked by passkey</Tag> : null}
        </div>
      </div>
      <div class="device-acts">
        <button class="btn btn-plain" type="button" onClick={props.onRename}>Rename<span class="vh"> {name}</span></button>
        {isOwn ? null : <button class="btn btn-plain bad" type="button" onClick={props.onRevoke}>Revoke<span class="vh"> {name}</span></button>}
      </div>
    </li>
  );
}

function Rename(props: { device: Device; onClose(): void }) {
  const room = useRoom();
  const name = useSignal(props.device.name);
  const refusal = useSignal<Refusal | null>(null);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (name.value.trim() === "") return;
    const answer = await room.http.request<Device>("PATCH", `/devices/${props.device.id}`, { body: { name: name.value } });
    if (!answer.ok) {
      refusal.value = answer.refusal;
      return;
    }
    void loadDevices(room);
    props.onClose();
  };
  return (
    <Sheet title="Rename this device" onClose={props.onClose} closesOutside={false}>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <label class="field">
          <span class="field-label">Name</span>
          <input class="input" type="text" value={name.value} maxLength={80} autocomplete="off" onInput={(event) => { name.value = event.currentTarget.value; }} />
        </label>
        <Trouble refusal={refusal.value} />
        <button class="btn btn-primary btn-block" type="submit">Rename</button>
      </form>
    </Sheet>
  );
}

function Revoke(props: { device: Device; onClose(): void }) {
  const room = useRoom();
  const refusal = useSignal<Refusal | null>(null);
  const isBusy = useSignal(false);
  const name = line(props.device.name, 80);
  const revoke = async (): Promise<void> => {
    isBusy.value = true;
    const answer = await room.http.request<Device>("DELETE", `/devices/${props.device.id}`);
    isBusy.value = false;
    if (!answer.ok && answer.refusal.code !== "not_found") {
      refusal.value = answer.refusal;
      return;
    }
    void loadDevices(room);
    props.onClose();
  };
  return (
    <Sheet
      title="Revoke this device?" onClose={props.onClose}
      foot={
        <>
          <button class="btn btn-line" type="button" onClick={props.onClose}>Keep it</button>
          <button class="btn btn-fault" type="button" aria-busy={isBusy.value} onClick={() => void revoke()}>Revoke</button>
        </>
      }
    >
      <p><b><bdi>{name}</bdi></b> is out at once. To come back it has to be paired anew, with a code from the hub’s machine. This cannot be undone.</p>
      <Trouble refusal={refusal.value} />
    </Sheet>
  );
}
