/** What lies over the page: the command palette or the list of all keys. */
import { signal } from "@preact/signals";

export const overlay = signal<"palette" | "keys" | null>(null);
