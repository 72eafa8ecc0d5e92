/** Makes the room of this page: one socket, one state, one clock. */
import { computed, signal } from "@preact/signals";

import { Http } from "../api/http";
import { readKey } from "../kit/login";
import { EMPTY, type State } from "../store/state";
import type { LinkState, Room } from "./room";

export function makeRoom(): Room {
  const link = signal<LinkState>({ kind: "connecting", sinceMs: Date.now() });
  return {
    http: new Http(readKey),
    state: signal<State>(EMPTY),
    link,
    now: signal(Date.now()),
    isOld: computed(() => link.value.kind !== "live"),
    clockOffMs: signal(null),
    nowMs: () => Date.now(),
    tell: () => undefined,
    openChat: () => () => undefined,
    watch: () => () => undefined,
    keys: (agentId) => Promise.resolve({ type: "ack", request_id: agentId, code: "offline", text: "Not connected." }),
    seen: () => undefined,
    prove: () => undefined,
  };
}
