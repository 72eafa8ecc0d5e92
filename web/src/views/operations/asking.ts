/**
 * Asks for one operation, once: a try whose answer was lost, or did not come yet, is asked for again as it was, under the
 * same id. That outlives the sheet: who closes it and wishes the same again asks for the same.
 */
import { useState } from "preact/hooks";

import type { AskOperation, Operation } from "../../api/types";
import { line } from "../../kit/text";
import { askFor } from "../../live/operations";
import { newId, useRoom } from "../../live/room";
import type { Wish } from "./wish";

export interface Asking {
  isBusy: boolean;
  /** What was asked for while nobody knows whether it arrived: only the same can be asked for again. */
  lost: AskOperation | null;
  trouble: string;
  ask(body: Omit<AskOperation, "id">): Promise<Operation | null>;
}

/** What was asked for and not answered, by what the person wishes. */
const unanswered = new Map<string, AskOperation>();

/** The same act on the same agent is the same, whatever led to its sheet. */
function intentOf(wish: Wish): string {
  return wish.kind === "start" ? JSON.stringify(wish) : `${wish.kind} ${wish.agentId}`;
}

const NOT_KNOWN = "It is not known whether it was asked for. Trying again asks once.";

export function useAsking(wish: Wish): Asking {
  const room = useRoom();
  const intent = intentOf(wish);
  const [state, setState] = useState(() => {
    const before = unanswered.get(intent) ?? null;
    if (before === null || !room.state.peek().operations.has(before.id)) return { isBusy: false, lost: before, trouble: before === null ? "" : `The last try had no answer. ${NOT_KNOWN}` };
    unanswered.delete(intent); // it had arrived
    return { isBusy: false, lost: null, trouble: "" };
  });
  const ask = async (wanted: Omit<AskOperation, "id">): Promise<Operation | null> => {
    const body = unanswered.get(intent) ?? { ...wanted, id: newId("op") };
    unanswered.set(intent, body);
    setState({ isBusy: true, lost: state.lost, trouble: "" });
    const answer = await askFor(room, body);
    const isLost = !answer.ok && answer.refusal.status === 0;
    if (!isLost && unanswered.get(intent) === body) unanswered.delete(intent);
    const trouble = answer.ok ? "" : isLost ? `${line(answer.refusal.text, 200)} ${NOT_KNOWN}` : line(answer.refusal.text, 300);
    setState({ isBusy: false, lost: isLost ? body : null, trouble });
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
