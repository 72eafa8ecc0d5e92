/** One question to the person: what is asked, what each answer brings, what happens without one; or how it ended. */
import "./questions.css";

import { useComputed } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";

import type { Question } from "../../api/types";
import { copyText } from "../../kit/copy";
import { block, line } from "../../kit/text";
import { clock, fullTime, span } from "../../kit/time";
import { go } from "../../kit/navigate";
import { fetchQuestion } from "../../live/question-acts";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { Menu, type MenuItem } from "../../parts/menu";
import { QuestionTag } from "../../parts/question-tag";
import { showToast } from "../../parts/toast";
import { safeHref, targetOf } from "../../store/href";
import { defaultWords } from "../../store/question-words";
import { isOpen } from "../../store/questions";
import { addressOf } from "../../store/routes";
import { useSettled } from "../blocked/settled";
import { act } from "./acts";
import { hasFocus, lastFocused } from "./focus";
import { Answers } from "./answers";
import { Ended } from "./ended";
import { placeOf } from "./place";

export interface QuestionCardProps {
  question: Question;
  /** In its chat the card needs no way there. */
  isInChat?: boolean;
  /** Whether number keys and the like mean this card although the focus is elsewhere. */
  isMeant?: () => boolean;
}

/** A text that is longer is folded at first: the answers stay in sight. */
const FOLD_FROM = 360;

export function QuestionCard(props: QuestionCardProps) {
  const { question } = props;
  const title = useId();
  const who = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useWhole(question);
  const isAsking = isOpen(question);
  // What had the focus goes when it closes: the focus stays with the card.
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (!isFirst.current && lastFocused() === question.id && !hasFocus()) heading.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [isAsking]);
  return (
    <article class={isAsking ? "card question-card" : "card question-card is-closed"} aria-labelledby={`${who} ${title}`} data-question={question.id}>
      <Over {...props} who={who} />
      <h2 class="card-q" ref={heading} id={title} dir="auto" tabIndex={-1} data-heading="">{block(question.question, 4_000) || "(no question)"}</h2>
      {isAsking ? <Open {...props} /> : <Ended question={question} />}
    </article>
  );
}

/** Events shorten long texts: who decides reads all of it. */
function useWhole(question: Question): void {
  const room = useRoom();
  const isShort = question.clipped === true;
  useEffect(() => {
    if (!isShort) return;
    const abort = new AbortController();
    void fetchQuestion(room, question.id, abort.signal);
    return () => abort.abort();
  }, [room, question.id, isShort]);
}

function Over(props: QuestionCardProps & { who: string }) {
  const { question, isInChat } = props;
  const room = useRoom();
  const agent = useComputed(() => room.state.value.agents.get(question.agent_id)).value;
  const machine = useComputed(() => (agent === undefined ? "" : line(room.state.value.machines.get(agent.machine_id)?.name ?? "", 40))).value;
  const ago = useComputed(() => span(room.now.value - question.asked_at_ms));
  const name = agent === undefined ? "An agent that is not listed" : line(agent.name, 80);
  const place = placeOf(question, agent?.chat_id === question.chat_id);
  const isAsking = isOpen(question);
  const isOurs = question.source === "policy"; // about paid extra usage: no agent asked it
  const copyLink = async (): Promise<void> => {
    const isCopied = await copyText(location.origin + addressOf({ at: "question", questionId: question.id }));
    showToast({ text: isCopied ? "The link is copied" : "This browser copies nothing here" });
  };
  const items: MenuItem[] = [
    ...(isInChat ? [] : [{ label: "Open the chat", icon: "list", keys: "O", run: () => go(place) }]),
    ...(agent === undefined ? [] : [{ label: "Open the terminal", icon: "term", run: () => go({ at: "terminal", agentId: agent.id }) }]),
    { label: "Copy its link", icon: "link", run: () => void copyLink() },
    ...(isAsking ? [{ label: isOurs ? "Dismiss, which means no" : "Dismiss, tell the agent nothing", icon: "close", disabled: room.isOld.value, run: () => void act(room, question, { deed: "dismiss", label: "Dismiss" }) }] : []),
  ];
  return (
    <div class="card-over">
      {isAsking ? <Lamp name="question" /> : <Icon name="inbox" small />}
      {isInChat ? <span class="who" id={props.who}>{isOurs ? "The usage rules ask" : isAsking ? "Question for you" : "Question"}</span> : (
        <span class="asker">{isOurs ? "The usage rules, about " : null}<a class="who" id={props.who} href={addressOf(place)}><bdi>{name}</bdi></a>{machine === "" ? null : <bdi class="asker-machine">{machine}</bdi>}</span>
      )}
      {isAsking ? <QuestionTag question={question} /> : null}
      <time class="age" title={fullTime(question.asked_at_ms)}>{ago}</time>
      <Menu label={`More for the question of ${name}`} items={items} />
    </div>
  );
}

