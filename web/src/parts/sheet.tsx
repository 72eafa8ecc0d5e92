/**
 * A sheet: from below on a phone, a dialog in the middle on a desktop. Focus stays in it, Escape and (on Android)
 * Back close it, focus returns to where it was.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

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

/** The modal frame of sheets and of the command palette. */
export function Dialog(props: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const onClose = useRef(props.onClose);
  onClose.current = props.onClose;
  useEffect(() => {
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

function isOutside(event: MouseEvent, element: HTMLElement): boolean {
  const box = element.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}
