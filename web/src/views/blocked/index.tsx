/** The dialog that a blocked agent shows: what it asks, whole, and its answers. */
import "./blocked.css";

import { useComputed } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Agent, DialogOption, WaitingFor } from "../../api/types";
import { useKeys, type Shortcuts } from "../../kit/keys";
import { addressOf } from "../../store/routes";
import { clock } from "../../kit/time";
import { block, hidesSomething, line, marked } from "../../kit/text";
import { useRoom } from "../../live/room";
import { CopyButton } from "../../parts/code";
import { HoldButton } from "../../parts/hold";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { isAway } from "../../store/agents";
import {
  isHeld, lookOf, markLine, needsWords, optionAt, optionForWords, optionNotes, promptParts, shownWords, troubleWords,
  worthChecking,
  type Check, type Choice,
} from "../../store/prompt";
import { useAnswering, type Answering } from "./answer";
import { useSettled } from "./settled";

export interface PromptCardProps {
  agent: Agent;
  /** The answers stand elsewhere (`<PromptDock/>`): the card only shows. */
  isDocked?: boolean;
}

/** What it asks, with the answers below it. Renders nothing without a dialog. */
export function PromptCard(props: PromptCardProps) {
  const answering = useAnswering(props.agent);
  const { waiting } = answering;
  if (waiting === null) return null;
  return (
    <Card key={waiting.id} agent={props.agent} waiting={waiting}>
      {props.isDocked ? null : <Answers agent={props.agent} waiting={waiting} answering={answering} />}
    </Card>
  );
}

/** The answers alone, at the foot of the pane: the refusal, usually last, ends up under the thumb. */
export function PromptDock(props: { agent: Agent }) {
  const answering = useAnswering(props.agent);
  const { waiting } = answering;
  if (waiting === null) return null;
  return (
    <section class="answer-dock" aria-label="Answer the prompt">
      <Answers key={waiting.id} agent={props.agent} waiting={waiting} answering={answering} />
    </section>
  );
}

/** Whether a dialog of this agent is open, or a try to answer it is under way. */
export function useHasPrompt(agent: Agent): boolean {
  return useAnswering(agent).waiting !== null;
}

// --- what it asks --------------------------------------------------------------------------------------

function Card(props: { agent: Agent; waiting: WaitingFor; children: preact.ComponentChildren }) {
  const { waiting } = props;
  const room = useRoom();
  const title = useId();
  const end = useId();
  const { parts, command, checks } = reading(waiting);
  const shown = command.map(marked);
  const asked = `asked at ${clock(waiting.since_ms, room.now.value)}`;
  return (
    <section class="card card-lit prompt" aria-labelledby={title}>
      <div class="card-over">
        <Lamp name="blocked" />
        <span>{parts.over === "" ? null : <><bdi>{line(parts.over, 120)}</bdi> · </>}{asked}</span>
      </div>
      <h2 class="card-q" id={title} dir="auto">{block(parts.title, 2000)}</h2>
      {parts.reason === "" ? null : <p class="md second" dir="auto">In its words: “<bdi>{block(parts.reason, 4000)}</bdi>”</p>}
      {checks.length === 0 ? null : <Checks checks={checks} endId={end} />}
      {shown.length === 0 ? null : (
        <pre class="ask-cmd" tabIndex={0} role="group" aria-label={waiting.kind === "permission" ? "The whole command" : "Its whole text"} dir="ltr">
          <code>{shown.map((row, at) => <Row key={at} row={row} checks={checks} />)}</code>
        </pre>
      )}
      {parts.question === "" ? null : <p class="md second" dir="auto">{block(parts.question, 1000)}</p>}
      <div class="card-acts" id={end} tabIndex={-1}>
        {shown.length === 0 ? null : <CopyButton text={command.join("\n")} />}
        <a class="btn btn-plain" href={addressOf({ at: "terminal", agentId: props.agent.id })}><Icon name="term" small />See it in the terminal</a>
      </div>
      {props.children}
    </section>
  );
}

