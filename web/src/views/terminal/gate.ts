/**
 * Whether a key may go to a pane: never to a screen that is not live, and never to a dialog that nobody saw. Pure.
 *
 * While an agent asks something a key names the screen that the person looks at; the node presses it only on that
 * very screen. Without a dialog no screen is named, because whoever types is ahead of their own echo; then the node
 * looks right before, and presses nothing when a dialog stands there by now.
 */

/** A dialog that appeared takes no key for this long (design, "settling"). */
export const SETTLE_MS = 600;

export interface Sight {
  /** The frame that was painted last; null: none, or it is old. */
  revision: string | null;
  /** What tells this dialog from another; null: none is open. */
  dialog: string | null;
  /** When this page first showed that dialog open. */
  dialogShownMs: number;
}

export type Passage = { may: true; seen?: string } | { may: false; why: string };

export function passage(sight: Sight, nowMs: number): Passage {
  if (sight.revision === null) return { may: false, why: "The screen is not live. Nothing was pressed." };
  if (sight.dialog === null) return { may: true };
  if (nowMs - sight.dialogShownMs < SETTLE_MS) return { may: false, why: "A prompt just appeared. Nothing was pressed." };
  return { may: true, seen: sight.revision };
}

/** What to say when keys were refused; the hub's own sentence where it has one. */
export function refusedWords(code: string, text: string | null | undefined): string {
  switch (code) {
    case "changed": return text ?? "The screen changed. No key was pressed.";
    case "locked": return "This device is locked for typing. Nothing was pressed.";
    case "not_allowed": return text ?? "This device has no right to type here. Nothing was pressed.";
    case "offline":
    case "unreachable": return "The link broke. It is not known whether the keys arrived: look at the screen.";
    default: return text ?? "Nothing was pressed.";
  }
}
