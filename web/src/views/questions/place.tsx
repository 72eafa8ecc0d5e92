/** Where a question stands, and what stands between it and its answer. */
import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";

import type { Question } from "../../api/types";
import { line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { isAway } from "../../store/agents";
import type { Route } from "../../store/routes";

/** Where it was asked. */
export function placeOf(question: Question, isListed: boolean): Route {
  const item = question.item_id == null ? {} : { itemId: question.item_id };
  return isListed ? { at: "agent", agentId: question.agent_id, ...item } : { at: "chat", chatId: question.chat_id, ...item };
}

/** Why an answer takes its time, or cannot go out at all; null: nothing stands in its way. */
export function useWay(question: Question): { text: string; isShut: boolean } | null {
  const room = useRoom();
  return useComputed(() => {
    if (room.isOld.value) return { text: "Not connected, so this may be answered already. Answers work again when the connection is back.", isShut: true };
    const { agents, machines } = room.state.value;
    const agent = agents.get(question.agent_id);
    const isPicker = question.source === "picker";
    if (agent === undefined || agent.activity === "gone") return { text: isPicker ? "Its agent is gone, so nobody takes the answer." : "Its agent is gone. An answer is typed when it runs again.", isShut: false };
    if (!isAway(agent, machines)) return null;
    const machine = line(machines.get(agent.machine_id)?.name ?? "Its machine", 60);
    return { text: isPicker ? `${machine} is not reachable, so an answer cannot get there now.` : `${machine} is not reachable. An answer is typed when it is back.`, isShut: isPicker };
  }).value;
}

export function Note(props: { icon: string; kind?: "fault" | "lamp"; children: ComponentChildren }) {
  return <p class={props.kind === undefined ? "callout" : `callout callout-${props.kind}`}><Icon name={props.icon} /><span class="grow">{props.children}</span></p>;
}
