/**
 * What waits for the person: questions, blocking ones first, then the soonest default, then the oldest; below them
 * agents that are stopped with something else. And how questions ended.
 */
import "./inbox.css";

import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Agent, Machine, Question } from "../../api/types";
import { useKeys } from "../../kit/keys";
import { isWide } from "../../kit/media";
import { go } from "../../kit/navigate";
import { line } from "../../kit/text";
import { clock, span } from "../../kit/time";
import { actOf, fetchQuestion, setPaused } from "../../live/question-acts";
import { questionsTrouble } from "../../live/questions";
import { useRoom } from "../../live/room";
import { Empty } from "../../parts/empty";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { QuestionTag } from "../../parts/question-tag";
import { Resizer } from "../../parts/resizer";
import { Strip } from "../../parts/strip";
import { Title, TitleLevel } from "../../parts/title";
import { showToast } from "../../parts/toast";
import { asks, waiting, type Group } from "../../store/agents";
import { byWords, newsWords } from "../../store/question-words";
import { hasCard, inOrder, isOpen, openOf, type Asked } from "../../store/questions";
import { addressOf } from "../../store/routes";
import { Row } from "../agents";
import { useHeld, useKeptFocus } from "../agents/held";
import { QuestionCard, wordsFor } from "../questions";
import { AskPush } from "./ask-push";
import { ClosedQuestions } from "./closed";
import { WhatLed } from "./led";
import { useFocusAfter, useHeldOrder } from "./order";
import { nameOf, StoppedCard, StoppedDetail, waitingId } from "./stopped";

export { waitingId } from "./stopped";

/** So many cards stand in the list of a phone at once; more are asked for. */
const MOST_CARDS = 30;

export interface InboxProps {
  questionId?: string;
  isClosed?: boolean;
}

export function Inbox(props: InboxProps) {
  return props.isClosed === true ? <Closed /> : <OpenInbox {...props} />;
}

