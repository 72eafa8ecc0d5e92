/** How wide the list is on a desktop, and whether it is there. Kept on this device. */
import { signal, type ReadonlySignal } from "@preact/signals";

export interface Layout {
  /** Width of the list in rem. */
  listRem: number;
  isListHidden: boolean;
}

export const NARROWEST_REM = 19;
export const WIDEST_REM = 32;
const USUAL: Layout = { listRem: 23, isListHidden: false };
const NAME = "controlroom.layout";

const current = signal<Layout>(USUAL);

export const layout: ReadonlySignal<Layout> = current;

export function changeLayout(change: Partial<Layout>): void {
  const next = { ...current.value, ...change };
  current.value = { ...next, listRem: clamp(next.listRem) };
  try {
    localStorage.setItem(NAME, JSON.stringify(current.value));
  } catch {
    // It counts until the page is loaded again.
  }
}

export function resetListWidth(): void {
  changeLayout({ listRem: USUAL.listRem });
}

/** What was kept, field by field; what cannot be used is as usual. */
export function parseLayout(text: string | null): Layout {
  let said: unknown;
  try {
    said = JSON.parse(text ?? "null");
  } catch {
    return USUAL;
  }
  const { listRem, isListHidden } = (typeof said === "object" && said !== null ? said : {}) as Record<string, unknown>;
  return {
    listRem: typeof listRem === "number" && Number.isFinite(listRem) ? clamp(listRem) : USUAL.listRem,
    isListHidden: isListHidden === true,
  };
}

export function readLayout(): void {
  try {
    current.value = parseLayout(localStorage.getItem(NAME));
  } catch {
    // As usual.
  }
}

function clamp(rem: number): number {
  return Math.min(WIDEST_REM, Math.max(NARROWEST_REM, Math.round(rem * 10) / 10));
}
