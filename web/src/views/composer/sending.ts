/** What a person does with messages: send, edit, withdraw, send now, try again. Each says what came of it. */
import type { Message } from "../../api/types";
import type { Answer } from "../../api/http";
import { newId, type Room } from "../../live/room";
import { writing } from "../../live/writing";
import { showToast } from "../../parts/toast";
import type { Draft } from "../../store/drafts";
import { newMessage, withQuote, type OutFile, type OutMessage } from "../../store/outbox";

const OF_HUB = "hub_";

/** Whether only the hub has the bytes of a file: of a message that is sent once more. */
export function isOfHub(file: OutFile): boolean {
  return file.id.startsWith(OF_HUB);
}

/** Sends a draft. From now on it is in the outbox, and its draft is over. */
export async function sendDraft(room: Room, draft: Draft): Promise<void> {
  const { outbox, drafts } = writing(room);
  const message = newMessage(
    {
      id: newId("msg"),
      chatId: draft.chatId,
      agentId: draft.agentId,
      text: withQuote(draft.text.trimEnd(), draft.quote),
      when: "idle",
      onDraft: "wait",
      files: draft.files,
    },
    room.nowMs(),
  );
  await outbox.add(message, drafts.sent(draft.chatId));
}

/** Takes a message of this device back into the composer: to change it, or because its upload is cancelled. */
export async function editOwn(room: Room, message: OutMessage): Promise<void> {
  if (await takenBack(room, message)) await intoDraft(room, message);
}

/** Deletes a message of this device; for a while it can be had back, as a draft. */
export async function deleteOwn(room: Room, message: OutMessage): Promise<void> {
  if (!(await takenBack(room, message))) return;
  showToast({ text: "Deleted before it was sent", act: { label: "Undo", run: () => void intoDraft(room, message) } });
}

async function takenBack(room: Room, message: OutMessage): Promise<boolean> {
  const problem = await writing(room).outbox.takeBack(message.id);
  if (problem !== "") showToast({ text: problem });
  return problem === "";
}

/** What stands in the composer already stays in front of it. */
async function intoDraft(room: Room, message: OutMessage): Promise<void> {
  const { outbox, drafts } = writing(room);
  const files = message.files.filter((file) => !isOfHub(file)).map(({ uploadId: _, ...file }) => file);
  const bytes = await Promise.all(files.map(async (file) => [file, await outbox.bytesOf(file.id)] as const));
  const draft = drafts.of(message.chatId, message.agentId);
  drafts.change({
    ...draft,
    text: [draft.text.trimEnd(), message.text].filter((part) => part !== "").join("\n\n"),
    files: [...draft.files, ...bytes.filter(([, found]) => found !== null).map(([file]) => file)],
    changedMs: room.nowMs(),
  });
  await drafts.flush();
}

// ---- messages that the hub has ------------------------------------------------------------------------------------

type Patch = { text?: string; when?: "idle" | "now"; on_draft?: "wait" | "after" | "replace" };

/** Changes a message that was not typed yet. False: it could not be, and that was said. */
export async function patch(room: Room, id: string, body: Patch): Promise<boolean> {
  return told(room, await room.http.request<Message>("PATCH", `/messages/${encodeURIComponent(id)}`, { body }));
}

export async function withdraw(room: Room, id: string): Promise<boolean> {
  return told(room, await room.http.request<Message>("DELETE", `/messages/${encodeURIComponent(id)}`));
}

function told(room: Room, answer: Answer<Message>): boolean {
  if (answer.ok) room.tell({ type: "message", message: answer.value });
  else showToast({ text: answer.refusal.text });
  return answer.ok;
}

/** Tries a failed message again under its id; nothing of it was typed. A message that cannot go so goes anew. */
export async function tryAgain(room: Room, id: string): Promise<void> {
  const found = await room.http.request<Message>("GET", `/messages/${encodeURIComponent(id)}`);
  if (!found.ok) return showToast({ text: found.refusal.text });
  const message = found.value;
  const answer = await room.http.request("POST", `/chats/${encodeURIComponent(message.chat_id)}/messages`, {
    body: {
      id,
      text: message.text,
      as: message.as ?? "text",
      when: message.when,
      on_draft: message.on_draft ?? "wait",
      attachments: (message.attachments ?? []).map((file) => file.id),
    },
  });
  if (answer.ok) return;
  if (answer.refusal.code === "conflict") return sendAnew(room, message);
  showToast({ text: answer.refusal.text });
}

/** Sends the same once more, as another message: for one of which nobody knows whether it arrived. */
export async function sendAgain(room: Room, id: string): Promise<void> {
  const found = await room.http.request<Message>("GET", `/messages/${encodeURIComponent(id)}`);
  if (!found.ok) return showToast({ text: found.refusal.text });
  await sendAnew(room, found.value);
}

async function sendAnew(room: Room, message: Message): Promise<void> {
  const files: OutFile[] = (message.attachments ?? []).map((file) => ({
    id: `${OF_HUB}${file.id}`, name: file.name, size: file.bytes, type: file.type, uploadId: file.id,
  }));
  const agent = room.state.peek().agents.get(message.agent_id);
  await writing(room).outbox.add(
    newMessage(
      {
        id: newId("msg"),
        chatId: agent?.chat_id ?? message.chat_id,
        agentId: message.agent_id,
        text: message.text,
        when: message.when,
        onDraft: message.on_draft ?? "wait",
        files,
      },
      room.nowMs(),
    ),
  );
}

/** Ends the running turn; the agent goes on running. It is looked at again right before a key is pressed. */
export async function stopTurn(room: Room, agentId: string): Promise<void> {
  const answer = await room.http.request<{ detail?: string | null }>("POST", `/agents/${encodeURIComponent(agentId)}/interrupt`, {
    body: { request_id: newId("req") },
    withinMs: 60_000,
  });
  if (answer.ok) showToast({ text: answer.value.detail ?? "The turn was stopped. The agent runs on." });
  else if (answer.refusal.code === "changed") showToast({ text: `Nothing was pressed. ${answer.refusal.text}` });
  else showToast({ text: answer.refusal.text });
}
