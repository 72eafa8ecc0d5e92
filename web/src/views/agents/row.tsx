/** One agent in a list. Drawn anew only when what it shows changed; its age ticks by itself. */
import { useComputed } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";

import type { Agent, Question } from "../../api/types";
import { addressOf, type Route } from "../../store/routes";
import { span } from "../../kit/time";
import { line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { Lamp } from "../../parts/lamp";
import { QuestionTag } from "../../parts/question-tag";
import { kindName, profileName, standingOf } from "../../store/agents";
import { showAgent } from "./shown";

/** A finger that rests this long opens the menu. */
const LONG_PRESS_MS = 500;
/** Moved further, it is a scroll. */
const SCROLL_PX = 10;

export interface RowProps {
  agent: Agent;
  machineName: string;
  /** When its machine cannot be reached: when it was heard last. */
  awaySinceMs: number | null;
  isCurrent: boolean;
  isSettling: boolean;
  /** The first of its open questions. */
  question?: Question | null;
  /** Where a tap leads; its chat without it. */
  to?: Route;
}

export function Row(props: RowProps) {
  const { agent, machineName, awaySinceMs, isCurrent, isSettling, question, to } = props;
  return useMemo(
    () => <Drawn {...props} />,
    [agent, machineName, awaySinceMs, isCurrent, isSettling, question, to === undefined ? "" : addressOf(to)],
  );
}

function Drawn(props: RowProps) {
  const { agent, awaySinceMs } = props;
  const standing = standingOf(agent);
  const press = useLongPress(() => showAgent(agent.id));
  const isAway = awaySinceMs !== null;
  const name = line(agent.name, 120) || agent.id;
  const meta = [kindName(agent.kind), props.machineName, profileName(agent), helperCount(agent)].filter((part) => part != null && part !== "");
  return (
    <li class={classes(props)}>
      <a
        class="row-link" href={addressOf(props.to ?? { at: "agent", agentId: agent.id })} data-agent={agent.id}
        aria-current={props.isCurrent ? "true" : undefined} draggable={false} {...press}
      >
        <Lamp name={standing.lamp} />
        <span class="row-main">
          <span class="row-top">
            <span class="row-name"><span class="vh">{isAway ? `${standing.word} when last seen: ` : `${standing.word}: `}</span><bdi>{name}</bdi></span>
            <Marks agent={agent} />
            {agent.unread > 0 ? <span class="badge badge-quiet"><span class="vh">unread: </span>{agent.unread > 99 ? "99+" : agent.unread}</span> : null}
            <Age key={awaySinceMs ?? standing.sinceMs} sinceMs={awaySinceMs ?? standing.sinceMs} isAway={isAway} isFault={standing.lamp === "fault"} />
          </span>
          <Say key={standing.was?.atMs} agent={agent} />
          <span class="row-meta"><span><bdi>{line(meta.join(" · "), 120)}</bdi></span>{agent.uncertain ? <span class="tag">Not certain</span> : null}<Asks {...props} lamp={standing.lamp} /></span>
        </span>
      </a>
      <button class="row-why" type="button" tabIndex={-1} aria-label={`Why ${name} counts as: ${standing.word}`} onClick={() => showAgent(agent.id)} />
      <button class="icon-btn row-more" type="button" tabIndex={-1} aria-label={`Actions for ${name}`} onClick={() => showAgent(agent.id)}><Icon name="more" /></button>
    </li>
  );
}

/** A question that stands in the row itself says when it is due; beside other work it is only named. */
function Asks(props: RowProps & { lamp: string }) {
  const { question } = props;
  if (question == null || (props.lamp === "blocked" && question.waiting_id === props.agent.waiting_for?.id)) return null; // its row is the question
  return props.lamp === "question" && props.awaySinceMs === null ? <QuestionTag question={question} /> : <span class="tag">Question open</span>;
}

function classes(props: RowProps): string {
  const names = ["row"];
  if (props.agent.unread > 0) names.push("row-unread");
  if (props.awaySinceMs !== null) names.push("is-stale");
  if (props.isSettling) names.push("is-settling", "is-new");
  return names.join(" ");
}

function helperCount(agent: Agent): string | null {
  if (agent.helpers === 0) return null;
  return agent.helpers === 1 ? "1 helper" : `${agent.helpers} helpers`;
}

function Marks(props: { agent: Agent }) {
  const { pinned, muted } = props.agent;
  if (!pinned && !muted) return null;
  return (
    <span class="row-marks">
      {pinned ? <><Icon name="pin" small /><span class="vh">pinned</span></> : null}
      {muted ? <><Icon name="mute" small /><span class="vh">muted</span></> : null}
    </span>
  );
}

function Say(props: { agent: Agent }) {
  const { say, was } = standingOf(props.agent);
  const { now } = useRoom();
  const ago = useComputed(() => (was === null ? "" : ` Was ${was.word} ${span(now.value - was.atMs)} ago.`));
  if (say === "" && was === null) return null;
  return <span class="row-say" dir="auto">{line(say)}{ago}</span>;
}

/** Only its own text changes with the clock. */
function Age(props: { sinceMs: number; isAway: boolean; isFault: boolean }) {
  const { now } = useRoom();
  const { sinceMs, isAway } = props;
  const text = useComputed(() => (isAway ? `seen ${span(now.value - sinceMs)} ago` : span(now.value - sinceMs)));
  return <span class={props.isFault ? "row-age row-age-fault" : "row-age"}>{text}</span>;
}

/** A finger that rests, and the right mouse button. What was a long press is no tap. */
function useLongPress(run: () => void) {
  const state = useRef({ timer: 0, x: 0, y: 0, atMs: Infinity, hasRun: false });
  const stop = (): void => window.clearTimeout(state.current.timer);
  const forget = (): void => {
    stop();
    state.current.atMs = Infinity;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      stop();
      const isMouse = event.pointerType === "mouse";
      state.current = { timer: 0, x: event.clientX, y: event.clientY, atMs: isMouse ? Infinity : event.timeStamp, hasRun: false };
      if (isMouse) return;
      state.current.timer = window.setTimeout(() => {
        state.current.hasRun = true;
        run();
      }, LONG_PRESS_MS);
    },
    onPointerMove: (event: PointerEvent) => {
      if (Math.hypot(event.clientX - state.current.x, event.clientY - state.current.y) > SCROLL_PX) forget();
    },
    onPointerUp: stop,
    onPointerCancel: forget,
    onContextMenu: (event: MouseEvent) => {
      event.preventDefault();
      stop();
      if (!state.current.hasRun) run();
      state.current.hasRun = state.current.atMs !== Infinity; // a finger's click may follow, a mouse's does not
    },
    onClick: (event: MouseEvent) => {
      const { hasRun, atMs } = state.current;
      state.current.hasRun = false;
      state.current.atMs = Infinity;
      const isLong = event.timeStamp - atMs >= LONG_PRESS_MS; // a page that was too busy hears of both ends at once
      if (hasRun || isLong) event.preventDefault();
      if (isLong && !hasRun) run();
    },
  };
}