function OpenInbox(props: InboxProps) {
  const room = useRoom();
  const asked = useComputed(() => room.state.value.questions).value;
  const agents = useComputed(() => room.state.value.agents).value;
  const machines = useComputed(() => room.state.value.machines).value;
  const isKnown = room.state.value.seq !== null && asked.isKnown;
  const list = useRef<HTMLDivElement>(null);
  const order = useHeldOrder(list, useShownIds(asked));
  const next = useMemo(() => asGroups(waiting(agents, machines, asked).filter((agent) => !(asks(agent) && hasCard(asked, agent)))), [agents, machines, asked]);
  const { groups, settling, isShifting } = useHeld(list, next, agents, "inbox");
  useFocusAfter(list, order.ids);
  useKeptFocus(list, "row");
  const questions = order.ids.map((id) => asked.byId.get(id)).filter((question) => question !== undefined);
  // Until it is known which of them have cards, none is shown: what stands here must not turn into something else.
  const stopped = isKnown || questionsTrouble.value !== null ? (groups[0]?.agents ?? []) : [];
  const chosenAgent = stopped.find((agent) => waitingId(agent) === props.questionId);
  const chosen = questionOf(asked, props.questionId);
  const open = openOf(asked).length;
  const isEmpty = questions.length === 0 && stopped.length === 0;
  // The first one is opened once, by its address: what stands beside the list never becomes another one by itself.
  const first = questions[0]?.id ?? (stopped[0] === undefined ? undefined : waitingId(stopped[0]));
  const opens = props.questionId === undefined && isWide.value && isKnown ? first : undefined;
  useEffect(() => {
    if (opens !== undefined) go({ at: "question", questionId: opens }, { replace: true });
  }, [opens === undefined]);
  useCardSteps(list);
  return (
    <>
      <section class="pane pane-list" aria-label="Waits for you">
        <Head open={open} isClosed={false} />
        <Counted count={open + stopped.length} isKnown={isKnown} />
        <News asked={asked} agents={agents} />
        <div class={order.isShifting || isShifting ? "pane-scroll is-shifting" : "pane-scroll"} tabIndex={-1} role="group" aria-label="Waits for you" aria-busy={!isKnown} ref={list}>
          <div class="group inbox-top">
            <PausedStrip />
            <TroubleStrip />
            {stopped.length === 0 || questions.length === 0 ? null : <StoppedStrip count={stopped.length} />}
          </div>
          {isEmpty && isKnown && questionsTrouble.value === null ? <Nothing /> : null}
          {questions.length === 0 ? null : <div class="group">{isWide.value ? <Rows questions={questions} settling={order.settling} currentId={chosen?.id} /> : <Cards questions={questions} settling={order.settling} />}</div>}
          {stopped.length === 0 ? null : (
            <section class="group" aria-labelledby="stopped">
              <h2 class={questions.length === 0 ? "vh" : "group-head"} id="stopped" tabIndex={-1}>Stopped <span class="count">{stopped.length}</span></h2>
              {isWide.value ? (
                <ul class="need">
                  {stopped.map((agent) => (
                    <Row
                      key={agent.id} agent={agent} machineName={nameOf(machines.get(agent.machine_id))} awaySinceMs={null}
                      isCurrent={agent === chosenAgent} isSettling={settling.has(agent.id)} to={{ at: "question", questionId: waitingId(agent) }}
                    />
                  ))}
                </ul>
              ) : (
                <ul class="stack">{stopped.map((agent) => <li key={agent.id} class={settling.has(agent.id) ? "is-settling" : undefined}><StoppedCard agent={agent} machine={machines.get(agent.machine_id)} /></li>)}</ul>
              )}
            </section>
          )}
          {isEmpty || !isKnown ? null : <AskPush />}
        </div>
      </section>
      <Resizer />
      <TitleLevel.Provider value={isWide.value ? 2 : 1}>
        <Detail questionId={props.questionId} question={chosen} agent={chosenAgent} machines={machines} isKnown={isKnown} />
      </TitleLevel.Provider>
    </>
  );
}

/** The open ones in their order; and those that closed while the person was at them: what was written, and what was refused, is not lost. */
function useShownIds(asked: Asked): readonly string[] {
  const room = useRoom();
  const before = useRef<readonly string[]>([]);
  const kept = before.current.map((id) => asked.byId.get(id)).filter((question) => question !== undefined && !isOpen(question)
    && (actOf(question.id).value.at !== "idle" || (wordsFor(room, question).value?.trim() ?? "") !== "")) as Question[];
  const ids = kept.length === 0 ? openOf(asked).map((question) => question.id) : [...openOf(asked), ...kept].sort(inOrder).map((question) => question.id);
  before.current = ids;
  const name = ids.join(" ");
  return useMemo(() => ids, [name]);
}

/** By its own address, or by that of the dialog that it is the card of. */
function questionOf(asked: Asked, id: string | undefined): Question | undefined {
  if (id === undefined) return undefined;
  return asked.byId.get(id) ?? openOf(asked).find((question) => question.waiting_id === id);
}

function Head(props: { open: number; isClosed: boolean }) {
  return (
    <header class={props.isClosed ? "head head-page" : "head"}>
      <div class="head-top"><Title class="head-title">Inbox</Title></div>
      <nav class="seg" aria-label="Questions">
        <a href={addressOf({ at: "inbox" })} aria-current={props.isClosed ? undefined : "page"}>Open <span class="num">{props.open === 0 ? "" : props.open}</span></a>
        <a href={addressOf({ at: "inbox", isClosed: true })} aria-current={props.isClosed ? "page" : undefined}>Closed</a>
      </nav>
    </header>
  );
}

