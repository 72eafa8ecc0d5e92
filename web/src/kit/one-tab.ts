/**
 * Lets one tab of this device do a work that two must not do at once. Web Locks where there are some (secure
 * pages); elsewhere a lease in the database, which a tab that lives renews.
 */
import type { Database } from "./idb";

const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
const SETTLE_MS = 150;

interface Lease {
  tab: string;
  untilMs: number;
}

/** Calls `take` with true when this tab is the one, with false when it may not be any more. Returns how to stop. */
export function beTheOne(name: string, database: Database, take: (isTheOne: boolean) => void): () => void {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks as LockManager | null | undefined;
  if (locks !== undefined && locks !== null) {
    const stopped = new AbortController();
    let release: () => void = () => undefined;
    locks
      .request(name, { signal: stopped.signal }, () => {
        take(true);
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      })
      .catch(() => undefined); // stopped before its turn came
    return () => {
      stopped.abort();
      release();
    };
  }
  return lease(name, database, take);
}

function lease(name: string, database: Database, take: (isTheOne: boolean) => void): () => void {
  const tab = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join("");
  const key = `lease.${name}`;
  let isMine = false;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const set = (value: boolean): void => {
    if (value !== isMine) {
      isMine = value;
      take(value);
    }
  };
  const look = async (): Promise<void> => {
    const found = await database.get<Lease>("meta", key);
    if (isStopped) return;
    if (!found.ok) set(true); // nothing is shared then: each tab has its own
    else if (found.value === undefined || found.value.tab === tab || found.value.untilMs < Date.now()) {
      await database.put("meta", key, { tab, untilMs: Date.now() + LEASE_MS } satisfies Lease);
      if (!isMine) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS)); // two may have written
      const again = await database.get<Lease>("meta", key);
      if (!isStopped) set(!again.ok || again.value?.tab === tab);
    } else set(false);
    if (!isStopped) timer = setTimeout(() => void look(), RENEW_MS);
  };
  const giveUp = async (): Promise<void> => {
    const found = await database.get<Lease>("meta", key);
    if (found.ok && found.value?.tab === tab) await database.drop("meta", key);
  };
  void look().then(() => (isStopped ? giveUp() : undefined));
  return () => {
    isStopped = true;
    clearTimeout(timer);
    void giveUp();
  };
}
