/** Asks the hub about operations, and for them. What it answers goes into the state, as what it tells by itself does. */
import type { Answer, Refusal } from "../api/http";
import type { AskOperation, Operation, Operations } from "../api/types";
import { readOperation } from "../store/read";
import { newId, type Room } from "./room";

const PAGE = 100;
const epochs = new WeakMap<Room, number>();

/** The newest operations, once for each fleet. */
export async function loadOperations(room: Room): Promise<void> {
  const { epoch } = room.state.peek();
  if (epoch === 0 || epochs.get(room) === epoch) return;
  epochs.set(room, epoch);
  const answer = await room.http.request<Operations>("GET", "/operations", { query: { before: Number.MAX_SAFE_INTEGER, limit: PAGE } });
  if (answer.ok && Array.isArray(answer.value.operations)) {
    room.tell({ type: "operations", operations: answer.value.operations.map(readOperation).filter((one) => one !== null) });
  } else epochs.delete(room);
}

/** Asks for an operation. The same body again, with the same id, is the same operation. */
export async function askFor(room: Room, body: AskOperation): Promise<Answer<Operation>> {
  return told(room, await room.http.request<Operation>("POST", "/operations", { body }));
}

const takingBack = new Map<string, string>();

/** Takes it back; asked again after a lost answer, and only then, it is the same request. Null: the hub has taken it on. */
export async function takeBack(room: Room, operation: Operation): Promise<Refusal | null> {
  const requestId = takingBack.get(operation.id) ?? newId("req");
  takingBack.set(operation.id, requestId);
  const body = { request_id: requestId, why: "Taken back from its receipt." };
  const answer = told(room, await room.http.request<Operation>("POST", `/operations/${encodeURIComponent(operation.id)}/undo`, { body, withinMs: 45_000 }));
  if (answer.ok || answer.refusal.status !== 0) takingBack.delete(operation.id); // one that fails may be asked for anew
  return answer.ok ? null : answer.refusal;
}

function told(room: Room, answer: Answer<Operation>): Answer<Operation> {
  if (!answer.ok) return answer;
  const operation = readOperation(answer.value);
  if (operation === null) return { ok: false, refusal: { code: "garbage", text: "The answer is not the control room’s.", status: 0 } };
  room.tell({ type: "operations", operations: [operation] });
  return { ok: true, value: operation };
}
