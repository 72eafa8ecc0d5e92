/** One mirror in the page: frames while it can be seen, letter size, place of the window on the pane. */
import { useEffect, useRef, useState } from "preact/hooks";

import type { ScreenFrame } from "../../api/types";
import { isWide } from "../../kit/media";
import { useRoom } from "../../live/room";
import { clampPx, fitPx, scrollTo, type Box } from "./fit";
import { cellOf, contentOf, linkProvider, Mirror, targetAt } from "./screen";
import type { Target } from "./targets";

/** Letters of this size are read without effort; remembered while the page lives. */
let lastPx: number | null = null;
const PHONE_PX = 11;
/** Scrolling this soon after a hand was on the screen is dragging; all other scrolling is ours or the browser's. */
const BY_HAND_MS = 500;
const HANDS = ["wheel", "touchmove", "mousedown"] as const;
const DESK_PX = 12;
/** On a desktop the first pane is made to fit, as far as it stays readable. */
const SMALLEST_FIT_PX = 9;
const LARGEST_FIT_PX = 14;

export interface Shown {
  width: number;
  height: number;
  /** False: a line is read without being shown. */
  echo: boolean | null;
}

export interface MirrorView {
  /** The scrolling window, and the place of the terminal in it. */
  window: { current: HTMLDivElement | null };
  place: { current: HTMLDivElement | null };
  mirror: { current: Mirror | null };
  shown: Shown | null;
  /** Since when what is shown is old (the hub's clock); null: it is live. */
  oldSinceMs: number | null;
  px: number;
  isFollowing: boolean;
  /** The part of the pane that the window shows, in shares of it; null: all of it. */
  part: { left: number; top: number; width: number; height: number } | null;
  zoom(by: number): void;
  fit(): void;
  follow(isFollowing: boolean): void;
  /** The link or path at a place of the page. */
  at(x: number, y: number): Target | null;
}

