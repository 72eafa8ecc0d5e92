/** This device leaves: its pairing ends on the hub, and what lies here of it is removed. */
import { useSignal } from "@preact/signals";

import type { Refusal } from "../../api/http";
import type { Device } from "../../api/types";
import { database, STORES } from "../../kit/idb";
import { forgetKey } from "../../kit/login";
import { forgetLock } from "../../live/lock";
import { useRoom } from "../../live/room";
import { Sheet } from "../../parts/sheet";
import { Trouble } from "./page";

export function SignOut(props: { device: Device }) {
  const room = useRoom();
  const isAsked = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const isBusy = useSignal(false);
  const leave = async (): Promise<void> => {
    isBusy.value = true;
    const answer = await room.http.request<Device>("DELETE", `/devices/${props.device.id}`);
    isBusy.value = false;
    // Whoever is no device any more has left already.
    if (!answer.ok && answer.refusal.code !== "not_found" && answer.refusal.code !== "not_paired") {
      refusal.value = answer.refusal;
      return;
    }
    await removeAll();
    forgetLock();
    forgetKey();
    location.replace("/app/pair");
  };
  return (
    <section>
      <button class="btn btn-fault btn-block" type="button" onClick={() => { isAsked.value = true; }}>Sign out this device</button>
      {isAsked.value ? (
        <Sheet
          title="Sign out this device?" onClose={() => { isAsked.value = false; }}
          foot={
            <>
              <button class="btn btn-line" type="button" onClick={() => { isAsked.value = false; }}>Stay</button>
              <button class="btn btn-fault" type="button" aria-busy={isBusy.value} onClick={() => void leave()}>Sign out</button>
            </>
          }
        >
          <p>Its pairing and its passkeys end, and drafts and unsent messages on this device are removed. Agents, chats and the other devices stay as they are.</p>
          <Trouble refusal={refusal.value} />
        </Sheet>
      ) : null}
    </section>
  );
}

async function removeAll(): Promise<void> {
  const data = database();
  for (const store of STORES) {
    const entries = await data.entries(store);
    if (entries.ok) await data.change(entries.value.map(([key]) => ({ store, drop: key })));
  }
}
