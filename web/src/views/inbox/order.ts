/** The order of the cards on the screen: it waits while the person touches or scrolls the list. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { hasFocus, lastFocused } from "../questions";
import { SETTLE_MS, useHands } from "../agents/held";

export interface HeldOrder {
  ids: readonly string[];
  /** Those that came a moment ago: a tap on them is not meant. */
  settling: ReadonlySet<string>;
  /** Something moved a moment ago. */
  isShifting: boolean;
}

const NONE: ReadonlySet<string> = new Set();

/** The ids to show: `next`, or what stands on the screen while a hand is on it. */
export function useHeldOrder(list: { current: HTMLElement | null }, next: readonly string[]): HeldOrder {
  const isHeld = useHands(list);
  const shown = useRef<readonly string[] | null>(null);
  const [settling, setSettling] = useState<{ arrived: ReadonlySet<string>; hasMoved: boolean }>({ arrived: NONE, hasMoved: false });
  const before = shown.current;
  const isSame = before !== null && before.length === next.length && before.every((id, at) => id === next[at]);
  const ids = before === null || isSame ? next : isHeld ? before : next;
  const moves = before === null || ids === before || isSame ? null : movesBetween(before, ids);
  useLayoutEffect(() => {
    shown.current = ids;
    if (moves !== null) setSettling(moves);
  });
  useEffect(() => {
    if (!settling.hasMoved) return;
    const timer = setTimeout(() => setSettling({ arrived: NONE, hasMoved: false }), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [settling]);
  const now = moves ?? settling;
  return { ids, settling: now.arrived, isShifting: now.hasMoved };
}

/** What is at the end moves nothing by going. */
function movesBetween(before: readonly string[], after: readonly string[]): { arrived: ReadonlySet<string>; hasMoved: boolean } | null {
  const old = new Map(before.map((id, at) => [id, at]));
  const arrived = new Set(after.filter((id) => !old.has(id)));
  const hasMoved = arrived.size > 0 || after.some((id, at) => old.get(id) !== at);
  return hasMoved ? { arrived, hasMoved } : null;
}

/** When the card with the focus goes, the one that takes its place has it; with none left, the list. */
export function useFocusAfter(list: { current: HTMLElement | null }, ids: readonly string[]): void {
  const before = useRef<readonly string[]>(ids);
  useLayoutEffect(() => {
    const was = before.current;
    before.current = ids;
    const last = lastFocused();
    const at = last === null ? -1 : was.indexOf(last);
    if (at < 0 || last === null || ids.includes(last) || hasFocus()) return;
    const next = ids[Math.min(at, ids.length - 1)];
    const card = next === undefined ? null : list.current?.querySelector<HTMLElement>(`[data-question="${CSS.escape(next)}"]`);
    const target = card?.matches(".row-link") ? card : card?.querySelector<HTMLElement>("[data-heading]");
    (target ?? list.current)?.focus({ preventScroll: target == null });
  }, [ids]);
}
