/** How a question ended, what led there, and the way back where there is one. */
import { useComputed, type ReadonlySignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

import type { Question } from "../../api/types";
import { block, line } from "../../kit/text";
import { clock, fullTime } from "../../kit/time";
import { actOf, understood } from "../../live/question-acts";
import { useRoom } from "../../live/room";
import { CopyButton } from "../../parts/code";
import { Icon } from "../../parts/icon";
import { deliveryWords } from "../../store/delivery";
import { refusalWords } from "../../store/question-act";
import { canUndo, endWords, stepWords } from "../../store/question-words";
import { addressOf } from "../../store/routes";
import { act } from "./acts";
import { Answers } from "./answers";
import { forgetWords, wordsFor } from "./words";

/** The minute that it is: what tells a time of day needs no more. */
export function useMinute(): number {
  const { now } = useRoom();
  return useComputed(() => Math.floor(now.value / 60_000)).value * 60_000;
}

export function Ended(props: { question: Question }) {
  const { question } = props;
  const minute = useMinute();
  const room = useRoom();
  const words = endWords(question, (ms) => clock(ms, minute));
  const last = question.history[question.history.length - 1];
  const isUndoable = useComputed(() => canUndo(question, room.now.value)).value;
  const [isCorrecting, setCorrecting] = useState(false);
  return (
    <>
      <p class="ended md"><Icon name={words.icon} /><span><b>{words.head}</b>{last === undefined ? null : <> <time class="muted" title={fullTime(last.at_ms)}>{clock(last.at_ms, minute)}</time></>}<br /><span class="second" dir="auto">{line(words.rest, 800)}</span></span></p>
      {words.proof === null ? null : <q class="proof" dir="auto">{block(words.proof, 1_000)}</q>}
      {question.superseded_by == null ? null : <p class="sm"><a href={addressOf({ at: "question", questionId: question.superseded_by })}>The newer question</a></p>}
      <Typed question={question} />
      <Unsent question={question} />
      <Refused question={question} />
      <div class="card-acts">
        <WayBack question={question} isUndoable={isUndoable} />
        {question.state === "default" && !isCorrecting ? <button class="btn btn-line" type="button" disabled={room.isOld.value} onClick={() => setCorrecting(true)}><Icon name="edit" small />Answer after all</button> : null}
      </div>
      {question.state === "default" && isCorrecting ? <><p class="sm muted">The agent was told to use its default. Your answer is sent as a correction.</p><Answers question={question} /></> : null}
      <History question={question} />
    </>
  );
}

/** Undo or Reopen, where they are. */
export function WayBack(props: { question: Question; isUndoable: boolean; isQuiet?: boolean }) {
  const { question, isUndoable } = props;
  const look = props.isQuiet === true ? "btn btn-plain" : "btn btn-line";
  const room = useRoom();
  const isOff = room.isOld.value || actOf(question.id).value.at === "sending";
  if (isUndoable) return <button class={look} type="button" disabled={isOff} onClick={() => void act(room, question, { deed: "undo", label: "Undo" })}><Icon name="undo" small />Undo</button>;
  if (question.reopenable === true) return <button class={look} type="button" disabled={isOff} onClick={() => void act(room, question, { deed: "reopen", label: "Reopen" })}><Icon name="undo" small />Reopen</button>;
  return null;
}

/** What became of the message that tells the agent. */
function Typed(props: { question: Question }) {
  const delivery = props.question.answer?.delivery;
  const minute = useMinute();
  if (delivery == null) return null;
  const words = deliveryWords(delivery, props.question.answer?.at_ms ?? 0, (ms) => clock(ms, minute));
  if (words.tone === "quiet") return <p class="sm muted typed"><Icon name={words.icon} small /> {line(delivery.state === "delivered" ? "Delivered" : words.text, 300)}</p>;
  return <p class="callout callout-fault"><Icon name={words.icon} /><span class="grow" dir="auto">{line(words.text, 400)}</span></p>;
}

/** Words that were written when somebody else closed it are not lost. */
function Unsent(props: { question: Question }) {
  const { question } = props;
  const room = useRoom();
  const words = wordsFor(room, question);
  const text = words.value?.trim() ?? "";
  const isSent = text !== "" && question.answer?.text?.trim() === text; // the page went before it heard so
  useEffect(() => { if (isSent) void forgetWords(room, question); }, [isSent]);
  if (text === "" || isSent || actOf(question.id).value.at === "sending") return null;
  return (
    <div class="callout">
      <Icon name="edit" />
      <span class="grow">Your words were not sent: <q dir="auto">{block(text, 2_000)}</q></span>
      <CopyButton text={text} /><button class="btn btn-plain" type="button" onClick={() => { words.value = null; }}>Throw away</button>
    </div>
  );
}

function Refused(props: { question: Question }) {
  const state = actOf(props.question.id).value;
  return (
    <div role="alert">
      {state.at !== "refused" ? null : (
        <div class="callout callout-lamp"><Icon name="warn" /><span class="grow" dir="auto">{line(refusalWords(state), 400)}</span><button class="btn btn-plain" type="button" onClick={() => understood(props.question.id)}>OK</button></div>
      )}
    </div>
  );
}

function History(props: { question: Question }) {
  const { question } = props;
  const minute = useMinute();
  const { state } = useRoom();
  const devices: ReadonlySignal<ReadonlyMap<string, { name: string }> | null> = useComputed(() => state.value.devices);
  if (question.history.length < 2) return null;
  const nameOf = (by: string): string => (by === "host" ? "at the host’s command line" : by.startsWith("device:") ? line(devices.value?.get(by.slice(7))?.name ?? "", 60) : "");
  return (
    <details class="history">
      <summary class="sm">Its history</summary>
      <ol class="sm">
        {question.history.map((step, at) => {
          const name = nameOf(step.by);
          return <li key={at}><time class="muted" title={fullTime(step.at_ms)}>{clock(step.at_ms, minute)}</time> {stepWords(step)}{name === "" ? null : <> (<bdi>{name}</bdi>)</>}{step.why === "Asked." ? null : <><br /><span class="second" dir="auto">{line(step.why, 400)}</span></>}{step.proof == null ? null : <q class="proof" dir="auto">{line(step.proof, 600)}</q>}</li>;
        })}
      </ol>
    </details>
  );
}
