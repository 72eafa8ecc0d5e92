/** The words between the link's machine and everybody who tells people about it. */

/**
 * The link to the hub, as the strips tell it (design connection.html). `sinceMs`: since when nothing here is proven,
 * in the hub's time. Only in `live` is what is shown what is.
 */
export type LinkState =
  | { kind: "connecting"; sinceMs: number }
  | { kind: "live" }
  | { kind: "proving"; sinceMs: number } // after sleep: until proven, nothing is called fresh
  | { kind: "catching"; sinceMs: number; left: number } // proven; `left` changes are still to come
  | { kind: "waiting"; untilMs: number; sinceMs: number; why: WaitReason; text: string } // the next try
  | { kind: "offline"; sinceMs: number } // the device itself has no network
  | { kind: "locked"; sinceMs: number } // a passkey unlock is due
  | { kind: "not_allowed"; sinceMs: number; text: string } // the right to read has ended
  | { kind: "outdated"; sinceMs: number } // this page does not speak the hub's protocol
  | { kind: "not_paired"; sinceMs: number; text: string };

/**
 * Why the link waits for its next try. `unreachable`: nothing came back. `stopped`: the hub said good-bye (it
 * restarts). `refused`: it answered, but not with a link (429, 500 …). `garbage`: what answered is not the control room.
 */
export type WaitReason = "unreachable" | "stopped" | "refused" | "garbage";
