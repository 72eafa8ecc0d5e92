/** Trouble of the control room that lasts, for the strip: followed by app/trouble.ts after the first picture. */
import { signal } from "@preact/signals";

export interface LastingTrouble {
  title: string;
  sinceMs: number;
}

/** The oldest that people should see wherever they are; null: there is none. */
export const lastingTrouble = signal<LastingTrouble | null>(null);
