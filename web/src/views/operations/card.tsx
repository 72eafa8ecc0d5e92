/** An operation: a card with its steps while it is under way, then its receipt. */
import { useEffect, useState } from "preact/hooks";
import { useComputed } from "@preact/signals";

import type { Operation } from "../../api/types";
import { block, line } from "../../kit/text";
import { clock, fullTime, span } from "../../kit/time";
import { loadOperations, takeBack } from "../../live/operations";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { Tag } from "../../parts/tag";
import { showToast } from "../../parts/toast";
import { askedBy, endMs, isUnderWay, isWaiting, noUndoWords, operationWords, stepViews, underWayOf, undoUntil, waitsForAnswer, type StepView } from "../../store/operations";
import { addressOf } from "../../store/routes";
import { wishFor, type Wish } from "./wish";

/** The operations that the hub knows, asked for once with each fleet. */
export function useOperations(): ReadonlyMap<string, Operation> {
  const room = useRoom();
  const epoch = useComputed(() => room.state.value.epoch).value; // whoever shows them is not drawn again with every event
  useEffect(() => void loadOperations(room), [room, epoch]);
  return useComputed(() => room.state.value.operations).value;
}

/** What is under way with an agent stands at the end of its chat. */
export function UnderWay(props: { agentId: string }) {
  return <>{underWayOf(useOperations().values(), props.agentId).reverse().map((one) => <div key={one.id} data-key={`operation:${one.id}`} class="msg"><OperationCard operation={one} /></div>)}</>;
}

export function OperationCard(props: { operation: Operation; hasName?: boolean }) {
  const { operation } = props;
  const room = useRoom();
  const words = useWords(operation);
  const now = room.now.value;
  const id = `operation-${operation.id.replace(/[^\w-]/g, "-")}`;
  return (
    <section class="card" aria-labelledby={id} aria-live="polite">
      <div class="card-over">
        <Icon name={words.icon} /><span>Operation</span><Tag>{words.state}</Tag>
        {isUnderWay(operation) ? <span class="age" aria-live="off">{span(now - operation.created_at_ms)}</span> : null}
      </div>
      <h2 class="card-q" id={id}>
        <bdi>{line(sentence(words.what), 200)}</bdi>{props.hasName && operation.agent_name ? <>: <AgentName operation={operation} /></> : null}
      </h2>
      <p class="md second"><bdi>{line(sentence(`by ${askedBy(operation.by)}`), 80)}</bdi>: “<bdi>{line(operation.why, 500)}</bdi>”</p>
      {words.more === "" ? null : <p class="md second" dir="auto">{block(words.more, 1_000)}</p>}
      <ol class="steps">{stepViews(operation).map((step) => <StepLine key={step.key} step={step} nowMs={now} />)}</ol>
      {isWaiting(operation) ? <div class="card-acts">{waitsForAnswer(operation) ? <a class="btn btn-line" href={addressOf({ at: "inbox" })}>Open the Inbox</a> : null}<TakeBack operation={operation} label="Cancel" /></div> : null}
    </section>
  );
}

const STEP_LAMPS = { running: "working", todo: "idle" } as const;

function StepLine(props: { step: StepView; nowMs: number }) {
  const { step } = props;
  const icon = step.look === "done" ? <Icon name="check" /> : step.look === "failed" ? <Icon name="warn" /> : <Lamp name={STEP_LAMPS[step.look]} />;
  const time = step.look === "running" ? "now" : step.atMs === null ? "" : fullTime(step.atMs).split(" ").at(-1);
  return (
    <li class={step.look === "todo" ? "todo" : undefined}>
      {icon}
      <span>{step.look === "running" ? <b>{step.text}</b> : step.look === "failed" ? <><span class="bad">Failed:</span> {step.text}</> : step.text}</span>
      <time>{time}</time>
      {step.detail === "" ? null : <small dir="auto">{block(step.detail, 600)}</small>}
    </li>
  );
}

