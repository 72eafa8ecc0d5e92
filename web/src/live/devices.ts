/**
 * The devices of the hub, and which of them this browser is. The state holds the rows; what only this device may
 * know of itself (its passkeys) is here.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";

import type { Answer } from "../api/http";
import type { components } from "../api/schema";
import type { Device, DeviceList } from "../api/types";
import type { Room } from "./room";

type Passkey = components["schemas"]["Passkey"];

interface Own {
  id: string;
  passkeys: readonly Passkey[];
}

const own = signal<Own | null>(null);

/** The id of this device; null until the hub was asked. */
export const ownId: ReadonlySignal<string | null> = computed(() => own.value?.id ?? null);

/** This device's own passkeys. */
export const ownPasskeys: ReadonlySignal<readonly Passkey[]> = computed(() => own.value?.passkeys ?? []);

/** This device as the hub knows it now; null until it was asked. */
export function ownDevice(room: Room): Device | null {
  const id = ownId.value;
  return id === null ? null : (room.state.value.devices?.get(id) ?? null);
}

/** Ask for all devices. */
export async function loadDevices(room: Room): Promise<Answer<DeviceList>> {
  const answer = await room.http.request<DeviceList>("GET", "/devices");
  if (answer.ok) {
    room.tell({ type: "devices", devices: answer.value.devices });
    const current = answer.value.current ?? null;
    own.value = current === null ? null : { id: current, passkeys: answer.value.passkeys ?? [] };
  }
  return answer;
}
