/** A menu behind a button. Arrows move in it, Escape and a click elsewhere close it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Icon } from "./icon";

export interface MenuItem {
  label: string;
  icon?: string;
  /** Shown at its right. */
  keys?: string;
  isBad?: boolean;
  disabled?: boolean;
  run(): void;
}

export interface MenuProps {
  /** The name of the button: "Actions for NAME". */
  label: string;
  /** `null` draws a line between groups. */
  items: readonly (MenuItem | null)[];
  /** What stands in the button; three dots without it. */
  children?: ComponentChildren;
  class?: string;
}

export function Menu(props: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (!isOpen) return;
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    root.current?.querySelector<HTMLElement>('[role="menuitem"]:not([disabled])')?.focus({ preventScroll: true });
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [isOpen]);
  const onKey = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    const rows = [...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]:not([disabled])') ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape") close();
    else if (to !== undefined) rows.at(to % rows.length)?.focus();
    else if (event.key === "Tab") return;
    event.stopPropagation(); // a key in a menu is no shortcut of the page
    if (event.key === "Escape" || to !== undefined) event.preventDefault();
  };
  return (
    <div class={`menu ${props.class ?? ""}`} ref={root} onKeyDown={onKey}>
      <button
        ref={button} class="icon-btn" type="button" aria-label={props.label}
        aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}
      >
        {props.children ?? <Icon name="more" />}
      </button>
      {isOpen ? (
        <div class="menu-pop" role="menu" aria-label={props.label}>
          {props.items.map((item, at) => item === null ? <hr key={at} /> : (
            <button
              key={item.label} type="button" role="menuitem" tabIndex={-1} class={item.isBad ? "bad" : undefined}
              disabled={item.disabled} onClick={() => { close(); item.run(); }}
            >
              {item.icon === undefined ? null : <Icon name={item.icon} />}
              {item.label}
              {item.keys === undefined ? null : <kbd class="only-wide" aria-hidden="true">{item.keys}</kbd>}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
