/** A short note at the foot of the page, mostly to offer Undo. One at a time; the newest replaces the one before. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export interface Toast {
  text: string;
  /** A button in it, "Undo" as a rule. */
  act?: { label: string; run(): void };
  /** How long it stays, in ms. It stays as long as it has the focus or the pointer. */
  forMs?: number;
}

const TOAST_MS = 8000;
const UNDO = "Undo";
const shown = signal<Toast | null>(null);

export function showToast(toast: Toast): void {
  shown.value = { ...toast };
}

export function hideToast(): void {
  shown.value = null;
}

/** Undoes what the toast is about. False: it offers no Undo. */
export function takeToast(): boolean {
  const act = shown.value?.act;
  if (act?.label !== UNDO) return false; // "Undo" by key opens nothing
  hideToast();
  act.run();
  return true;
}

/** The place for the toast: the shell mounts it once. */
export function Toasts() {
  const toast = shown.value;
  useEffect(() => {
    if (toast === null) return;
    const hide = (): void => {
      if (document.querySelector(".toast:hover, .toast:focus-within") !== null) timer = setTimeout(hide, 1000);
      else if (shown.value === toast) shown.value = null;
    };
    let timer = setTimeout(hide, toast.forMs ?? TOAST_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div class="toasts" role="status">
      {toast === null ? null : (
        <div class="toast">
          <span>{toast.text}</span>
          {toast.act === undefined ? null : (
            <button class="btn" type="button" onClick={() => { hideToast(); toast.act?.run(); }}>{toast.act.label}</button>
          )}
        </div>
      )}
    </div>
  );
}
