/**
 * How far this device's clock is ahead of the hub's. Ages and deadlines are told with the hub's clock, so a
 * device whose clock is wrong shows them right all the same. Pure; times in ms.
 */
export interface Clock {
  /** null: the hub was not heard yet. */
  aheadMs: number | null;
  /** How long the question took whose answer this is: the error is at most half of it. */
  tripMs: number;
  takenMs: number;
}

export const UNKNOWN: Clock = { aheadMs: null, tripMs: Infinity, takenMs: 0 };

/** Clocks drift by seconds a day: an exact answer stays better than a vague one for a while, not for ever. */
const GOOD_FOR_MS = 600_000;

/** What is known after the hub said `serverMs` to a question that was on its way from `sentMs` to `heardMs` (own clock). */
export function heard(clock: Clock, sentMs: number, heardMs: number, serverMs: number): Clock {
  const tripMs = heardMs - sentMs;
  if (!(tripMs >= 0) || !Number.isFinite(serverMs)) return clock; // the own clock was set back meanwhile
  const next: Clock = { aheadMs: Math.round((sentMs + heardMs) / 2 - serverMs), tripMs, takenMs: heardMs };
  if (clock.aheadMs === null || next.aheadMs === null || tripMs <= clock.tripMs) return next;
  const isContradicted = Math.abs(clock.aheadMs - next.aheadMs) > (tripMs + clock.tripMs) / 2;
  const isStale = Math.abs(heardMs - clock.takenMs) > GOOD_FOR_MS;
  return isContradicted || isStale ? next : clock;
}

/** The hub's time when this device's clock says `ownMs`. */
export function hubTime(clock: Clock, ownMs: number): number {
  return ownMs - (clock.aheadMs ?? 0);
}
