/** Keeps the open questions of this page whole: asks for them with each new epoch, and when the link is back. */
import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";

import type { Refusal } from "../api/http";
import type { Question, Questions, Status } from "../api/types";
import { hasCard } from "../store/questions";
import { readPaused, readQuestion } from "../store/read";
import type { Room } from "./room";

const AGAIN_MS = 10_000;
/** So many agents are asked about, and so many of their newest questions. */
const MOST_ASKING = 20;
const NEWEST = 10;

const trouble = signal<Refusal | null>(null);

/** Why the open questions could not be read; null: they could. */
export const questionsTrouble: ReadonlySignal<Refusal | null> = trouble;

/** Follow the room until the page is closed. */
export function keepQuestions(room: Room): void {
  let run = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const load = async (): Promise<void> => {
    clearTimeout(timer);
    const mine = ++run;
    const refusal = await loadOpen(room, () => mine === run);
    if (mine !== run) return;
    trouble.value = refusal;
    if (refusal !== null && room.link.peek().kind === "live") timer = setTimeout(() => void load(), AGAIN_MS);
  };
  // Nothing but these two: what is told of questions changes the state too.
  const epoch = computed(() => room.state.value.epoch);
  const isLive = computed(() => room.link.value.kind === "live");
  effect(() => {
    if (epoch.value > 0 && isLive.value) untracked(() => void load());
  });
}

/** Null: all are in the state now. */
async function loadOpen(room: Room, isWanted: () => boolean): Promise<Refusal | null> {
  const { epoch } = room.state.peek();
  const [status, answer] = await Promise.all([
    room.http.request<Status>("GET", "/status"),
    room.http.request<Questions>("GET", "/questions", { query: { state: "open" } }),
  ]);
  if (!isWanted()) return null;
  const paused = status.ok ? readPaused(status.value) : null;
  if (paused !== null) room.tell({ type: "paused", paused: paused.paused });
  if (!answer.ok) return answer.refusal;
  // Of an older fleet: another one is asked for already.
  if (room.state.peek().epoch !== epoch) return null;
  room.tell({ type: "questions", questions: readable(answer.value), isWhole: true });
  await loadEnds(room);
  return null;
}

/** An agent may stand at a question that was closed before this page was opened: then it waits for nobody. */
async function loadEnds(room: Room): Promise<void> {
  const { agents, questions } = room.state.peek();
  const asking = [...agents.values()].filter((agent) => agent.activity === "question" && !hasCard(questions, agent)).slice(0, MOST_ASKING);
  await Promise.all(asking.map(async (agent) => {
    const answer = await room.http.request<Questions>("GET", "/questions", { query: { state: "all", agent: agent.id, limit: NEWEST } });
    if (answer.ok) room.tell({ type: "questions", questions: readable(answer.value), isWhole: false });
  }));
}

/** Those of a page that can be used. */
export function readable(page: Questions): Question[] {
  return Array.isArray(page.questions) ? page.questions.map(readQuestion).filter((question) => question !== null) : [];
}
