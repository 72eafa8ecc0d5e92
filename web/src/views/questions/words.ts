/**
 * What was written for a question and not sent: a draft of this device as that of a chat is, kept under the question's id.
 * It is there after a reload, in whatever view shows the question.
 */
import { signal, type Signal } from "@preact/signals";

import type { Question } from "../../api/types";
import type { Room } from "../../live/room";
import { writing } from "../../live/writing";

export interface WrittenWords {
  /** Null: the field is closed. */
  value: string | null;
  /** Why they live in this page only; "" when they are kept. */
  readonly trouble: string;
}

/** Fields that are open although nothing stands in them. */
const opened = new Map<string, Signal<boolean>>();

function openedOf(id: string): Signal<boolean> {
  const known = opened.get(id) ?? signal(false);
  opened.set(id, known);
  return known;
}

export function wordsFor(room: Room, question: Pick<Question, "id" | "agent_id">): WrittenWords {
  const { id } = question;
  const { drafts } = writing(room);
  const isOpened = openedOf(id);
  return {
    get value() {
      const text = drafts.drafts.value.get(id)?.text ?? "";
      return text !== "" ? text : isOpened.value ? "" : null;
    },
    set value(text) {
      isOpened.value = text !== null;
      const before = drafts.of(id, question.agent_id);
      if (before.text !== (text ?? "")) drafts.change({ ...before, text: text ?? "", changedMs: room.nowMs() });
    },
    get trouble() {
      if (drafts.trouble.value !== null) return drafts.trouble.value.text;
      return drafts.unkept.value.has(id) ? "There are too many drafts on this device." : "";
    },
  };
}

/** They were sent. */
export async function forgetWords(room: Room, question: Pick<Question, "id" | "agent_id">): Promise<void> {
  openedOf(question.id).value = false;
  const { drafts } = writing(room);
  const written = drafts.drafts.peek().get(question.id);
  if (written !== undefined) await drafts.drop(written);
}
