/** Sizes of letters and places in a screen that is larger than its window. Pure. */

export const SMALLEST_PX = 4;
export const LARGEST_PX = 32;
export const STEP = 1.15;

export function clampPx(px: number): number {
  return Math.round(Math.max(SMALLEST_PX, Math.min(LARGEST_PX, px)) * 100) / 100;
}

export interface Box {
  width: number;
  height: number;
}

/** The letter size at which a whole pane fits, from what it takes at the present one. */
export function fitPx(px: number, content: Box, room: Box, largest = LARGEST_PX): number {
  if (content.width <= 0 || content.height <= 0 || room.width <= 0 || room.height <= 0) return px;
  const ratio = Math.min(room.width / content.width, room.height / content.height);
  return clampPx(Math.min(px * ratio * 0.995, largest));
}

/** Where to scroll so that [from, to] can be seen, with some room around it; as it is when it can be seen already. */
export function scrollTo(at: number, view: number, size: number, from: number, to: number, margin: number): number {
  const most = Math.max(0, size - view);
  if (from - margin < at) return Math.max(0, Math.min(most, from - margin));
  if (to + margin > at + view) return Math.max(0, Math.min(most, to + margin - view));
  return Math.min(at, most);
}

/** How many cells of a terminal of our own fit into this room. */
export function cellsFor(room: Box, cell: Box): { cols: number; rows: number } {
  return {
    cols: Math.max(20, Math.min(500, Math.floor(room.width / Math.max(cell.width, 1)))),
    rows: Math.max(5, Math.min(200, Math.floor(room.height / Math.max(cell.height, 1)))),
  };
}