function Open(props: QuestionCardProps) {
  const { question } = props;
  const { problem, raw, context } = question;
  const isGroup = (question.more ?? 0) > 0; // stands for many
  return (
    <>
      {question.blocking && question.blocking_why != null ? <p class="sm blocking-why" dir="auto">{line(question.blocking_why, 400)}</p> : null}
      <Replaced question={question} />
      {context == null || context === "" ? null : <Folded text={context} isOpen={isGroup} />}
      {problem == null ? null : (
        <div class={isGroup ? "callout" : "callout callout-lamp"}>
          <Icon name={isGroup ? "info" : "warn"} />
          <span class="grow">
            <span dir="auto">{block(problem, 1_000)}</span>
            {raw == null ? null : (
              <details class="raw"><summary>As it was written</summary><pre class="code-text" tabIndex={0} role="group" aria-label="The block as it was written" dir="auto">{block(raw, 8_000)}</pre></details>
            )}
          </span>
        </div>
      )}
      <LooksAnswered question={question} />
      <Answers question={question} {...(props.isMeant === undefined ? {} : { isMeant: props.isMeant })} place={<Default question={question} />} doc={<Doc question={question} />} />
    </>
  );
}

function Folded(props: { text: string; isOpen: boolean }) {
  const text = block(props.text, 8_000);
  if (text.length <= FOLD_FROM || props.isOpen) return <p class="md second context" dir="auto">{text}</p>;
  return (
    <details class="context-fold">
      <summary class="md second"><span dir="auto">{line(text, 180)}</span></summary>
      <p class="md second context" dir="auto">{text}</p>
    </details>
  );
}

function Replaced(props: { question: Question }) {
  const { state } = useRoom();
  const { replaces } = props.question;
  const older = useComputed(() => (replaces == null ? undefined : state.value.questions.byId.get(replaces))).value;
  if (replaces == null) return null;
  return <p class="sm muted">Replaced: <a href={addressOf({ at: "question", questionId: replaces })}><bdi>{older === undefined ? "an older question" : line(older.question, 160)}</bdi></a></p>;
}

/** The checker is not sure enough to close it; the person may be. */
function LooksAnswered(props: { question: Question }) {
  const { question } = props;
  const room = useRoom();
  const place = useRef<HTMLDivElement>(null);
  const looks = question.looks_answered;
  const standing = useSettled(place, `${question.id} ${looks?.at_ms ?? ""}`);
  if (looks == null) return null;
  // What only just came under a finger closes nothing.
  const close = (): void => void (standing.isSettled() && act(room, question, { deed: "dismiss", why: line(`Looks answered: ${looks.why}`, 400), label: "Close it" }));
  return (
    <div class="callout looks" ref={place}>
      <Icon name="eye" />
      <span class="grow">
        <b>Looks answered.</b> <span dir="auto">{line(looks.why, 400)}</span>
        {looks.proof == null ? null : <q class="proof" dir="auto">{line(looks.proof, 600)}</q>}
      </span>
      <button class="btn btn-plain" type="button" disabled={room.isOld.value} onClick={close}>Close it</button>
    </div>
  );
}

function Default(props: { question: Question }) {
  const { question } = props;
  const room = useRoom();
  const words = useComputed(() => defaultWords(question, {
    nowMs: room.now.value, isPaused: room.state.value.paused !== null, clock: (ms) => clock(ms, room.now.value),
  })).value;
  return (
    <div class="default">
      <span>{words.before}{words.mark === "" ? null : <b dir="auto"><bdi>{line(words.mark, 600)}</bdi></b>}{line(words.after, 300)}</span>
      {words.note === null ? null : <span class="sm" dir="auto">{line(words.note, 400)}</span>}
      {words.share === null || room.isOld.value ? null : <span class="fuse" aria-hidden="true"><i style={`--v:${words.share.toFixed(1)}`} /></span>}
    </div>
  );
}

/** A link is followed only when it is one, and says where it leads. */
function Doc(props: { question: Question }) {
  const doc = props.question.doc ?? "";
  if (doc === "") return null;
  const href = safeHref(doc);
  if (href === null) return <span class="doc sm muted"><Icon name="doc" small /><bdi>{line(doc, 60)}</bdi></span>;
  return <a class="btn btn-plain doc" href={href} target="_blank" rel="noopener noreferrer"><Icon name="doc" small /><bdi>{docText(href)}</bdi></a>;
}

function docText(href: string): string {
  const path = href.startsWith("mailto:") ? "" : new URL(href).pathname.replace(/\/$/, "");
  return line(targetOf(href) + path, 60);
}
