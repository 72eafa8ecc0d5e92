/** What a question's row and card say first: that it blocks, or when its default is used. Ticks by itself. */
import { useComputed } from "@preact/signals";

import type { Question } from "../api/types";
import { clock, span } from "../kit/time";
import { useRoom } from "../live/room";
import { Tag } from "./tag";

/** Nearer than this it is counted down, further away a clock time says more. */
const COUNTED_MS = 3_600_000;

export function QuestionTag(props: { question: Question }) {
  const { blocking, default: fallback } = props.question;
  const dueMs = fallback?.due_at_ms ?? null;
  const room = useRoom();
  const text = useComputed(() => (blocking ? "Blocking" : dueMs === null ? "" : dueText(dueMs, room.now.value, room.state.value.paused !== null, room.isOld.value))).value;
  if (text === "") return null;
  return <Tag kind={blocking ? "lamp" : "lamp-soft"}>{text}</Tag>;
}

/** While nothing is proven only the time itself is sure. */
function dueText(dueMs: number, nowMs: number, isPaused: boolean, isOld: boolean): string {
  const leftMs = dueMs - nowMs;
  if (isPaused) return leftMs > 0 ? `Paused, default at ${clock(dueMs, nowMs)}` : "Default is late, paused";
  if (isOld) return `Default at ${clock(dueMs, nowMs)}`;
  if (leftMs <= 0) return "Default is due";
  return leftMs < COUNTED_MS ? `Default in ${span(leftMs)}` : `Default at ${clock(dueMs, nowMs)}`;
}
