/** What was written for a question and not sent: kept while the page is open, whatever is looked at meanwhile. */
import { signal, type Signal } from "@preact/signals";

const written = new Map<string, Signal<string | null>>();

/** Null: the field is closed. */
export function wordsFor(id: string): Signal<string | null> {
  const known = written.get(id) ?? signal<string | null>(null);
  written.set(id, known);
  return known;
}

export function forgetWords(id: string): void {
  const known = written.get(id);
  if (known !== undefined) known.value = null;
}