/** One that is over, with its Undo as long as there is one. */
export function OperationReceipt(props: { operation: Operation }) {
  const { operation } = props;
  const { now } = useRoom();
  const words = useWords(operation);
  const atMs = endMs(operation);
  const noUndo = noUndoWords(operation);
  return (
    <div class="receipt">
      <svg class={words.tone === "bad" ? "icon bad" : words.tone === "good" ? "icon ok" : "icon"} viewBox="0 0 24 24" aria-hidden="true"><use href={`#i-${words.icon}`} /></svg>
      <div>
        <span><b>{words.state}:</b> <bdi>{line(words.what, 200)}</bdi></span>
        {words.more === "" ? null : <span class="why" dir="auto">{block(words.more, 1_000)}</span>}
        <span class="why">
          {sentence(`by ${askedBy(operation.by)}`)}, <time dateTime={new Date(atMs).toISOString()} title={fullTime(atMs)}>{clock(atMs, now.value)}</time>: “<bdi>{line(operation.why, 500)}</bdi>”
          {operation.undoes == null ? "" : " It takes another one back."}{operation.undone_by == null ? "" : " Taken back."}{noUndo === "" ? "" : ` ${noUndo}`}
        </span>
      </div>
      <OperationAct operation={operation} />
    </div>
  );
}

/** What can be done about an operation: cancel it, undo it, look at what it waits for, try it again. */
export function OperationAct(props: { operation: Operation }) {
  const { operation } = props;
  const { now } = useRoom();
  const until = undoUntil(operation, now.value);
  if (isWaiting(operation)) return <TakeBack operation={operation} label="Cancel" />;
  if (until !== null) return <TakeBack operation={operation} label={`Undo until ${clock(until, now.value)}`} isUndo />;
  if (operation.state !== "failed") return null;
  if (operation.error?.code === "startup_prompt" && operation.agent_id != null) {
    return <a class="btn btn-plain" href={addressOf({ at: "terminal", agentId: operation.agent_id })}>Open the live terminal</a>;
  }
  const again = wishAgain(operation);
  return again === null ? null : <button class="btn btn-plain" type="button" onClick={() => wishFor(again)}>Try again</button>;
}

function TakeBack(props: { operation: Operation; label: string; isUndo?: boolean }) {
  const room = useRoom();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    const refusal = await takeBack(room, props.operation);
    setBusy(false);
    if (refusal !== null) showToast({ text: line(refusal.text, 200) });
  };
  return (
    <button class={props.isUndo ? "btn btn-line" : "btn btn-plain"} type="button" disabled={isBusy} onClick={() => void run()}>
      {props.isUndo ? <Icon name="undo" small /> : null}{props.label}<span class="vh">: {operationWords(props.operation).what}</span>
    </button>
  );
}

function wishAgain(operation: Operation): Wish | null {
  const { kind, why, args, undoes } = operation;
  if (undoes != null) return null; // what it takes back has its own Undo again
  if (kind === "start") return { kind, why, args };
  return operation.agent_id == null ? null : { kind, agentId: operation.agent_id, why };
}

function AgentName(props: { operation: Operation }) {
  const { operation } = props;
  const { state } = useRoom();
  const agent = operation.agent_id == null ? undefined : state.value.agents.get(operation.agent_id);
  const name = <bdi>{line(agent?.name ?? operation.agent_name ?? "", 80)}</bdi>;
  return agent === undefined ? name : <a href={addressOf({ at: "agent", agentId: agent.id })}>{name}</a>;
}

function useWords(operation: Operation): ReturnType<typeof operationWords> {
  const { state } = useRoom();
  const away = useComputed(() => {
    const machine = state.value.machines.get(operation.machine_id);
    return machine === undefined || machine.online ? null : line(machine.name, 60);
  }).value;
  return operationWords(operation, away);
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