/** How many wait: told, and seen in the tabs. While nothing is proven, in the past tense. */
function Counted(props: { count: number; isKnown: boolean }) {
  const { isOld, link, now } = useRoom();
  const { count } = props;
  const provenMs = isOld.value && "sinceMs" in link.value ? link.value.sinceMs : null;
  const text = !props.isKnown ? "" : provenMs !== null ? `At ${clock(provenMs, now.peek())}: ${count === 0 ? "nothing" : count} waited for you`
    : count === 0 ? "Nothing waits for you" : count === 1 ? "1 waits for you" : `${count} wait for you`;
  return <p class="vh head-sum" role="status">{text}</p>;
}

/** For the ear: what came and what ended, in the moment in which it did. */
function News(props: { asked: Asked; agents: ReadonlyMap<string, Agent> }) {
  const { asked, agents } = props;
  const { now } = useRoom();
  const before = useRef<Asked | null>(null);
  const [text, setText] = useState("");
  useEffect(() => {
    const was = before.current;
    before.current = asked;
    if (was === null || !was.isWhole || !asked.isWhole || was.byId === asked.byId) return;
    const fresh = [...asked.byId.values()].filter((question) => {
      const old = was.byId.get(question.id);
      return old === undefined ? isOpen(question) : isOpen(old) !== isOpen(question);
    });
    const newest = fresh[fresh.length - 1];
    if (newest === undefined) return;
    const more = fresh.length > 1 ? `${fresh.length} questions changed. ` : "";
    setText(more + line(newsWords(newest, agents.get(newest.agent_id)?.name ?? "an agent", (ms) => clock(ms, now.peek())), 300));
  }, [asked]);
  return <p class="vh" role="status" aria-label="News">{text}</p>;
}

// --- strips ---------------------------------------------------------------------------------------------

function PausedStrip() {
  const room = useRoom();
  const { paused } = room.state.value;
  const [isAsking, setAsking] = useState(false);
  const since = useComputed(() => (room.state.value.paused === null ? "" : clock(room.state.value.paused.since_ms, room.now.value))).value;
  if (paused === null) return null;
  const resume = async (): Promise<void> => {
    setAsking(true);
    const trouble = await setPaused(room, false);
    setAsking(false);
    if (trouble !== "") showToast({ text: line(`Still paused: ${trouble}`, 200) });
  };
  return (
    <Strip icon="hourglass" kind="lamp" act={<button class="btn btn-plain" type="button" disabled={isAsking || room.isOld.value} onClick={() => void resume()}>Resume</button>}>
      Paused by {byWords(paused.by)} since {since}. No default is used by itself{paused.why == null || paused.why === "" ? "." : <>: <bdi>{line(paused.why, 120)}</bdi></>}
    </Strip>
  );
}

function TroubleStrip() {
  const refusal = questionsTrouble.value;
  if (refusal === null) return null;
  return <div role="alert"><Strip icon="warn" kind="fault">The questions could not be read: <bdi>{line(refusal.text, 200)}</bdi> It is tried again.</Strip></div>;
}

function StoppedStrip(props: { count: number }) {
  const show = (): void => {
    const heading = document.getElementById("stopped");
    heading?.scrollIntoView({ block: "start" });
    heading?.focus({ preventScroll: true });
  };
  return (
    <button class="strip strip-lamp" type="button" onClick={show}>
      <Icon name="lock" /><span class="grow">{props.count === 1 ? "1 agent is stopped" : `${props.count} agents are stopped`}</span><Icon name="right" />
    </button>
  );
}

// --- the list -------------------------------------------------------------------------------------------

interface ListProps {
  questions: readonly Question[];
  settling: ReadonlySet<string>;
}

/** On a desktop: rows, and the card beside them. */
function Rows(props: ListProps & { currentId: string | undefined }) {
  return <ul class="need">{props.questions.map((question) => <QuestionRow key={question.id} question={question} isCurrent={question.id === props.currentId} isSettling={props.settling.has(question.id)} />)}</ul>;
}

