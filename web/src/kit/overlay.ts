/** What lies over the page, or will as soon as its code is there: the command palette or the list of all keys. */
import { signal } from "@preact/signals";

export const overlay = signal<"palette" | "keys" | null>(null);
