/** What the person does with an agent in the list: pin, mute, archive, copy its link. */
import type { Agent } from "../../api/types";
import { addressOf } from "../../store/routes";
import { copyText } from "../../kit/copy";
import { line } from "../../kit/text";
import type { Room } from "../../live/room";
import { showToast } from "../../parts/toast";

interface Marks {
  pinned?: boolean;
  muted?: boolean;
  archived?: boolean;
}

export function togglePin(room: Room, agent: Agent): Promise<void> {
  return mark(room, agent, { pinned: agent.pinned !== true });
}

export async function toggleMute(room: Room, agent: Agent): Promise<void> {
  await mark(room, agent, { muted: agent.muted !== true });
}

/** Takes an agent out of the list on all devices, or brings it back; with Undo. It goes on working either way. */
export async function toggleArchive(room: Room, agent: Agent): Promise<void> {
  const archived = agent.archived !== true;
  const text = archived ? `${line(agent.name, 40)} is archived` : `${line(agent.name, 40)} is back in the list`;
  await mark(room, agent, { archived }, () => {
    showToast({ text, act: { label: "Undo", run: () => void mark(room, agent, { archived: !archived }) } });
  });
}

async function mark(room: Room, agent: Agent, marks: Marks, done?: () => void): Promise<void> {
  const answer = await room.http.request("PATCH", `/agents/${encodeURIComponent(agent.id)}`, { body: marks });
  if (answer.ok) done?.();
  else if (answer.refusal.code !== "locked" && answer.refusal.code !== "not_paired") showToast({ text: answer.refusal.text });
}

export async function copyLink(agent: Agent): Promise<void> {
  const link = location.origin + addressOf({ at: "agent", agentId: agent.id });
  showToast({ text: (await copyText(link)) ? "The link is copied" : `This browser copies nothing here: ${link}` });
}
