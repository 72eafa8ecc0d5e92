/** Nothing moves by itself: the order of the list waits while the person touches or scrolls it. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Agent } from "../../api/types";
import { held, isSameOrder, movesBetween, NO_MOVES, type Group, type Moves } from "../../store/agents";

/** What appeared or moved ignores taps for this long (`--t-settle`). */
export const SETTLE_MS = 600;
/** Scrolling has ended when nothing scrolled for this long. */
const SCROLL_END_MS = 350;
/** A finger or mouse that let go may come again at once. */
const LET_GO_MS = 250;
/** The browser may never say that a finger went: it left the window, or the window lost it. */
const HELD_AT_MOST_MS = 30_000;

export interface Held {
  groups: readonly Group[];
  /** Rows that appeared or came from another group a moment ago. */
  settling: ReadonlySet<string>;
  /** Rows moved a moment ago: a tap would hit another one than was meant. */
  isShifting: boolean;
}

/**
 * The groups to show. While `list` is touched, scrolled or has an open menu they keep the order that is on the
 * screen, with what is known now of each agent. `key` names what the person chose to see (filter, search): another
 * one is shown at once.
 */
export function useHeld(list: { current: HTMLElement | null }, next: readonly Group[], agents: ReadonlyMap<string, Agent>, key: string): Held {
  const isHeld = useHands(list);
  const shown = useRef({ groups: next, key });
  const [settling, setSettling] = useState<Moves>(NO_MOVES);
  let groups = next;
  let moves = NO_MOVES;
  if (shown.current.key === key && !isSameOrder(shown.current.groups, next)) {
    if (isHeld) groups = held(shown.current.groups, agents);
    else if (shown.current.groups.length > 0) moves = movesBetween(shown.current.groups, next);
  }
  useLayoutEffect(() => {
    shown.current = { groups, key };
    if (moves.moved.size > 0) setSettling(moves);
  });
  useEffect(() => {
    if (settling === NO_MOVES) return;
    const timer = setTimeout(() => setSettling(NO_MOVES), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [settling]);
  const { moved, arrived } = moves.moved.size > 0 ? moves : settling;
  return { groups, settling: arrived, isShifting: moved.size > 0 };
}

/** A row that has the focus keeps it when it goes to another place of the list; `name` is the attribute that tells rows apart. */
export function useKeptFocus(list: { current: HTMLElement | null }, name = "agent"): void {
  const active = document.activeElement;
  const row = active instanceof HTMLElement && list.current?.contains(active) ? active.dataset[name] : undefined;
  useLayoutEffect(() => {
    if (row === undefined || document.activeElement === active) return;
    list.current?.querySelector<HTMLElement>(`[data-${name}="${CSS.escape(row)}"]`)?.focus({ preventScroll: true });
  });
}

/** Whether the person has a hand on the list. */
export function useHands(list: { current: HTMLElement | null }): boolean {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isDown = false;
    const hold = (forMs: number): void => {
      setHeld(true);
      clearTimeout(timer);
      timer = setTimeout(() => setHeld(isDown), forMs);
    };
    let longest: ReturnType<typeof setTimeout> | undefined;
    const up = (): void => {
      clearTimeout(longest);
      if (!isDown) return;
      isDown = false;
      hold(LET_GO_MS);
    };
    const down = (): void => {
      isDown = true;
      hold(LET_GO_MS);
      clearTimeout(longest);
      longest = setTimeout(up, HELD_AT_MOST_MS);
    };
    const scroll = (): void => hold(SCROLL_END_MS);
    element.addEventListener("pointerdown", down);
    element.addEventListener("scroll", scroll, { capture: true, passive: true });
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", up);
    return () => {
      clearTimeout(timer);
      clearTimeout(longest);
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("scroll", scroll, { capture: true });
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", up);
    };
  }, []);
  return isHeld;
}
