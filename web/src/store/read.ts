/**
 * What the hub says, looked at before it is believed: the fields that every view builds on are there and of
 * their kind. Unknown fields stay, unknown words of an activity mean `unknown`; null: this cannot be used.
 */
import type {
  Account, AccountGone, Agent, AgentGone, ChatHidden, ChatItems, Device, DeviceGone, Fleet, FromServer, Machine, Message, Notification, Operation, Paused, Question, Receipt,
} from "../api/types";

type Kind = "string" | "number" | "boolean" | "object" | "array";
type Shape = Readonly<Record<string, Kind>>;

const AGENT: Shape = {
  id: "string", chat_id: "string", name: "string", kind: "string", machine_id: "string", activity: "string",
  since_ms: "number", evidence: "object", helpers: "number", unread: "number",
};
const MACHINE: Shape = { id: "string", name: "string", online: "boolean", last_seen_ms: "number" };
const MESSAGE: Shape = { id: "string", chat_id: "string", agent_id: "string", text: "string", state: "string", changed_at_ms: "number" };
const RECEIPT: Shape = { seq: "number", id: "string", at_ms: "number", by: "string", what: "string", code: "string", text: "string" };
const DEVICE: Shape = { id: "string", name: "string", kind: "string", grants: "object" };
const NOTIFICATION: Shape = { id: "string", kind: "string", state: "string", at_ms: "number", title: "string", text: "string", open: "string" };
const HINT: Shape = { chat_id: "string", agent_id: "string", count: "number", last: "string" };
const HIDDEN: Shape = { chat_id: "string", is_hidden: "boolean" };
const QUESTION: Shape = {
  id: "string", agent_id: "string", chat_id: "string", state: "string", source: "string", question: "string", options: "array",
  multi: "boolean", blocking: "boolean", asked_at_ms: "number", history: "array",
};
const STEP: Shape = { state: "string", at_ms: "number", by: "string", why: "string" };
const ACCOUNT: Shape = { id: "string", kind: "string", name: "string", login: "string", profiles: "array", windows: "array" };
const WINDOW: Shape = { name: "string", length_minutes: "number", taken_at_ms: "number", source: "string", state: "string" };
const OPERATION: Shape = {
  id: "string", seq: "number", kind: "string", state: "string", steps: "array", args: "object", why: "string", by: "string",
  created_at_ms: "number", changed_at_ms: "number",
};
const ID: Shape = { id: "string" };

const ACTIVITIES: ReadonlySet<string> = new Set([
  "blocked", "gone", "helpers", "idle", "question", "starting", "unknown", "working",
] satisfies Agent["activity"][]);

export function readAgent(data: unknown): Agent | null {
  if (!fits<Agent>(data, AGENT)) return null;
  if (!hasDialog(data.waiting_for)) return null;
  return ACTIVITIES.has(data.activity) ? data : { ...data, activity: "unknown" };
}

export const readMachine = (data: unknown): Machine | null => (fits<Machine>(data, MACHINE) ? data : null);
export const readMessage = (data: unknown): Message | null => (fits<Message>(data, MESSAGE) ? data : null);
export const readReceipt = (data: unknown): Receipt | null => (fits<Receipt>(data, RECEIPT) ? data : null);
export const readDevice = (data: unknown): Device | null => (fits<Device>(data, DEVICE) ? data : null);
export const readNotification = (data: unknown): Notification | null => (fits<Notification>(data, NOTIFICATION) ? data : null);
export const readHint = (data: unknown): ChatItems | null => (fits<ChatItems>(data, HINT) ? data : null);
export const readHidden = (data: unknown): ChatHidden | null => (fits<ChatHidden>(data, HIDDEN) ? data : null);
export const readGone = (data: unknown): AgentGone | DeviceGone | AccountGone | null => (fits<AgentGone>(data, ID) ? data : null);

/** A question with halves of options or steps is none: a person decides by them. */
export function readQuestion(data: unknown): Question | null {
  if (!fits<Question>(data, QUESTION)) return null;
  const isWhole = data.options.every((option) => fits(option, { key: "string", label: "string" }))
    && data.history.length > 0 && data.history.every((step) => fits(step, STEP));
  return isWhole ? data : null;
}

/** A window that is half known is none, and then nothing of its account can be trusted. */
export function readAccount(data: unknown): Account | null {
  return fits<Account>(data, ACCOUNT) && data.windows.every((window) => fits(window, WINDOW)) ? data : null;
}

/** Half a step is none, and then nobody knows how far it is. */
export function readOperation(data: unknown): Operation | null {
  const step: Shape = { name: "string", state: "string", at_ms: "number" };
  return fits<Operation>(data, OPERATION) && data.steps.every((each) => fits(each, step)) ? data : null;
}

/** `{paused: null}`: it runs. */
export function readPaused(data: unknown): { paused: Paused | null } | null {
  if (!fits<{ paused?: unknown }>(data, {})) return null;
  const paused = data.paused ?? null;
  if (paused === null) return { paused: null };
  return fits<Paused>(paused, { since_ms: "number", by: "string" }) ? { paused } : null;
}

const FRAMES: Readonly<Record<string, Shape>> = {
  welcome: { seq: "number", protocol: "number", server_time_ms: "number", version: "string" },
  event: { seq: "number", at_ms: "number", name: "string" },
  resync: { fleet: "object" },
  items: { chat_id: "string", items: "array" },
  frame: { agent_id: "string", revision: "string", width: "number", height: "number", cursor: "object", data: "string" },
  ack: { request_id: "string" },
  ping: {},
  proof: { seq: "number", server_time_ms: "number" },
  error: { code: "string", text: "string" },
};

/** A frame of the live socket; one of an unknown type is given as it is, a newer hub may send it. */
export function readFrame(text: unknown): FromServer | null {
  if (typeof text !== "string") return null;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return null;
  }
  if (!fits<FromServer>(data, { type: "string" })) return null;
  return fits<FromServer>(data, (Object.hasOwn(FRAMES, data.type) ? FRAMES[data.type] : undefined) ?? {}) ? data : null;
}

/** A fleet; rows that cannot be used are left out and counted. */
export function readFleet(data: unknown): { fleet: Fleet; skipped: number } | null {
  if (!fits<Fleet>(data, { seq: "number", machines: "array", agents: "array" })) return null;
  const machines = data.machines.map(readMachine).filter((row) => row !== null);
  const agents = data.agents.map(readAgent).filter((row) => row !== null);
  const skipped = data.machines.length - machines.length + data.agents.length - agents.length;
  return { fleet: { seq: data.seq, machines, agents }, skipped };
}

/** Whether it is an object with these fields of these kinds. */
export function fits<T>(data: unknown, shape: Shape): data is T {
  if (kindOf(data) !== "object") return false;
  const fields = data as Record<string, unknown>;
  return Object.entries(shape).every(([name, kind]) => kindOf(fields[name]) === kind);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && !Number.isFinite(value) ? "not a number" : typeof value;
}

/** A dialog is answered by what it says here: half of one is none. */
function hasDialog(waiting: unknown): boolean {
  if (waiting === null || waiting === undefined) return true;
  if (!fits<{ options?: unknown }>(waiting, { id: "string", kind: "string", text: "string", since_ms: "number" })) return false;
  const options = waiting.options;
  if (options === null || options === undefined) return true;
  return Array.isArray(options) && options.every((option) => fits(option, { key: "string", label: "string", risky: "boolean" }));
}
