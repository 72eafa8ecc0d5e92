/** What went wrong with a pairing, and what the person can do: in words. Pure. */
import type { Refusal } from "../../api/http";
import { span } from "../../kit/time";

export interface PairTrouble {
  title: string;
  text: string;
  /** The code itself was refused. */
  isCode: boolean;
  /** No try before this time, in this device's clock. */
  againAtMs: number | null;
}

const MAKE_A_NEW_ONE = "Codes live for 10 minutes and work once. Make a new one with “controlroom pair”.";

export function pairTrouble(refusal: Refusal, nowMs: number): PairTrouble {
  const { code, text, retryAfterMs } = refusal;
  const plain = (title: string, said: string): PairTrouble => ({ title, text: said, isCode: false, againAtMs: null });
  switch (code) {
    case "not_paired":
      return { title: "That code is wrong, has ended or was used.", text: MAKE_A_NEW_ONE, isCode: true, againAtMs: null };
    case "too_many":
      return {
        title: "Too many wrong codes.",
        text: "Nothing is lost: wait, then try again with a new code.",
        isCode: false,
        againAtMs: nowMs + (retryAfterMs ?? 60_000),
      };
    case "not_allowed":
      return plain("This page is not the control room’s own.", "Open the address that “controlroom pair” shows, then pair.");
    case "unreachable":
      return plain("The control room did not answer.", "Is this device on the same private network, and does it run? The code was not used up.");
    case "garbage":
      return plain("Something else answered.", `${text} Is the address right?`);
    case "failed":
      return plain("The control room failed at this.", `${text} The code may still work.`);
    default:
      return plain("This did not work.", text);
  }
}

/** `Again in 1 min.`, or "" when the time has come. */
export function againIn(trouble: PairTrouble | null, nowMs: number): string {
  const leftMs = (trouble?.againAtMs ?? 0) - nowMs;
  return leftMs > 0 ? `Again in ${span(leftMs + 999)}.` : "";
}
