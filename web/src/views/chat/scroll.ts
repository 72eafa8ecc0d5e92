/**
 * Keeps the reader where they stand: at the end while they are there, else at the block they read, whatever grows above
 * or below. The browser's own anchoring is off (Safari has none). Decisions are in `store/chat.ts`.
 */
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RefObject } from "preact";

import { correction, standOf, type Place, type Stand } from "../../store/chat";

export interface Sight {
  scrollTop: number;
  distanceToEnd: number;
  stand: Stand;
  /** Keys of the blocks whose end is in sight or above it. */
  readKeys: ReadonlySet<string>;
}

export interface Scroller {
  /** Stand there from now on. */
  goTo(stand: Stand): void;
  /** The height of the view in px. */
  height(): number;
  look(): Sight | null;
}

/** `thread` scrolls, except in short viewports, where the whole pane around it does. */
export function useScroller(thread: RefObject<HTMLDivElement | null>, inner: RefObject<HTMLDivElement | null>, isAtEnd: boolean, onSight: (sight: Sight) => void): Scroller {
  const stand = useRef<Stand>({ at: "end" });
  const expected = useRef<number | null>(null);
  const atEnd = useRef(isAtEnd);
  atEnd.current = isAtEnd;
  const report = useRef(onSight);
  report.current = onSight;

  const scroller = useMemo<Scroller & { restore(): void; moved(): void }>(() => {
    const box = (): HTMLElement | null => {
      const element = thread.current;
      if (element === null) return null;
      return getComputedStyle(element).overflowY === "visible" ? element.parentElement : element;
    };
    const edges = (element: HTMLElement): { top: number; bottom: number } => {
      const top = element.getBoundingClientRect().top;
      return { top, bottom: top + element.clientHeight };
    };
    const toEnd = (element: HTMLElement): number => element.scrollHeight - element.clientHeight - element.scrollTop;
    const places = (top: number): Place[] =>
      [...(inner.current?.children ?? [])].filter((child): child is HTMLElement => child instanceof HTMLElement && child.dataset["key"] !== undefined).map((child) => {
        const rect = child.getBoundingClientRect();
        return { key: child.dataset["key"] ?? "", top: rect.top - top, bottom: rect.bottom - top };
      });
    const look = (): Sight | null => {
      const element = box();
      if (element === null) return null;
      const { top, bottom } = edges(element);
      const readKeys = new Set(places(top).filter((place) => place.bottom <= bottom - top + 8).map((place) => place.key));
      return { scrollTop: element.scrollTop, distanceToEnd: toEnd(element), stand: stand.current, readKeys };
    };
    const restore = (): void => {
      const element = box();
      if (element === null) return;
      const { top } = edges(element);
      const by = correction(stand.current, (key) => {
        const block = inner.current?.querySelector<HTMLElement>(`:scope > [data-key="${CSS.escape(key)}"]`);
        return block == null ? null : block.getBoundingClientRect().top - top;
      }, toEnd(element));
      if (Math.abs(by) < 1) return;
      element.scrollTop += by;
      expected.current = element.scrollTop;
    };
    const moved = (): void => {
      const element = box();
      if (element === null) return;
      const isOurs = expected.current !== null && Math.abs(element.scrollTop - expected.current) < 2;
      expected.current = null;
      if (!isOurs) stand.current = standOf(places(edges(element).top), toEnd(element), atEnd.current);
      const sight = look();
      if (sight !== null) report.current(sight);
    };
    return {
      goTo: (next) => {
        stand.current = next;
        restore();
        moved();
      },
      height: () => box()?.clientHeight ?? 0,
      look, restore, moved,
    };
  }, [thread, inner]);

  useLayoutEffect(() => scroller.restore());
  useEffect(() => {
    const element = thread.current;
    const pane = element?.parentElement;
    if (element == null || pane == null || inner.current === null) return;
    let frame = 0;
    const onScroll = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => scroller.moved());
    };
    const sizes = new ResizeObserver(() => {
      scroller.restore();
      onScroll();
    });
    sizes.observe(inner.current);
    sizes.observe(element);
    sizes.observe(pane);
    element.addEventListener("scroll", onScroll, { passive: true });
    pane.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
      pane.removeEventListener("scroll", onScroll);
    };
  }, [scroller]);
  return scroller;
}
