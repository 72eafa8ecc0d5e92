/** The answers to a question: its options, words with or instead of one, and Skip. */
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

import type { Question, QuestionOption } from "../../api/types";
import { useKeys, type Shortcuts } from "../../kit/keys";
import { go } from "../../kit/navigate";
import { block, line } from "../../kit/text";
import { actOf, stopTrying, understood } from "../../live/question-acts";
import { useRoom } from "../../live/room";
import { HoldButton } from "../../parts/hold";
import { Icon } from "../../parts/icon";
import { Tag } from "../../parts/tag";
import { refusalWords } from "../../store/question-act";
import { worthChecking } from "../../store/prompt";
import { useSettled } from "../blocked/settled";
import { act } from "./acts";
import { Note, placeOf, useWay } from "./place";
import { wordsFor } from "./words";

export interface AnswersProps {
  question: Question;
  isMeant?: () => boolean;
  /** Between the options and what else can be done: what happens without an answer. */
  place?: ComponentChildren;
  doc?: ComponentChildren;
}

const LONGEST_WORDS = 10_000;

export function Answers(props: AnswersProps) {
  const { question } = props;
  const room = useRoom();
  const hint = useId();
  const place = useRef<HTMLDivElement>(null);
  const standing = useSettled(place, question.id);
  const words = wordsFor(room, question);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [pressed, setPressed] = useState<{ key: string; count: number }>({ key: "", count: 0 });
  const way = useWay(question);
  const state = actOf(question.id).value;
  const isOff = way?.isShut === true || state.at === "sending";
  const isAsking = question.state === "open"; // else it is a correction
  const text = words.value?.trim() ?? "";
  const hasWords = question.free_text !== false;
  const chosen = question.options.filter((option) => ticked.has(option.key));

  const answer = (options: readonly QuestionOption[]): void => {
    if (isOff) return;
    const label = [...options.map((option) => line(option.label, 60)), ...(text === "" ? [] : [line(text, 60)])].join(", ");
    void act(room, question, { deed: "answer", options: options.map((option) => option.key), text: text === "" ? null : text, label });
  };
  const toggle = (option: QuestionOption): void => {
    const next = new Set(ticked);
    if (!next.delete(option.key)) next.add(option.key);
    setTicked(next);
  };
  // At once, not with the next picture: what is typed right after R must not be taken for the keys of this card.
  const openWords = (): void => {
    const field = place.current?.querySelector<HTMLElement>(".words");
    if (field == null) return;
    field.hidden = false;
    field.querySelector("textarea")?.focus();
    words.value ??= "";
  };
  const skip = (): void => {
    if (!isOff && isAsking && standing.isSettled()) void act(room, question, { deed: "skip", label: "Skip" });
  };
  useCardKeys({
    question, place, ...(props.isMeant === undefined ? {} : { isMeant: props.isMeant }),
    choose: (option) => {
      if (isOff || !standing.isSettled()) return false;
      if (question.multi) toggle(option);
      else setPressed({ key: option.key, count: pressed.count + 1 });
      return true;
    },
    openWords: () => {
      if (!hasWords || isOff) return false;
      openWords();
      return true;
    },
    skip,
    isAsking,
  });

  return (
    <div class={standing.isSettling ? "answers is-new" : "answers"} ref={place} data-answers="">
      <div role="alert">
        {state.at === "refused" ? (
          <div class="callout callout-lamp"><Icon name="warn" /><span class="grow" dir="auto">{line(refusalWords(state), 400)}</span><button class="btn btn-plain" type="button" onClick={() => understood(question.id)}>OK</button></div>
        ) : state.at === "unsure" ? (
          <div class="callout callout-lamp"><Icon name="warn" /><span class="grow">Nobody knows whether it arrived. The card shows it when the connection is back.</span><button class="btn btn-plain" type="button" onClick={() => understood(question.id)}>OK</button></div>
        ) : null}
      </div>
      {way === null ? null : <Note icon="off">{way.text}</Note>}
      <div class="opts" role="group" aria-label={question.multi ? "Answers, several can be chosen" : "Answers"}>
        {question.options.map((option, at) => (
          <Option
            key={option.key} option={option} number={at + 1} isMulti={question.multi} isTicked={ticked.has(option.key)} isRisky={isHeld(question, option)}
            isOff={isOff} hint={hint} note={text} isSettled={standing.isSettled} pressedByKey={pressed.key === option.key ? pressed.count : 0}
            onAnswer={() => (question.multi ? toggle(option) : answer([option]))}
          />
        ))}
        {question.multi && question.options.length > 0 ? (
          <HoldButton
            class={isRiskyChoice(question, chosen) ? "btn btn-fault btn-block" : "btn btn-primary btn-block"} isRisky={isRiskyChoice(question, chosen)}
            label={chosen.map((option) => line(option.label, 60)).join(", ")} note={CONFIRM} describedBy={hint} disabled={isOff || chosen.length === 0}
            isSettled={standing.isSettled} onAnswer={() => answer(chosen)}
          >
            {(how) => <>{how !== "" ? how : chosen.length === 0 ? "Choose at least one" : chosen.length === 1 ? "Answer with this one" : `Answer with these ${chosen.length}`}</>}
          </HoldButton>
        ) : null}
      </div>
      {!hasWords ? null : <Words question={question} isOff={isOff} hint={hint} isSettled={standing.isSettled} onSend={() => answer([])} />}
      {props.place}
      <div class="card-acts">
        {hasWords && words.value === null ? (
          <button class="btn btn-plain" type="button" disabled={isOff} onClick={openWords}>
            {question.options.length === 0 ? "Answer" : "Answer in words"}<kbd class="only-wide" aria-hidden="true">R</kbd>
          </button>
        ) : null}
        {isAsking ? <button class="btn btn-plain" type="button" disabled={isOff} onClick={skip}>Skip<kbd class="only-wide" aria-hidden="true">S</kbd></button> : null}
        {props.doc}
      </div>
      <p class="xs muted answer-hint" id={hint}>
        {state.at === "sending" ? (
          <span role="status">
            {state.tries === 0 ? <>Sending “<bdi>{line(state.act.label, 80)}</bdi>”.</>
              : <>No word from the control room yet. “<bdi>{line(state.act.label, 80)}</bdi>” is asked for again by itself, and counts once. <button class="btn btn-plain" type="button" onClick={() => stopTrying(question.id)}>Stop trying</button></>}
          </span>
        ) : question.blocking ? "This one is held to answer. With a keyboard or screen reader, press once and confirm." : null}
      </p>
    </div>
  );
}