function QuestionRow(props: { question: Question; isCurrent: boolean; isSettling: boolean }) {
  const { question } = props;
  const room = useRoom();
  const name = useComputed(() => line(room.state.value.agents.get(question.agent_id)?.name ?? "An agent that is not listed", 120)).value;
  const ago = useComputed(() => span(room.now.value - question.asked_at_ms));
  const count = question.options.length;
  return (
    <li class={props.isSettling ? "row is-settling is-new" : "row"}>
      <a
        class="row-link" href={addressOf({ at: "question", questionId: question.id })} data-agent={question.agent_id} data-row={question.id} data-question={question.id}
        aria-current={props.isCurrent ? "true" : undefined} draggable={false}
      >
        {isOpen(question) ? <Lamp name="question" /> : <Icon name="inbox" />}
        <span class="row-main">
          <span class="row-top"><span class="row-name"><span class="vh">Question from </span><bdi>{name}</bdi></span><span class="row-age">{ago}</span></span>
          <span class="row-say" dir="auto">{line(question.question)}</span>
          <span class="row-meta">
            <span>{question.looks_answered != null ? "Looks answered" : count === 0 ? "In words" : count === 1 ? "1 option" : `${count} options`}{question.multi ? ", several" : ""}{question.problem == null ? "" : " · not well-formed"}</span>
            {isOpen(question) ? <QuestionTag question={question} /> : <span class="tag">Closed</span>}
          </span>
        </span>
      </a>
    </li>
  );
}

/** On a phone: one card after the other. */
function Cards(props: ListProps) {
  const [most, setMost] = useState(MOST_CARDS);
  const { questions, settling } = props;
  return (
    <>
      <ul class="stack question-stack">
        {questions.slice(0, most).map((question) => <li key={question.id} class={settling.has(question.id) ? "is-settling is-new" : undefined}><QuestionCard question={question} /></li>)}
      </ul>
      {questions.length <= most ? null : <p class="fab-row"><button class="btn btn-line btn-block" type="button" onClick={() => setMost(most + MOST_CARDS)}>Show {Math.min(MOST_CARDS, questions.length - most)} more of {questions.length}</button></p>}
    </>
  );
}

/** J and K lead from card to card where there are no rows. */
function useCardSteps(list: { current: HTMLElement | null }): void {
  const step = (by: 1 | -1): boolean => {
    if (isWide.value) return false;
    const headings = [...(list.current?.querySelectorAll<HTMLElement>("[data-heading]") ?? [])];
    const card = document.activeElement?.closest("[data-question]");
    const at = headings.findIndex((heading) => card?.contains(heading) === true);
    const next = headings[at < 0 ? (by > 0 ? 0 : headings.length - 1) : at + by];
    if (next === undefined) return headings.length > 0;
    next.focus({ preventScroll: true });
    next.closest("[data-question]")?.scrollIntoView({ block: "nearest" });
    return true;
  };
  useKeys({
    j: { label: "Next question", group: "Question", hidden: true, run: () => step(1) },
    k: { label: "Previous question", group: "Question", hidden: true, run: () => step(-1) },
  });
}

function asGroups(agents: readonly Agent[]): Group[] {
  return agents.length === 0 ? [] : [{ id: "needs", kind: "needs", title: "Waits for you", machine: null, agents }];
}

function Nothing() {
  return (
    <Empty icon="inbox" title={<h2>Nothing waits for you</h2>}>
      <p>Questions of your agents show here, blocking ones first, and agents that stop at a prompt or have a fault.</p>
      <a class="btn btn-line" href={addressOf({ at: "inbox", isClosed: true })}>Closed questions</a>
    </Empty>
  );
}

// --- the detail -----------------------------------------------------------------------------------------

interface DetailProps {
  questionId: string | undefined;
  question: Question | undefined;
  agent: Agent | undefined;
  machines: ReadonlyMap<string, Machine>;
  isKnown: boolean;
}

