/** How questions ended: the newest first, each with who, why and what proved it, and the way back where there is one. */
import { useComputed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

import type { Refusal } from "../../api/http";
import type { Question } from "../../api/types";
import { line } from "../../kit/text";
import { clock, fullTime, isSameDay } from "../../kit/time";
import { fetchPage } from "../../live/question-acts";
import { useRoom } from "../../live/room";
import { Empty } from "../../parts/empty";
import { Icon } from "../../parts/icon";
import { canUndo, endWords } from "../../store/question-words";
import { isOpen } from "../../store/questions";
import { addressOf } from "../../store/routes";
import { useMinute, WayBack } from "../questions";

const PAGE = 50;

interface Pages {
  questions: readonly Question[];
  before: string | null;
  isAsking: boolean;
  refusal: Refusal | null;
}

const NOTHING: Pages = { questions: [], before: null, isAsking: true, refusal: null };

export function ClosedQuestions() {
  const room = useRoom();
  const [pages, setPages] = useState<Pages>(NOTHING);
  const { byId } = useComputed(() => room.state.value.questions).value;
  const epoch = useComputed(() => room.state.value.epoch).value;
  const load = async (before: string | null, signal?: AbortSignal): Promise<void> => {
    setPages((now) => ({ ...now, isAsking: true }));
    const answer = await fetchPage(room, { limit: PAGE, ...(before === null ? {} : { before }) }, signal);
    if (signal?.aborted) return;
    setPages((now) => (answer.ok
      ? { questions: before === null ? answer.value.questions : [...now.questions, ...answer.value.questions], before: answer.value.before, isAsking: false, refusal: null }
      : { ...now, isAsking: false, refusal: answer.refusal }));
  };
  useEffect(() => {
    const abort = new AbortController();
    void load(null, abort.signal);
    return () => abort.abort();
  }, [epoch]);
  const closed = closedOf(pages.questions, byId, pages.before === null);
  const minute = useMinute();
  return (
    <>
      {closed.length === 0 && !pages.isAsking && pages.refusal === null ? (
        <Empty icon="inbox" title={<h2>No question was closed yet</h2>}><p>Each question stands here when it is answered, skipped or settled: how it ended, by whom, and what proved it.</p></Empty>
      ) : null}
      {byDay(closed).map((day) => (
        <section key={day[0]?.id} aria-label={dayName(endedMs(day[0]), minute)}>
          <h2 class="group-head">{dayName(endedMs(day[0]), minute)}</h2>
          <ul class="panel">{day.map((question) => <ClosedRow key={question.id} question={question} minute={minute} />)}</ul>
        </section>
      ))}
      {pages.refusal === null ? null : <p class="callout callout-fault" role="alert"><Icon name="warn" /><span>{line(pages.refusal.text, 300)}</span></p>}
      {pages.isAsking || pages.before !== null || pages.refusal !== null ? (
        <p class="fab-row"><button class="btn btn-line btn-block" type="button" disabled={pages.isAsking} onClick={() => void load(pages.before)}>{pages.isAsking ? "Asking…" : pages.refusal !== null ? "Try again" : "Load earlier"}</button></p>
      ) : null}
    </>
  );
}

/** What was fetched, as it is now, and what closed since; no gap: nothing older than the last page. */
function closedOf(fetched: readonly Question[], byId: ReadonlyMap<string, Question>, isWhole: boolean): Question[] {
  const all = new Map(fetched.map((question) => [question.id, byId.get(question.id) ?? question]));
  const oldest = Math.min(...fetched.map((question) => question.asked_at_ms));
  for (const question of byId.values()) if (isWhole || question.asked_at_ms >= oldest) all.set(question.id, question);
  return [...all.values()].filter((question) => !isOpen(question)).sort((a, b) => endedMs(b) - endedMs(a));
}

function endedMs(question: Question | undefined): number {
  return question?.history[question.history.length - 1]?.at_ms ?? 0;
}

function byDay(questions: readonly Question[]): Question[][] {
  const days: Question[][] = [];
  for (const question of questions) {
    const day = days[days.length - 1];
    if (day?.[0] !== undefined && isSameDay(endedMs(day[0]), endedMs(question))) day.push(question);
    else days.push([question]);
  }
  return days;
}

function dayName(ms: number, nowMs: number): string {
  return isSameDay(ms, nowMs) ? "Today" : fullTime(ms).replace(/,? \d\d:\d\d:\d\d$/, "");
}

function ClosedRow(props: { question: Question; minute: number }) {
  const { question, minute } = props;
  const room = useRoom();
  const name = useComputed(() => line(room.state.value.agents.get(question.agent_id)?.name ?? "An agent that is not listed", 80)).value;
  const isUndoable = useComputed(() => canUndo(question, room.now.value)).value;
  const words = endWords(question, (ms) => clock(ms, minute));
  return (
    <li class="closed-row">
      <a class="set" href={addressOf({ at: "question", questionId: question.id })} data-question={question.id}>
        <Icon name={words.icon} />
        <span class="grow">
          <b dir="auto">{line(question.question, 300)}</b>
          <small><b class="second">{words.head}.</b> <span dir="auto">{line(words.rest, 300)}</span>{words.proof === null ? null : <> <q dir="auto">{line(words.proof, 200)}</q></>}</small>
          <small><bdi>{name}</bdi></small>
        </span>
        <time class="sm muted nowrap" title={fullTime(endedMs(question))}>{clock(endedMs(question), minute)}</time>
      </a>
      <WayBack question={question} isUndoable={isUndoable} isQuiet />
    </li>
  );
}