/** What the card and its answers make of a dialog. */
function reading(waiting: WaitingFor) {
  const parts = promptParts(waiting);
  const { notes, rest } = optionNotes(waiting, parts.command);
  // Only what is done by a permission is worth checking; a picker or plan speaks of many things.
  const checks = waiting.kind === "permission" ? worthChecking(rest.map(marked), rest.some(hidesSomething)) : [];
  return { parts, notes, command: rest, checks };
}

function Row(props: { row: string; checks: readonly Check[] }) {
  return (
    <span class="ln">
      {markLine(props.row, props.checks).map((part, at) => (part.isMarked ? <mark key={at}>{part.text}</mark> : part.text))}
    </span>
  );
}

function Checks(props: { checks: readonly Check[]; endId: string }) {
  return (
    <ul class="checks" aria-label="Worth checking">
      {props.checks.map((check) => (
        <li key={check.text} class={`check-${check.level}`}>
          <Icon name={check.level === "risk" ? "warn" : "info"} />
          <span>
            {check.text}{check.words === "" ? "" : ": "}
            {check.words === "" ? null : <code><bdi>{shownWords(check)}</bdi></code>}
            {check.level === "calm" ? <> <a href={`#${props.endId}`} onClick={(event) => goTo(event, props.endId)}>Go to its end</a></> : null}
          </span>
        </li>
      ))}
    </ul>
  );
}

function goTo(event: Event, id: string): void {
  event.preventDefault();
  const end = document.getElementById(id);
  end?.scrollIntoView({ block: "end" });
  end?.focus({ preventScroll: true });
}

// --- its answers ---------------------------------------------------------------------------------------

/** Docks on the page: number keys count only while they can mean one of them. */
let mounted = 0;

interface AnswersProps {
  agent: Agent;
  waiting: WaitingFor;
  answering: Answering;
}

