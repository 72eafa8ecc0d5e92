/** Acts of the person on a question, with their way back. */
import { clock } from "../../kit/time";
import { line } from "../../kit/text";
import { perform } from "../../live/question-acts";
import type { Room } from "../../live/room";
import { showToast } from "../../parts/toast";
import type { Question } from "../../api/types";
import { refusalWords, type Act } from "../../store/question-act";
import { canUndo, endWords } from "../../store/question-words";
import { actOf } from "../../live/question-acts";
import { forgetWords } from "./words";

const UNDO_MS = 15_000;

/** Does it; what was done can be taken back from the toast. Refusals stand on the card, and in the toast for who is elsewhere. */
export async function act(room: Room, question: Question, what: Act): Promise<void> {
  const after = await perform(room, question, what);
  if (after === null) {
    const state = actOf(question.id).peek();
    if (state.at === "refused") showToast({ text: line(refusalWords(state), 200) });
    return;
  }
  if (what.deed === "answer") void forgetWords(room, question);
  showToast({
    text: saidOf(what, after, room.nowMs()),
    ...(canUndo(after, room.nowMs()) ? { forMs: UNDO_MS, act: { label: "Undo", run: () => void act(room, after, { deed: "undo", label: "Undo" }) } } : {}),
  });
}

function saidOf(what: Act, after: Question, nowMs: number): string {
  switch (what.deed) {
    case "answer": return `Answered “${line(what.label, 80)}”`;
    case "skip": return "Skipped. The agent is told that nobody decided";
    case "dismiss": return "Dismissed. The agent is told nothing";
    case "undo": return after.state === "open" ? "Taken back. The question is open again" : "Being taken back";
    case "reopen": return after.state === "open" ? "The question is open again" : line(endWords(after, (ms) => clock(ms, nowMs)).head, 80);
  }
}
