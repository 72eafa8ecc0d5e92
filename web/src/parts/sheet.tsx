/**
 * A sheet: from below on a phone, a dialog in the middle on a desktop. Focus stays in it, Escape and (on Android)
 * Back close it, focus returns to where it was.
 */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

import { Icon } from "./icon";

export interface SheetProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  /** Buttons at its foot. */
  foot?: ComponentChildren;
  /** A tap beside it closes it; false while something typed would be lost. */
  closesOutside?: boolean;
}

export function Sheet(props: SheetProps) {
  const id = useId();
  return (
    <Dialog class="sheet" labelledBy={id} onClose={props.onClose} closesOutside={props.closesOutside ?? true}>
      <header class="sheet-head">
        <h2 id={id} tabIndex={-1} autofocus>{props.title}</h2>
        <button class="icon-btn" type="button" aria-label="Close" onClick={props.onClose}><Icon name="close" /></button>
      </header>
      <div class="sheet-body">{props.children}</div>
      {props.foot === undefined ? null : <footer class="sheet-foot">{props.foot}</footer>}
    </Dialog>
  );
}

export interface DialogProps {
  class: string;
  label?: string;
  labelledBy?: string;
  onClose(): void;
  closesOutside: boolean;
  children: ComponentChildren;
}

/** What appeared under a finger ignores it for this long (`--t-settle`). */
const SETTLE_MS = 600;

/** Fingers and main buttons that are down, of the whole page: a dialog may open under one (a long press). */
const down = new Set<number>();
const isUp = (event: PointerEvent): void => void down.delete(event.pointerId);
const isDown = (event: PointerEvent): void => {
  if (event.button === 0) down.add(event.pointerId); // letting go of another button taps nothing
};
window.addEventListener("pointerdown", isDown, true);
window.addEventListener("pointerup", isUp, true);
window.addEventListener("pointercancel", isUp, true);

/** The modal frame of sheets and of the command palette. */
export function Dialog(props: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useSettling(dialog);
  const onClose = useRef(props.onClose);
  onClose.current = props.onClose;
  // Before the next key or tap can come: with an effect after the paint, fast typing went to the page below.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element !== null && !element.open) element.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={props.class}
      aria-label={props.label}
      aria-labelledby={props.labelledBy}
      onCancel={(event) => {
        event.preventDefault();
        onClose.current();
      }}
      onClick={(event) => {
        const element = dialog.current;
        if (props.closesOutside && element !== null && event.target === element && isOutside(event, element)) onClose.current();
      }}
    >
      {props.children}
    </dialog>
  );
}

/**
 * A tap that was meant for what was there before does nothing here: the end of a long press, the second half of a
 * double tap. Keys count at once.
 */
function useSettling(dialog: { current: HTMLDialogElement | null }): void {
  useLayoutEffect(() => {
    const element = dialog.current;
    const isUnderFinger = down.size > 0;
    let untilMs = isUnderFinger ? Infinity : performance.now() + SETTLE_MS;
    const release = (): void => {
      if (untilMs === Infinity && down.size === 0) untilMs = performance.now() + SETTLE_MS;
    };
    const click = (event: MouseEvent): void => {
      const least = isUnderFinger ? 1 : 2; // 0: made by a key, or by assistive technology; 2: of a double tap
      if (event.detail < least || performance.now() >= untilMs) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("pointerup", release);
    window.addEventListener("pointercancel", release);
    element?.addEventListener("click", click, true);
    return () => {
      window.removeEventListener("pointerup", release);
      window.removeEventListener("pointercancel", release);
      element?.removeEventListener("click", click, true);
    };
  }, []);
}

function isOutside(event: MouseEvent, element: HTMLElement): boolean {
  const box = element.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}