export function useMirror(agentId: string, onTarget: (target: Target) => void, onPainted: (frame: ScreenFrame) => void): MirrorView {
  const room = useRoom();
  const window_ = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const mirror = useRef<Mirror | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const [oldSinceMs, setOld] = useState<number | null>(null);
  const [px, setPx] = useState(() => lastPx ?? (isWide.value ? DESK_PX : PHONE_PX));
  const [isFollowing, setFollowing] = useState(true);
  const [part, setPart] = useState<MirrorView["part"]>(null);
  const isHidden = useHidden();
  const following = useRef(isFollowing);
  following.current = isFollowing;
  const calls = useRef({ onTarget, onPainted });
  calls.current = { onTarget, onPainted };

  const zoomTo = (next: number): void => setPx(clampPx(next));

  const look = (): void => {
    const box = window_.current;
    if (box === null) return;
    const { scrollWidth, scrollHeight, clientWidth, clientHeight, scrollLeft, scrollTop } = box;
    const isWhole = scrollWidth <= clientWidth + 1 && scrollHeight <= clientHeight + 1;
    const next = isWhole ? null : {
      left: scrollLeft / scrollWidth, top: scrollTop / scrollHeight,
      width: Math.min(1, clientWidth / scrollWidth), height: Math.min(1, clientHeight / scrollHeight),
    };
    setPart((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
  };

  const toCursor = (): void => {
    const box = window_.current;
    const live = mirror.current;
    if (box === null || live === null || live.shown === null || !following.current) return;
    const cell = cellOf(live.terminal);
    const { row, column } = live.shown.cursor;
    const pad = 8;
    const left = scrollTo(box.scrollLeft, box.clientWidth, box.scrollWidth, pad + column * cell.width, pad + (column + 1) * cell.width, 4 * cell.width);
    const top = scrollTo(box.scrollTop, box.clientHeight, box.scrollHeight, pad + row * cell.height, pad + (row + 1) * cell.height, 3 * cell.height);
    if (Math.abs(left - box.scrollLeft) < 1 && Math.abs(top - box.scrollTop) < 1) return;
    box.scrollTo(left, top);
  };

  useEffect(() => {
    const element = place.current;
    const box = window_.current;
    if (element === null || box === null) return;
    let isFirst = true;
    const isFresh = lastPx === null;
    const live = new Mirror(element, px, (frame, isResized) => {
      if (!frame.is_old) setOld(null);
      const echo = frame.echo ?? null;
      setShown((before) => (before !== null && before.width === frame.width && before.height === frame.height && before.echo === echo
        ? before : { width: frame.width, height: frame.height, echo }));
      if (isFirst) {
        isFirst = false;
        if (isFresh && isWide.value) zoomTo(Math.max(SMALLEST_FIT_PX, Math.min(fitPx(px, { ...contentOf(live.terminal), height: 1 }, { width: box.clientWidth - 17, height: 1 }), LARGEST_FIT_PX)));
      }
      if (isResized) look();
      toCursor();
      calls.current.onPainted(frame);
    });
    live.terminal.registerLinkProvider(linkProvider(live.terminal, (target) => calls.current.onTarget(target)));
    mirror.current = live;
    let byHandMs = -BY_HAND_MS;
    const onHand = (): void => { byHandMs = performance.now(); };
    const onScroll = (): void => {
      if (performance.now() - byHandMs < BY_HAND_MS) setFollowing(false);
      look();
    };
    box.addEventListener("scroll", onScroll, { passive: true });
    for (const name of HANDS) box.addEventListener(name, onHand, { passive: true });
    const observer = new ResizeObserver(() => { look(); toCursor(); });
    observer.observe(box);
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", onScroll);
      for (const name of HANDS) box.removeEventListener(name, onHand);
      live.dispose();
      mirror.current = null;
    };
  }, [agentId]);

  useEffect(() => {
    lastPx = px;
    const live = mirror.current;
    if (live === null) return;
    live.terminal.options.fontSize = px;
    look();
    toCursor();
  }, [px]);

  useEffect(() => {
    if (isFollowing) toCursor();
  }, [isFollowing]);

  // Nothing is asked for while nobody can see it; what is left on the screen is old from then on.
  useEffect(() => {
    if (isHidden) return;
    const stop = room.watch(agentId, (frame) => {
      if (frame === null || frame.is_old) setOld((before) => before ?? room.nowMs());
      if (frame !== null) mirror.current?.show(frame);
    });
    return () => {
      stop();
      setOld((before) => before ?? room.nowMs());
    };
  }, [agentId, isHidden]);

  usePinch(window_, px, zoomTo);

  return {
    window: window_, place, mirror, shown, oldSinceMs, px, isFollowing, part,
    zoom: (by) => zoomTo(px * by),
    fit: () => {
      const live = mirror.current;
      const box = window_.current;
      if (live === null || box === null) return;
      const room_: Box = { width: box.clientWidth - 17, height: box.clientHeight - 17 };
      zoomTo(fitPx(px, contentOf(live.terminal), room_, 18));
    },
    follow: setFollowing,
    at: (x, y) => {
      const live = mirror.current;
      const screen = live?.terminal.element?.querySelector(".xterm-screen")?.getBoundingClientRect();
      if (live == null || screen === undefined) return null;
      const cell = cellOf(live.terminal);
      const column = Math.floor((x - screen.left) / cell.width);
      const row = Math.floor((y - screen.top) / cell.height);
      if (row < 0 || row >= live.terminal.rows || column < 0 || column >= live.terminal.cols) return null;
      return targetAt(live.terminal, row, column);
    },
  };
}

function useHidden(): boolean {
  const [isHidden, setHidden] = useState(document.visibilityState === "hidden");
  useEffect(() => {
    const follow = (): void => setHidden(document.visibilityState === "hidden");
    document.addEventListener("visibilitychange", follow);
    return () => document.removeEventListener("visibilitychange", follow);
  }, []);
  return isHidden;
}

/** Two fingers, or Ctrl and the wheel (which is what a trackpad's pinch says), change the size of letters. */
function usePinch(window_: { current: HTMLElement | null }, px: number, zoomTo: (px: number) => void): void {
  const now = useRef({ px, zoomTo });
  now.current = { px, zoomTo };
  useEffect(() => {
    const box = window_.current;
    if (box === null) return;
    let began: { apart: number; px: number } | null = null;
    const apart = (touches: TouchList): number => {
      const [one, other] = [touches[0], touches[1]];
      return one === undefined || other === undefined ? 0 : Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    };
    const onStart = (event: TouchEvent): void => {
      began = event.touches.length === 2 ? { apart: apart(event.touches), px: now.current.px } : null;
    };
    const onMove = (event: TouchEvent): void => {
      if (began === null || event.touches.length !== 2 || began.apart === 0) return;
      if (event.cancelable) event.preventDefault();
      const next = clampPx((began.px * apart(event.touches)) / began.apart);
      if (Math.abs(next - now.current.px) >= 0.25) now.current.zoomTo(next);
    };
    const onEnd = (event: TouchEvent): void => {
      if (event.touches.length < 2) began = null;
    };
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      now.current.zoomTo(now.current.px * Math.exp(-event.deltaY / 200));
    };
    box.addEventListener("touchstart", onStart, { passive: true });
    box.addEventListener("touchmove", onMove, { passive: false });
    box.addEventListener("touchend", onEnd, { passive: true });
    box.addEventListener("touchcancel", onEnd, { passive: true });
    box.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      box.removeEventListener("touchstart", onStart);
      box.removeEventListener("touchmove", onMove);
      box.removeEventListener("touchend", onEnd);
      box.removeEventListener("touchcancel", onEnd);
      box.removeEventListener("wheel", onWheel);
    };
  }, []);
}
