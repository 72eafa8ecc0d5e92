/** Asks for what the Usage view shows beside the state, and keeps it current while it is looked at. */
import { useComputed } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Refusal } from "../../api/http";
import type { Account, PolicyReport, Profile, UsageReport } from "../../api/types";
import { useRoom, type Room } from "../../live/room";
import { isUnderWay } from "../../store/operations";
import { readAccount } from "../../store/read";
import type { UsageBy } from "../../store/usage-sums";

const AGAIN_MS = 60_000;
/** While files are still being read, and after a refusal. */
const SOON_MS = 5_000;
/** An answer that an event overtook is asked for anew, so many times. */
const MOST_TRIES = 3;

export interface Around {
  profiles: readonly Profile[];
  /** Null: the hub did not say. */
  policy: PolicyReport | null;
  /** Whether accounts were asked for since this view was opened. */
  isKnown: boolean;
  refusal: Refusal | null;
}

/** Accounts go into the state; profiles and the policy's opinion are asked for again when accounts change, and when an operation is over. */
export function useAround(): Around {
  const room = useRoom();
  const [around, setAround] = useState<Around>({ profiles: [], policy: null, isKnown: false, refusal: null });
  const when = useWhen(useComputed(() => room.state.value.accounts.told + [...room.state.value.operations.values()].filter((one) => !isUnderWay(one)).length).value);
  useEffect(() => whileShown(async (signal) => {
    const [refusal, profiles, policy] = await Promise.all([
      loadAccounts(room, signal),
      room.http.request<Profile[]>("GET", "/profiles", { signal }),
      room.http.request<PolicyReport>("GET", "/policy", { signal }),
    ]);
    if (signal.aborted) return AGAIN_MS;
    const trouble = refusal ?? (profiles.ok ? null : profiles.refusal);
    setAround((before) => ({
      profiles: profiles.ok && Array.isArray(profiles.value) ? profiles.value : before.profiles,
      policy: policy.ok ? policy.value : null,
      isKnown: before.isKnown || trouble === null,
      refusal: trouble,
    }));
    return trouble === null ? AGAIN_MS : SOON_MS;
  }), [room, when]);
  return around;
}

/** Null: they are in the state. */
async function loadAccounts(room: Room, signal: AbortSignal): Promise<Refusal | null> {
  for (let tries = 1; ; tries++) {
    const { told } = room.state.peek().accounts;
    const answer = await room.http.request<Account[]>("GET", "/accounts", { signal });
    if (!answer.ok) return answer.refusal;
    if (signal.aborted) return null;
    if (room.state.peek().accounts.told !== told && tries < MOST_TRIES) continue;
    const accounts = Array.isArray(answer.value) ? answer.value.map(readAccount).filter((account) => account !== null) : [];
    room.tell({ type: "accounts", accounts });
    return null;
  }
}

export interface Sums {
  report: UsageReport | null;
  /** What `report` is by: another one may be asked for. */
  by: UsageBy;
  atMs: number;
  refusal: Refusal | null;
}

export function useSums(by: UsageBy): Sums {
  const room = useRoom();
  const [sums, setSums] = useState<Sums>({ report: null, by, atMs: 0, refusal: null });
  const when = useWhen(0);
  useEffect(() => whileShown(async (signal) => {
    const answer = await room.http.request<UsageReport>("GET", "/usage", { query: { by }, signal, withinMs: 30_000 });
    if (signal.aborted) return AGAIN_MS;
    setSums((before) => (answer.ok
      ? { report: answer.value, by, atMs: room.nowMs(), refusal: null }
      : { ...(before.by === by ? before : { report: null, by, atMs: 0 }), refusal: answer.refusal }));
    return answer.ok && (answer.value.reading ?? null) === null ? AGAIN_MS : SOON_MS;
  }), [room, by, when]);
  return sums;
}

/** Another word with each new fleet, each new link, and each `change`: what was asked for before may be old. */
function useWhen(change: number): string {
  const room = useRoom();
  const epoch = useComputed(() => room.state.value.epoch).value;
  const isLive = useComputed(() => room.link.value.kind === "live").value;
  const lived = useRef(0);
  const before = useRef(isLive);
  if (isLive && !before.current) lived.current += 1;
  before.current = isLive;
  return `${epoch} ${lived.current} ${change}`;
}

/** Asks now and again after what `ask` says, in ms; a page that nobody sees asks when it is seen. */
function whileShown(ask: (signal: AbortSignal) => Promise<number>): () => void {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  const run = async (): Promise<void> => {
    isDue = false;
    const againMs = await ask(abort.signal);
    if (!abort.signal.aborted) timer = setTimeout(next, againMs);
  };
  const next = (): void => {
    if (document.visibilityState === "hidden") isDue = true;
    else void run();
  };
  const onSeen = (): void => {
    if (isDue && document.visibilityState !== "hidden") void run();
  };
  document.addEventListener("visibilitychange", onSeen);
  void run();
  return () => {
    abort.abort();
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onSeen);
  };
}
