/** The lock of this device: its passkeys, and what they are asked for. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Answer, Refusal } from "../../api/http";
import type { Device } from "../../api/types";
import { thisBrowser } from "../../kit/browser";
import { makePasskey, passkeyTrouble, PASSKEY_TROUBLE, unlock, type Passkey } from "../../kit/passkey";
import { line } from "../../kit/text";
import { loadDevices, ownDevice, ownPasskeys } from "../../live/devices";
import { lockNow } from "../../live/lock";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Sheet } from "../../parts/sheet";
import { Switch } from "../../parts/switch";
import { deviceName } from "../../store/pairing";
import { Page, Section, Trouble } from "./page";
import { idleTimes, usedWords } from "./words";

interface LockWish { app?: boolean; idle_s?: number; terminal?: boolean }

export function LockPage() {
  const room = useRoom();
  const refusal = useSignal<Refusal | null>(null);
  const isBusy = useSignal(false);
  const removing = useSignal<Passkey | null>(null);
  useEffect(() => void loadDevices(room), []);
  const device = ownDevice(room);
  const passkeys = ownPasskeys.value;
  const trouble = passkeyTrouble();

  /** Asking for less needs a present unlock: the passkey is shown, then it is tried once more. */
  const run = async <T,>(ask: () => Promise<Answer<T>>): Promise<boolean> => {
    if (isBusy.value) return false;
    isBusy.value = true;
    let answer = await ask();
    if (!answer.ok && answer.refusal.code === "locked") {
      const shown = await unlock(room.http);
      answer = shown.ok ? await ask() : shown;
    }
    isBusy.value = false;
    refusal.value = answer.ok ? null : answer.refusal;
    await loadDevices(room);
    return answer.ok;
  };
  const change = (wish: LockWish): void => {
    if (device === null) return;
    void run(() => room.http.request<Device>("PATCH", `/devices/${device.id}`, { body: { lock: wish } }));
  };
  const make = (): void => void run(() => makePasskey(room.http, deviceName(thisBrowser())));
  const remove = async (passkey: Passkey): Promise<void> => {
    removing.value = null;
    await run(() => room.http.request<Device>("DELETE", `/unlock/passkeys/${encodeURIComponent(passkey.id)}`));
  };

  const lock = device?.lock ?? {};
  const isOn = (lock.app ?? false) || (lock.terminal ?? false);
  const canLock = passkeys.length > 0 && device !== null;
  return (
    <Page title="Lock">
      <Section title="Passkeys of this device" hint="The passkey never leaves this device or your password manager. If it is lost, pair this device anew from the hub’s machine.">
        {passkeys.length === 0 ? null : (
          <ul class="panel">
            {passkeys.map((passkey) => (
              <li key={passkey.id} class="set">
                <Icon name="face" />
                <div class="grow"><b><bdi>{line(passkey.name, 60)}</bdi></b><small>{usedWords(passkey, room.now.value)} · for <bdi>{passkey.site}</bdi></small></div>
                <button class="btn btn-plain bad" type="button" onClick={() => { removing.value = passkey; }}>Remove<span class="vh"> {passkey.name}</span></button>
              </li>
            ))}
          </ul>
        )}
        <button class="btn btn-line btn-block" type="button" disabled={trouble !== null || isBusy.value} onClick={make}>
          <Icon name="plus" small />{passkeys.length === 0 ? "Make a passkey" : "Make another passkey"}
        </button>
        {trouble === null ? null : <p class="sec-hint">{PASSKEY_TROUBLE[trouble]}</p>}
        <Trouble refusal={refusal.value} />
      </Section>
      <Section title="Ask for it" hint={canLock ? undefined : "Make a passkey first."}>
        <div class="panel">
          <Switch label="To open the app" hint="On opening, and when nothing happened for a while. Until then it shows a number only" isOn={lock.app ?? false} disabled={!canLock || isBusy.value} onChange={(app) => change({ app })} />
          <Switch label="For the terminal" hint="To type into panes and to open shells; watching is free" isOn={lock.terminal ?? false} disabled={!canLock || isBusy.value} onChange={(terminal) => change({ terminal })} />
          <label class="set">
            <span class="grow">Locks again<small>After so long without a touch or a key</small></span>
            <select class="input select" disabled={!canLock || isBusy.value} value={String(lock.idle_s ?? 300)} onChange={(event) => change({ idle_s: Number(event.currentTarget.value) })}>
              {idleTimes(lock.idle_s ?? 300).map(({ seconds, label }) => <option key={seconds} value={String(seconds)}>{label}</option>)}
            </select>
          </label>
        </div>
      </Section>
      {lock.app ? <section><button class="btn btn-line btn-block" type="button" onClick={lockNow}><Icon name="lock" small />Lock now</button></section> : null}
      {removing.value === null ? null : (
        <Sheet
          title="Remove this passkey?" onClose={() => { removing.value = null; }}
          foot={
            <>
              <button class="btn btn-line" type="button" onClick={() => { removing.value = null; }}>Keep it</button>
              <button class="btn btn-fault" type="button" onClick={() => removing.value !== null && void remove(removing.value)}>Remove</button>
            </>
          }
        >
          <p><b><bdi>{line(removing.value.name, 60)}</bdi></b> opens this device no more.{passkeys.length === 1 && isOn ? " It is the last one, so the lock is off then." : ""} Delete it in your password manager too, if you like.</p>
        </Sheet>
      )}
    </Page>
  );
}
