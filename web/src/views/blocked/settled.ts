/** Whether a thing on the page has stood still long enough to be pressed (design: 600 ms). */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

import { isSettled, settle, type Settled } from "../../store/prompt";

const LOOK_MS = 100;

export interface Standing {
  /** For the look: it does not take presses now. */
  isSettling: boolean;
  /** Asked at the moment of a press, with a fresh look at where it stands. */
  isSettled(): boolean;
}

/** `key` is the thing's identity: another dialog in the same place has only just appeared. */
export function useSettled(thing: RefObject<HTMLElement | null>, key: string): Standing {
  const settled = useRef<Settled | null>(null);
  const [isSettling, setSettling] = useState(true);
  const look = (): boolean => {
    const top = thing.current?.getBoundingClientRect().top;
    if (top === undefined) return false;
    settled.current = settle(settled.current, key, top, performance.now());
    return isSettled(settled.current, performance.now());
  };
  useLayoutEffect(() => {
    look();
    setSettling(true);
  }, [key]);
  useEffect(() => {
    const timer = setInterval(() => setSettling(!look()), LOOK_MS);
    return () => clearInterval(timer);
  }, [key]);
  return { isSettling, isSettled: look };
}

