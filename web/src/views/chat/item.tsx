/** What stands in a thread: bubbles, cards, quiet lines, notices. Each is drawn anew only when it changed. */
import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";

import type { Item, Question } from "../../api/types";
import { clock, fullTime } from "../../kit/time";
import { block, line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { InlineMarkdown, Markdown } from "../../parts/markdown";
import { foldedText, leadOf, type ChatBlock } from "../../store/chat-blocks";
import { cardsOf } from "../../store/questions";
import { wordsOf } from "../../store/receipts";
import { Attachments, DeliveryLine } from "../composer";
import { OperationReceipt } from "../operations/card";
import { QuestionCard } from "../questions";
import { ResultCard } from "./result";
import { HelpersLine, Thought, WorkLine } from "./work";
import { dayWords, tokenWords } from "./words";

/** What blocks may ask of the chat; stays the same object while the chat is open. */
export interface ThreadActs {
  agentId: string | null;
  chatId: string;
  isReadOnly: boolean;
  menu(item: Item): void;
  good(item: Item): void;
  ask(item: Item): void;
  answer(): void;
  edits(item: Item): readonly Item[];
}

export interface BlockProps {
  block: ChatBlock;
  acts: ThreadActs;
  isFull: boolean;
  hasTokens: boolean;
  /** The present minute: only what tells the time of day needs it. */
  nowMs: number;
  /** It was asked for by a link or a search. */
  isMarked: boolean;
  /** The agent waits for an answer to this. */
  isLit: boolean;
  /** The agent stands at a prompt: its last step does not run. */
  isBlocked: boolean;
}

export function Block(props: BlockProps) {
  const { block: shown, acts, isFull, hasTokens, nowMs, isMarked, isLit, isBlocked } = props;
  const day = Math.floor(nowMs / 3_600_000);
  return useMemo(
    () => <div class={isMarked ? `msg msg-${shown.t} is-marked` : `msg msg-${shown.t}`} data-key={shown.key}><Inner {...props} /></div>,
    [shown, acts, isFull, hasTokens, day, isMarked, isLit, isBlocked],
  );
}

function Inner(props: BlockProps) {
  const { block: shown, acts, nowMs } = props;
  switch (shown.t) {
    case "day": return <p class="day">{dayWords(shown.atMs, nowMs)}</p>;
    case "unread": return <p class="unread-line"><span>New</span></p>;
    case "mine": return <Mine item={shown.items[0]} {...props} />;
    case "theirs": return <><Theirs item={shown.items[0]} {...props} /><CardsOf itemId={shown.items[0].id} /></>;
    case "asked": return <AskedCard questionId={shown.questionId} />;
    case "question": return <Asks item={shown.items[0]} {...props} />;
    case "notice": return <Notice item={shown.items[0]} nowMs={nowMs} />;
    case "work": return <WorkLine items={shown.items} endMs={shown.endMs} isFull={props.isFull} isBlocked={props.isBlocked} />;
    case "helpers": return <HelpersLine items={shown.items} endMs={shown.endMs} isFull={props.isFull} isBlocked={props.isBlocked} />;
    case "thought": return <div class="work"><Thought item={shown.items[0]} isOpen={true} /></div>;
    case "operation": return <OperationReceipt operation={shown.operation} />;
    case "receipt": {
      const { receipt } = shown;
      const words = wordsOf(receipt);
      return (
        <p class="note"><Icon name={words.icon} small /> <span dir="auto">{line(receipt.text, 300)}</span> <span class="nowrap"><bdi>{line(words.by, 60)}</bdi> · {clock(receipt.at_ms, nowMs)}</span></p>
      );
    }
    case "result": {
      const item = shown.items[0];
      return (
        <Row item={item} acts={acts} isCard={true}>
          <ResultCard
            item={item} changes={shown.changes} nowMs={nowMs} isReadOnly={acts.isReadOnly}
            edits={() => acts.edits(item)} onGood={() => acts.good(item)} onAsk={() => acts.ask(item)}
          />
          <CardsOf itemId={item.id} />
          <Foot item={item} hasTokens={props.hasTokens} />
        </Row>
      );
    }
  }
}

/** A message with its menu beside it. */
function Row(props: { item: Item; acts: ThreadActs; isCard?: boolean; children: ComponentChildren }) {
  return (
    <div class={props.isCard ? "msg-line msg-card" : "msg-line"}>
      <div class="msg-body">{props.children}</div>
      <button class="icon-btn msg-more" type="button" aria-label="Actions for this message" onClick={() => props.acts.menu(props.item)}><Icon name="more" small /></button>
    </div>
  );
}

export function Mine(props: { item: Item; acts: ThreadActs; nowMs: number }) {
  const { item, acts } = props;
  const { delivery } = item;
  const attachments = item.attachments ?? [];
  return (
    <>
      <Row item={item} acts={acts}>
        <div class="bubble mine" title={fullTime(item.at_ms)}>
          <span class="vh">You: </span>
          {item.text ? <Folding text={item.text}>{(text) => <p dir="auto" class="said"><InlineMarkdown text={text} /></p>}</Folding> : null}
          {attachments.length > 0 ? <Attachments attachments={attachments} /> : null}
        </div>
        <Foot item={item} hasTokens={false} />
      </Row>
      {delivery && acts.agentId !== null ? (
        <DeliveryLine agentId={acts.agentId} chatId={acts.chatId} delivery={delivery} atMs={item.at_ms} />
      ) : null}
    </>
  );
}

function Theirs(props: { item: Item; acts: ThreadActs; hasTokens: boolean }) {
  const { item } = props;
  return (
    <Row item={item} acts={props.acts}>
      <div class="bubble theirs md-body" title={fullTime(item.at_ms)}><span class="vh">Agent: </span><Folding text={item.text ?? ""}>{(text) => <Markdown text={text} />}</Folding></div>
      <Foot item={item} hasTokens={props.hasTokens} />
    </Row>
  );
}

/** A very long text shows its beginning, and the rest when it is asked for. */
function Folding(props: { text: string; children(text: string): ComponentChildren }) {
  const [isWhole, setWhole] = useState(false);
  const start = isWhole ? null : foldedText(props.text);
  if (start === null) return <>{props.children(props.text)}</>;
  return (
    <>
      {props.children(start)}
      <button class="btn btn-line unfold" type="button" onClick={() => setWhole(true)}>Show all {props.text.length.toLocaleString("en-US")} characters</button>
    </>
  );
}

/** The questions of one reply, in the order in which it asks them. */
function useCards(itemId: string): readonly Question[] {
  const { state } = useRoom();
  return useComputed(() => cardsOf(state.value.questions).get(itemId) ?? NONE).value;
}

const NONE: readonly Question[] = [];

/** A reply that asks: its words, and a card for each question. Without a card it is shown as it was written. */
function Asks(props: BlockProps & { item: Item }) {
  const { item, isLit, acts } = props;
  const cards = useCards(item.id);
  const text = item.text ?? "";
  const lead = leadOf(text);
  if (cards.length > 0) {
    return (
      <Row item={item} acts={acts} isCard={true}>
        {lead === "" ? null : <div class="bubble theirs md-body" title={fullTime(item.at_ms)}><span class="vh">Agent: </span><Folding text={lead}>{(words) => <Markdown text={words} />}</Folding></div>}
        <Cards cards={cards} />
        <details class="work as-written"><summary><span class="chev"><Icon name="right" /></span><span class="work-say">The reply as it was written</span></summary><div class="md-body"><Folding text={text}>{(words) => <Markdown text={words} />}</Folding></div></details>
        <Foot item={item} hasTokens={props.hasTokens} />
      </Row>
    );
  }
  return (
    <Row item={item} acts={acts} isCard={true}>
      <section class={isLit ? "card card-lit" : "card"} aria-label="Question">
        <div class="card-over"><Lamp name="question" /><span>{isLit ? "Question for you" : "Question"}</span><time class="age" title={fullTime(item.at_ms)}>{clock(item.at_ms, props.nowMs)}</time></div>
        <div class="md-body"><Folding text={text}>{(words) => <Markdown text={words} />}</Folding></div>
        {isLit && !acts.isReadOnly ? <div class="card-acts"><button class="btn btn-primary" type="button" onClick={acts.answer}>Answer in words</button></div> : null}
      </section>
      <Foot item={item} hasTokens={props.hasTokens} />
    </Row>
  );
}

/** Questions of a reply that is something else too. */
function CardsOf(props: { itemId: string }) {
  return <Cards cards={useCards(props.itemId)} />;
}

function Cards(props: { cards: readonly Question[] }) {
  return <>{props.cards.map((question) => <div key={question.id} class="chat-card"><QuestionCard question={question} isInChat /></div>)}</>;
}

function AskedCard(props: { questionId: string }) {
  const { state } = useRoom();
  const question = useComputed(() => state.value.questions.byId.get(props.questionId)).value;
  return question === undefined ? null : <div class="chat-card"><QuestionCard question={question} isInChat /></div>;
}

const BROKEN = /^(?:interrupted|stopped|api error|error\b|.{0,200}\b(?:failed|limit reached|hit your\b.{0,40}\blimit)\b)/i;
/** A longer notice is folded: it is no part of the conversation. */
const LONG_NOTICE = 240;

function Notice(props: { item: Item; nowMs: number }) {
  const { item } = props;
  const text = block(item.text ?? "", 20_000).trim();
  const isBroken = BROKEN.test(text);
  const said = (words: string): ComponentChildren => <>{isBroken ? <Icon name="warn" small /> : null} <span dir="auto">{words}</span> <time class="nowrap">{clock(item.at_ms, props.nowMs)}</time></>;
  if (text.length <= LONG_NOTICE) return <p class={isBroken ? "note note-broken" : "note"} title={fullTime(item.at_ms)}>{said(text)}</p>;
  return (
    <details class="work note-long" title={fullTime(item.at_ms)}>
      <summary><span class="chev"><Icon name="right" /></span><span class="work-say">{said(line(text, LONG_NOTICE))}</span></summary>
      <pre class="code-text step-text" tabIndex={0} role="group" aria-label="The whole notice" dir="auto">{text}</pre>
    </details>
  );
}

function Foot(props: { item: Item; hasTokens: boolean }) {
  const { item } = props;
  return (
    <>
      {item.clipped ? <p class="from">Shortened here. The whole message is in the agent’s own file.</p> : null}
      {props.hasTokens && item.tokens ? <p class="from">{tokenWords(item.tokens)}</p> : null}
    </>
  );
}