const CONFIRM = "It blocks because it may not be possible to take it back.";

/** A blocking question, and an answer that deletes, pays or publishes, is never answered by a slip. */
function isHeld(question: Question, option: QuestionOption): boolean {
  return !question.multi && isRiskyChoice(question, [option]);
}

function isRiskyChoice(question: Question, options: readonly QuestionOption[]): boolean {
  return question.blocking || worthChecking(options.flatMap((option) => [option.label, option.what ?? ""]), false).some((check) => check.level === "risk");
}

interface OptionProps {
  option: QuestionOption;
  number: number;
  isMulti: boolean;
  isTicked: boolean;
  isRisky: boolean;
  isOff: boolean;
  hint: string;
  note: string;
  pressedByKey: number;
  isSettled(): boolean;
  onAnswer(): void;
}

function Option(props: OptionProps) {
  const { option, isMulti, isTicked } = props;
  return (
    <HoldButton
      class={option.recommended === true ? "opt opt-rec" : "opt"} isRisky={props.isRisky} label={line(option.label, 300)} note={CONFIRM}
      {...(isMulti ? { isPressed: isTicked } : {})} {...(props.isRisky ? { describedBy: props.hint } : {})}
      disabled={props.isOff} isSettled={props.isSettled} onAnswer={props.onAnswer} pressedByKey={props.pressedByKey}
    >
      {(how) => (
        <>
          <span class="opt-main">
            {isMulti ? <span class="ans-box" aria-hidden="true">{isTicked ? <Icon name="check" small /> : null}</span> : null}
            <span class="grow">
              <b><bdi>{block(option.label, 1_000)}</bdi>{option.recommended === true ? <> <Tag kind="accent">Recommended</Tag></> : null}</b>
              {option.what == null || option.what === "" ? null : <span class="does" dir="auto">{block(option.what, 2_000)}</span>}
              {props.note === "" || isMulti ? null : <span class="does opt-note">with your note</span>}
            </span>
          </span>
          <span class="opt-end">
            {how === "" && !props.isRisky ? null : <span class="how" aria-live="polite">{how === "" ? "Hold" : how}</span>}
            {props.number > 9 ? null : <kbd class="only-wide" aria-hidden="true">{props.number}</kbd>}
          </span>
        </>
      )}
    </HoldButton>
  );
}

