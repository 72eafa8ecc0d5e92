/** Trouble of the control room that lasts, for the strip: followed by app/trouble.ts after the first picture. */
import { signal } from "@preact/signals";

export interface LastingTrouble {
  /** Whole sentences: what it is, and what to do. */
  text: string;
  sinceMs: number;
  /** What is grave stands before what is only good to know. */
  isGrave: boolean;
}

/** The one that people should see wherever they are; null: there is none. */
export const lastingTrouble = signal<LastingTrouble | null>(null);
