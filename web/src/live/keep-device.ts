/** What this device keeps up with from the moment that it is paired: which one it is, and its lock. */
import { effect, untracked } from "@preact/signals";

import { loadDevices, ownDevice } from "./devices";
import { forgetLock, isShut, keepLock, setLock } from "./lock";
import type { Room } from "./room";

/** Follow the room until the page is closed. */
export function keepDevice(room: Room): void {
  keepLock(room);
  let asked = -1;
  effect(() => {
    const { epoch, devices } = room.state.value;
    if (room.link.value.kind !== "live" || devices !== null || asked === epoch) return;
    asked = epoch;
    void loadDevices(room);
  });
  effect(() => {
    if (room.link.value.kind === "not_paired") forgetLock();
  });
  let wasShut = false;
  effect(() => {
    // The passkey may have been shown in another window: the link does not find that out by itself.
    if (wasShut && !isShut.value) untracked(() => room.prove());
    wasShut = isShut.value;
  });
  effect(() => {
    const device = ownDevice(room);
    if (device !== null) setLock(device);
  });
}