/** The answer in words, or a note that goes with the option that is chosen then. */
function Words(props: { question: Question; isOff: boolean; hint: string; isSettled(): boolean; onSend(): void }) {
  const { question, isOff } = props;
  const words = wordsFor(useRoom(), question);
  const label = useId();
  const text = words.value ?? "";
  const isAlone = question.options.length === 0;
  const isEmpty = text.trim() === "";
  const send = useRef<HTMLDivElement>(null);
  return (
    <div class="words" ref={send} hidden={words.value === null}>
      <label class="sm" id={label}>
        {isAlone ? "Your answer" : "Your answer, or a note for the option you choose then"}
        <textarea
          class="input" rows={2} value={text} disabled={isOff} maxLength={LONGEST_WORDS} dir="auto"
          onInput={(event) => { words.value = event.currentTarget.value; }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              send.current?.querySelector<HTMLButtonElement>("button")?.click();
            }
          }}
        />
      </label>
      {words.trouble === "" || isEmpty ? null : <p class="sm muted">{words.trouble} What you write is lost when this page closes.</p>}
      <div class="card-acts">
        <HoldButton
          class={question.blocking ? "btn btn-fault" : "btn btn-primary"} isRisky={question.blocking} label={line(text, 120)} note={CONFIRM}
          describedBy={props.hint} disabled={isOff || isEmpty} isSettled={props.isSettled} onAnswer={props.onSend}
        >
          {(how) => <>{how !== "" ? how : isAlone ? "Send the answer" : "Send only the words"}</>}
        </HoldButton>
        <button class="btn btn-plain" type="button" onClick={() => { words.value = null; }}>{isEmpty ? "Cancel" : "Throw it away"}</button>
      </div>
    </div>
  );
}

// --- keys -----------------------------------------------------------------------------------------------

interface CardKeys {
  question: Question;
  place: { current: HTMLElement | null };
  isMeant?: () => boolean;
  isAsking: boolean;
  choose(option: QuestionOption): boolean;
  openWords(): boolean;
  skip(): void;
}

/** Keys count for the card that has the focus, and for the one that is open beside the list. */
function useCardKeys(card: CardKeys): void {
  const { question } = card;
  const room = useRoom();
  const isMeant = (): boolean => {
    const focused = document.activeElement?.closest<HTMLElement>("[data-question]");
    if (focused != null) return focused.dataset["question"] === question.id;
    return card.isMeant?.() === true;
  };
  const keys: Record<string, Shortcuts[string]> = {};
  for (let number = 1; number <= 9; number++) {
    keys[String(number)] = {
      label: "Choose an option", group: "Question", hidden: number > 1,
      run: () => {
        const option = question.options[number - 1];
        return option !== undefined && isMeant() && card.choose(option);
      },
    };
  }
  keys["r"] = { label: "Answer in words, or with a note", group: "Question", run: () => isMeant() && card.openWords() };
  keys["s"] = {
    label: "Skip", group: "Question",
    run: () => {
      if (!isMeant() || !card.isAsking) return false;
      card.skip();
      return true;
    },
  };
  keys["o"] = {
    label: "Open the chat", group: "Question",
    run: () => {
      if (!isMeant()) return false;
      go(placeOf(question, room.state.peek().agents.get(question.agent_id)?.chat_id === question.chat_id));
      return true;
    },
  };
  useKeys(keys);
}
