/**
 * The one registry of keyboard shortcuts. Views say what keys do while they are shown: `useKeys({ t: {...} })`.
 *
 * A name is a key (`j`, `/`, `?`, `Enter`, `Escape`), `mod+k` (Ctrl, or Command on a Mac), or a sequence (`g a`).
 * Names with one plain key count outside of inputs only, never in a modal dialog unless they were registered with
 * `inDialogs`, and not at all when the person turned them off (`taste.singleKeys`). What was registered last is
 * asked first; a `run` that returns false passes the key on. Inside of `data-keys="own"` (a terminal) nothing is
 * taken: all keys go there.
 */
import { useEffect, useRef } from "preact/hooks";

import { taste } from "../store/taste";
import { overlay } from "./overlay";

export interface Shortcut {
  /** What it does, for the list of all keys. */
  label: string;
  run(event: KeyboardEvent): boolean | void;
  /** Heading in the list of all keys. */
  group?: string;
  /** Works in inputs and when single keys are off too (Escape). `mod+…` always does. */
  always?: boolean;
  /** Works while a modal dialog is open too. */
  inDialogs?: boolean;
  /** Leave it out of the list of all keys. */
  hidden?: boolean;
  /** Offer it in the command palette too. */
  inPalette?: boolean;
}

export type Shortcuts = Readonly<Record<string, Shortcut>>;

/** A sequence such as `g a` counts when the second key comes within this time. */
const SEQUENCE_MS = 1500;

const registered: { current: Shortcuts }[] = [];
let pending: { key: string; atMs: number } | null = null;

/** These keys count while the component is mounted. */
export function useKeys(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    registered.push(latest);
    return () => {
      registered.splice(registered.indexOf(latest), 1);
    };
  }, []);
}

export interface KnownKey {
  keys: string;
  label: string;
  group: string;
}

/** All that counts now, in the order in which it was registered. */
export function knownKeys(): KnownKey[] {
  const known = new Map<string, KnownKey>();
  for (const { current } of registered) {
    for (const [keys, shortcut] of Object.entries(current)) {
      if (!shortcut.hidden) known.set(keys, { keys, label: shortcut.label, group: shortcut.group ?? "Here" });
    }
  }
  return [...known.values()];
}

/** What counts now and may be done from the command palette. */
export function keyActs(): { keys: string; shortcut: Shortcut }[] {
  return registered.flatMap(({ current }) => Object.entries(current))
    .filter(([, shortcut]) => shortcut.inPalette === true)
    .map(([keys, shortcut]) => ({ keys, shortcut }));
}

/** The name under which a pressed key is registered. */
export function nameOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): string | null {
  if (event.altKey || event.key === "Shift" || event.key === "Control" || event.key === "Meta" || event.key === "Alt") return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.ctrlKey || event.metaKey ? `mod+${key}` : key;
}

/** Whether a key typed there is text. */
export function isInput(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !/^(button|checkbox|radio|submit|reset|range|color|file)$/.test(target.type);
}

/** Listens from now on. */
export function startKeys(): void {
  document.addEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.target instanceof Element && event.target.closest('[data-keys="own"]') !== null) return;
  const name = nameOf(event);
  if (name === null) return;
  const isPlain = !name.startsWith("mod+");
  const isOff = isPlain && (isInput(event.target) || !taste.value.singleKeys);
  // What is typed for a dialog that is still loading must not act on the page below it.
  const isInDialog = overlay.peek() !== null || document.querySelector("dialog[open]") !== null;
  const sequence = pending !== null && event.timeStamp - pending.atMs < SEQUENCE_MS ? `${pending.key} ${name}` : null;
  pending = null;
  const may = (shortcut: Shortcut): boolean => (!isOff || shortcut.always === true) && (!isInDialog || shortcut.inDialogs === true);
  if ((sequence !== null && run(sequence, event, may)) || run(name, event, may)) {
    event.preventDefault();
    return;
  }
  if (isOff || isInDialog) return;
  const isStart = registered.some(({ current }) => Object.keys(current).some((keys) => keys.startsWith(`${name} `)));
  if (isStart) pending = { key: name, atMs: event.timeStamp };
}

function run(name: string, event: KeyboardEvent, may: (shortcut: Shortcut) => boolean): boolean {
  for (let at = registered.length - 1; at >= 0; at--) {
    const shortcut = registered[at]?.current[name];
    if (shortcut !== undefined && may(shortcut) && shortcut.run(event) !== false) return true;
  }
  return false;
}