function Answers(props: AnswersProps) {
  const { agent, waiting, answering } = props;
  const room = useRoom();
  const hint = useId();
  const place = useRef<HTMLDivElement>(null);
  const standing = useSettled(place, waiting.id);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [words, setWords] = useState<string | null>(null);
  const [pressed, setPressed] = useState<{ key: string; count: number }>({ key: "", count: 0 });
  const state = answering.state.value;
  const machineName = useComputed(() => line(room.state.value.machines.get(agent.machine_id)?.name ?? "Its machine", 60)).value;
  const why = useUnreachable(agent, machineName);
  const isBusy = state.at === "sending" || state.at === "taken";
  const isOff = isBusy || why !== null;
  const options = waiting.options ?? [];
  const chosen = options.filter((option) => ticked.has(option.key));
  const wordsOption = optionForWords(waiting);
  const { notes, checks } = reading(waiting);
  const opensWords = options.some((option) => needsWords(option, waiting));

  const answer = (choice: Choice): void => {
    if (!isOff) answering.answer(choice);
  };
  const choose = (option: DialogOption): void => {
    if (needsWords(option, waiting)) setWords(words ?? "");
    else answer({ options: [option.key], text: null, label: option.label });
  };
  const toggle = (option: DialogOption): void => {
    const next = new Set(ticked);
    if (!next.delete(option.key)) next.add(option.key);
    setTicked(next);
  };
  useEffect(() => {
    mounted += 1;
    return () => {
      mounted -= 1;
    };
  }, []);
  // With several cards, or the focus on another agent's row, a number is not meant for this one.
  const isMeant = (): boolean => {
    const focused = document.activeElement;
    if (place.current?.contains(focused)) return true;
    const row = focused?.closest<HTMLElement>("[data-agent]")?.dataset["agent"] ?? agent.id;
    return mounted === 1 && row === agent.id;
  };
  const keys: Record<string, Shortcuts[string]> = {};
  for (let number = 1; number <= 9; number++) {
    keys[String(number)] = {
      label: `Answer ${number}`, group: "Prompt", hidden: number > 1,
      run: () => {
        const option = optionAt(waiting, number);
        if (option === null || !isMeant() || isOff || !standing.isSettled()) return false;
        if (waiting.multi) toggle(option);
        else setPressed({ key: option.key, count: pressed.count + 1 });
        return true;
      },
    };
  }
  keys["r"] = {
    label: "Answer in words", group: "Prompt",
    run: () => {
      if (!waiting.free_text || !isMeant() || isOff) return false;
      setWords(words ?? "");
      return true;
    },
  };
  useKeys(keys);

  return (
    <div class={standing.isSettling ? "answer-in is-settling" : "answer-in"} ref={place}>
      <Trouble answering={answering} machineName={machineName} />
      {why === null ? null : <p class="callout"><Icon name="off" /><span>{why}</span></p>}
      {options.map((option, at) => (waiting.multi ? (
        <HoldButton
          key={option.key} class="ans" isRisky={false} label={option.label} disabled={isOff} isPressed={ticked.has(option.key)}
          isSettled={standing.isSettled} onAnswer={() => toggle(option)}
        >
          {() => <><span class="ans-box" aria-hidden="true">{ticked.has(option.key) ? <Icon name="check" /> : null}</span><OptionLabel option={option} note={notes.get(option.key)} how={option.risky ? "Risky" : ""} number={at + 1} /></>}
        </HoldButton>
      ) : (
        <HoldButton
          key={option.key} class={isHeld(option, checks) ? "ans ans-risk" : "ans"} isRisky={isHeld(option, checks)} label={line(option.label, 300)} describedBy={hint}
          disabled={isOff} isSettled={standing.isSettled} onAnswer={() => choose(option)}
          pressedByKey={pressed.key === option.key ? pressed.count : 0}
        >
          {(how) => <><Icon name={isHeld(option, checks) ? "shield" : ICONS[lookOf(option)]} /><OptionLabel option={option} note={notes.get(option.key)} how={how === "" && isHeld(option, checks) ? "Hold" : how} number={at + 1} /></>}
        </HoldButton>
      )))}
      {waiting.multi ? (
        <HoldButton
          class={chosen.some((option) => isHeld(option, checks)) ? "btn btn-fault btn-block" : "btn btn-primary btn-block"} isRisky={chosen.some((option) => isHeld(option, checks))}
          label={chosen.map((option) => line(option.label, 60)).join(", ")} describedBy={hint} disabled={isOff || (chosen.length === 0 && !words)}
          isSettled={standing.isSettled} onAnswer={() => answer(manyOf(chosen, words))}
        >
          {(how) => <>{how !== "" ? how : chosen.length === 0 ? "Choose at least one" : chosen.length === 1 ? "Answer with this one" : `Answer with these ${chosen.length}`}</>}
        </HoldButton>
      ) : null}
      {waiting.free_text ? (
        <Words
          text={words} isOff={isOff} hasButton={!opensWords || waiting.multi === true} isWithOptions={waiting.multi === true} placeholder={wordsOption === null ? "Your answer in words" : line(wordsOption.label, 100)}
          onChange={setWords} isSettled={standing.isSettled} onSend={(text) => answer({ options: [], text, label: text })}
        />
      ) : null}
      {options.length === 0 && !waiting.free_text ? (
        <p class="md second">This prompt can only be answered in its terminal. <a href={addressOf({ at: "terminal", agentId: agent.id })}>Open it</a></p>
      ) : null}
      <p class="xs muted" id={hint}>
        {state.at === "sending" ? <span role="status">Sending “<bdi>{line(state.choice.label, 80)}</bdi>”. The prompt is read again first.</span>
          : state.at === "taken" ? <span role="status">Answered “<bdi>{line(state.choice.label, 80)}</bdi>”. Waiting for the agent to go on.</span>
          : <>Read again just before your answer. If it changed, nothing is sent.<span class="vh"> With a keyboard or screen reader, press a risky answer once and confirm.</span></>}
      </p>
    </div>
  );
}

