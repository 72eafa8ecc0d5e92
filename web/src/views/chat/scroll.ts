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
}

export interface Scroller {
  /** Stand there from now on. */
  goTo(stand: Stand): void;
  /** What was pressed stays where it is, whatever opens below it. */
  pin(target: EventTarget | null): void;
  /** The height of the view in px. */
  height(): number;
  /** The key of the last block whose end is in sight, or above it; null: none. */
  lastRead(): string | null;
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
    // Blocks stand one below the other, so that the first one past a line is found by halving: this runs with each scroll.
    const blocks = (): HTMLElement[] => [...(inner.current?.querySelectorAll<HTMLElement>(":scope > [data-key]") ?? [])];
    const firstEndingBelow = (all: readonly HTMLElement[], y: number): number => {
      let low = 0;
      let high = all.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((all[middle]?.getBoundingClientRect().bottom ?? 0) > y) high = middle;
        else low = middle + 1;
      }
      return low;
    };
    const placeAt = (top: number): Place[] => {
      const all = blocks();
      const element = all[Math.min(firstEndingBelow(all, top), all.length - 1)];
      const rect = element?.getBoundingClientRect();
      return element === undefined || rect === undefined ? [] : [{ key: element.dataset["key"] ?? "", top: rect.top - top, bottom: rect.bottom - top }];
    };
    const lastRead = (): string | null => {
      const element = box();
      if (element === null) return null;
      const all = blocks();
      return all[firstEndingBelow(all, edges(element).bottom + 8) - 1]?.dataset["key"] ?? null;
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
      if (!isOurs) stand.current = standOf(placeAt(edges(element).top), toEnd(element), atEnd.current);
      report.current({ scrollTop: element.scrollTop, distanceToEnd: toEnd(element), stand: stand.current });
    };
    return {
      goTo: (next) => {
        stand.current = next;
        restore();
        moved();
      },
      pin: (target) => {
        const element = box();
        const block = target instanceof Element && target.closest("summary, .unfold") !== null ? target.closest<HTMLElement>("[data-key]") : null;
        if (element === null || block === null) return;
        stand.current = { at: "block", key: block.dataset["key"] ?? "", offset: block.getBoundingClientRect().top - edges(element).top };
      },
      height: () => box()?.clientHeight ?? 0,
      lastRead, restore, moved,
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
