/** Asks for one operation, once: a try whose answer was lost is asked for again as it was, under the same id. */
import { useRef, useState } from "preact/hooks";

import type { AskOperation, Operation } from "../../api/types";
import { line } from "../../kit/text";
import { askFor } from "../../live/operations";
import { newId, useRoom } from "../../live/room";
import type { Wish } from "./wish";

export interface Asking {
  isBusy: boolean;
  /** Nobody knows whether the last try arrived: only the same can be asked for again. */
  isLost: boolean;
  trouble: string;
  ask(body: Omit<AskOperation, "id">): Promise<Operation | null>;
}

export function useAsking(): Asking {
  const room = useRoom();
  const lost = useRef<AskOperation | null>(null);
  const [state, setState] = useState({ isBusy: false, isLost: false, trouble: "" });
  const ask = async (wanted: Omit<AskOperation, "id">): Promise<Operation | null> => {
    const body = lost.current ?? { ...wanted, id: newId("op") };
    setState({ isBusy: true, isLost: false, trouble: "" });
    const answer = await askFor(room, body);
    const isLost = !answer.ok && answer.refusal.status === 0;
    lost.current = isLost ? body : null;
    const trouble = answer.ok ? "" : isLost ? `${line(answer.refusal.text, 200)} It is not known whether it was asked for. Trying again asks once.` : line(answer.refusal.text, 300);
    setState({ isBusy: false, isLost, trouble });
    return answer.ok ? answer.value : null;
  };
  return { ...state, ask };
}

/** What was typed into a sheet that was closed, until it is asked for. */
const kept = new Map<string, Readonly<Record<string, string>>>();

/** Fields of a sheet by name; they stay when the sheet is closed, for whoever wishes the same. */
export function useFields(wish: Wish, first: Readonly<Record<string, string>>): { of(name: string): string; set(name: string, value: string): void; forget(): void } {
  const key = JSON.stringify(wish); // what one wish brings with it never gives way to what was typed for another
  const [fields, setFields] = useState<Readonly<Record<string, string>>>(() => ({ ...first, ...kept.get(key) }));
  return {
    of: (name) => fields[name] ?? "",
    set: (name, value) => setFields((before) => {
      const after = { ...before, [name]: value };
      kept.set(key, after);
      return after;
    }),
    forget: () => void kept.delete(key),
  };
}

/** One line, as the hub wants a why. */
export function oneLine(text: string): string {
  return line(text, 500);
}