const ICONS = { risky: "shield", refuses: "close", plain: "check" } as const;

function OptionLabel(props: { option: DialogOption; note: string | undefined; how: string; number: number }) {
  return (
    <>
      <span class="grow"><b dir="auto">{block(props.option.label, 4000)}</b>{props.note === undefined ? null : <span class="second" dir="auto">{block(props.note, 4000)}</span>}</span>
      {props.how === "" ? null : <span class="how" aria-live="polite">{props.how}</span>}
      {props.number > 9 ? null : <kbd class="only-wide" aria-hidden="true">{props.number}</kbd>}
    </>
  );
}

function manyOf(chosen: readonly DialogOption[], words: string | null): Choice {
  const text = words?.trim() || null;
  return { options: chosen.map((option) => option.key), text, label: [...chosen.map((option) => option.label), ...(text === null ? [] : [text])].join(", ") };
}

/** Why no answer can go out now; null: it can. */
function useUnreachable(agent: Agent, machineName: string): string | null {
  const room = useRoom();
  return useComputed(() => {
    if (room.isOld.value) return "Not connected, so this prompt may have changed. Answers work again when the connection is back.";
    if (isAway(agent, room.state.value.machines)) return `${machineName} is not reachable, so answers cannot get there. The prompt is as it was last seen.`;
    return null;
  }).value;
}

function Trouble(props: { answering: Answering; machineName: string }) {
  const state = props.answering.state.value;
  const trouble = state.at === "open" ? state.trouble : null;
  return (
    <div role="alert">
      {trouble === null ? null : (
        <p class={trouble.kind === "changed" ? "callout callout-lamp" : "callout callout-fault"}>
          <Icon name="warn" /><span class="grow">{line(troubleWords(trouble, props.machineName), 400)}</span>
          <button class="btn btn-plain" type="button" onClick={props.answering.understood}>OK</button>
        </p>
      )}
    </div>
  );
}

interface WordsProps {
  text: string | null;
  isOff: boolean;
  /** False: one of the options opens it. */
  hasButton: boolean;
  /** The text goes out together with the chosen options. */
  isWithOptions: boolean;
  placeholder: string;
  onChange(text: string | null): void;
  isSettled(): boolean;
  onSend(text: string): void;
}

function Words(props: WordsProps) {
  const { text } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const isOpen = text !== null;
  // Before the next key can come: a number typed then is no answer.
  useLayoutEffect(() => {
    if (isOpen) field.current?.focus();
  }, [isOpen]);
  if (text === null && !props.hasButton) return null;
  if (text === null) {
    return <button class="btn btn-plain" type="button" disabled={props.isOff} onClick={() => props.onChange("")}><Icon name="edit" small />Answer in words<kbd class="only-wide" aria-hidden="true">R</kbd></button>;
  }
  const send = (): void => {
    if (text.trim() !== "" && !props.isOff && props.isSettled()) props.onSend(text.trim());
  };
  return (
    <form class="words" onSubmit={(event) => { event.preventDefault(); send(); }}>
      <textarea
        ref={field} class="input" rows={2} aria-label="Answer in words" placeholder={props.placeholder} value={text} disabled={props.isOff} maxLength={20_000}
        onInput={(event) => props.onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") props.onChange(null);
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
          event.stopPropagation();
        }}
      />
      <div class="card-acts">
        {props.isWithOptions ? null : <button class="btn btn-primary" type="submit" disabled={props.isOff || text.trim() === ""}>Send the answer</button>}
        <button class="btn btn-plain" type="button" onClick={() => props.onChange(null)}>{props.isWithOptions ? "Without words" : "Cancel"}</button>
      </div>
    </form>
  );
}