function Detail(props: DetailProps) {
  const { questionId, question, agent } = props;
  if (question !== undefined) return <QuestionPane key={question.id} question={question} />;
  if (agent !== undefined) return <section class="pane pane-detail" aria-label={`What ${line(agent.name, 80)} waits for`}><StoppedDetail key={waitingId(agent)} agent={agent} machine={props.machines.get(agent.machine_id)} /></section>;
  return <section class="pane pane-detail" aria-label="What waits">{questionId !== undefined && props.isKnown ? <Unknown key={questionId} questionId={questionId} /> : null}</section>;
}

function QuestionPane(props: { question: Question }) {
  const { question } = props;
  const room = useRoom();
  const name = useComputed(() => line(room.state.value.agents.get(question.agent_id)?.name ?? "an agent", 80)).value;
  const isRowElse = (): boolean => {
    const focused = document.activeElement?.closest<HTMLElement>(".row-link");
    return focused != null && focused.dataset["question"] !== question.id;
  };
  return (
    <section class="pane pane-detail" aria-label={`Question from ${name}`}>
      <header class="chat-head only-phone"><div class="chat-bar"><Back isClosed={!isOpen(question)} /><div class="chat-id"><Title class="chat-name">Question from <bdi>{name}</bdi></Title></div></div></header>
      <div class="thread" tabIndex={0} role="group" aria-label="Question"><div class="thread-in question-pane">
        <QuestionCard question={question} isMeant={() => !isRowElse()} />
        <WhatLed question={question} />
        <p class="sm muted key-hint only-wide" aria-hidden="true"><Icon name="keyb" small /> {isOpen(question) ? <>{question.options.length === 0 ? null : <><kbd>1</kbd>{question.options.length === 1 ? null : <> – <kbd>{Math.min(9, question.options.length)}</kbd></>} choose · </>}<kbd>R</kbd> words · <kbd>S</kbd> skip · </> : null}<kbd>J</kbd> <kbd>K</kbd> next, previous · <kbd>O</kbd> open the chat</p>
      </div></div>
    </section>
  );
}

function Back(props: { isClosed: boolean }) {
  return <a class="icon-btn" href={addressOf(props.isClosed ? { at: "inbox", isClosed: true } : { at: "inbox" })} aria-label="Back to Inbox"><Icon name="back" /></a>;
}

/** A link to something that this page does not hold: it is asked for, and said when it is not there any more. */
function Unknown(props: { questionId: string }) {
  const room = useRoom();
  const { questionId } = props;
  const [isLooking, setLooking] = useState(questionId.startsWith("q_"));
  useEffect(() => {
    if (!isLooking) return;
    const abort = new AbortController();
    void fetchQuestion(room, questionId, abort.signal).then((question) => {
      if (!abort.signal.aborted && question === null) setLooking(false);
    });
    return () => abort.abort();
  }, [questionId]);
  if (isLooking) return <div class="grow" aria-busy="true" />;
  return (
    <Empty icon="inbox" title={<Title>This is not open any more</Title>}>
      <p>It was answered here or in the terminal, or its agent went on. Nothing was sent by opening this link.</p>
      <a class="btn btn-line" href={addressOf({ at: "inbox" })}>What waits now</a>
    </Empty>
  );
}

// --- closed ones ----------------------------------------------------------------------------------------

function Closed() {
  const room = useRoom();
  const open = useComputed(() => openOf(room.state.value.questions).length).value;
  return (
    <section class="pane pane-list" aria-label="Closed questions">
      <Head open={open} isClosed />
      <div class="pane-scroll" tabIndex={-1} role="group" aria-label="Closed questions">
        <div class="page closed-page"><Strips><PausedStrip /></Strips><ClosedQuestions /></div>
      </div>
    </section>
  );
}

function Strips(props: { children: ComponentChildren }) {
  return <div class="inbox-top">{props.children}</div>;
}
