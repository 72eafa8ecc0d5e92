/** Nouns of the API for tests: whole, with what a test wants to be different. */
import type { Account, AccountWindow, Agent, Device, Fleet, Machine, Message, Operation, Question, QuestionStep, Receipt } from "../api/types";
import type { StoreEvent } from "./state";

export function agent(id: string, change: Partial<Agent> = {}): Agent {
  return {
    id, chat_id: id.replace("agt", "cht"), name: id, kind: "claude", machine_id: "mac_1", activity: "working",
    since_ms: 1_000, evidence: { rule: "open turn", source: "transcript", detail: "", at_ms: 1_000 }, helpers: 0, unread: 0,
    ...change,
  };
}

export function machine(id: string, change: Partial<Machine> = {}): Machine {
  return { id, name: id, primary: true, online: true, last_seen_ms: 1_000, version: "0.1.0", capabilities: [], ...change };
}

export function fleet(seq: number, agents: Agent[], machines: Machine[] = [machine("mac_1")]): Fleet {
  return { seq, agents, machines };
}

export function message(id: string, change: Partial<Message> = {}): Message {
  return {
    id, chat_id: "cht_1", agent_id: "agt_1", text: "hello", state: "accepted", when: "idle", as: "text", on_draft: "wait",
    by: "device:dev_1", created_at_ms: 100, changed_at_ms: 100, ...change,
  };
}

export function receipt(seq: number, change: Partial<Receipt> = {}): Receipt {
  return { seq, id: `rct_${seq}`, at_ms: seq, by: "device:dev_1", what: "keys", code: "ok", text: "Pressed Escape.", ...change };
}

export function question(id: string, change: Partial<Question> = {}): Question {
  return {
    id, agent_id: "agt_1", chat_id: "cht_1", state: "open", source: "block", question: "Per tenant or per key?",
    options: [{ key: "1", label: "Per tenant", what: "Two customers see lower limits.", recommended: true }, { key: "2", label: "Per key" }],
    multi: false, blocking: false, asked_at_ms: 1_000, history: [questionStep("open", 1_000, "agent:agt_1")], free_text: true,
    ...change,
  };
}

export function questionStep(state: QuestionStep["state"], at_ms: number, by: string, change: Partial<QuestionStep> = {}): QuestionStep {
  return { state, at_ms, by, why: "Because.", ...change };
}

/** The same question after one more step. */
export function closed(before: Question, state: QuestionStep["state"], at_ms: number, by: string, change: Partial<Question> = {}): Question {
  return { ...before, state, history: [...before.history, questionStep(state, at_ms, by)], ...change };
}

export function device(id: string, change: Partial<Device> = {}): Device {
  return {
    id, prefix: "abcdefgh", kind: "web", name: id, device_id: id, created_ms: 1, last_seen_ms: 2, expires_ms: null,
    grants: { chat: null }, ...change,
  };
}

export function account(id: string, change: Partial<Account> = {}): Account {
  return { id, kind: "claude", name: id.replace("acc_", ""), login: "ok", profiles: [], windows: [], ...change };
}

export function accountWindow(length_minutes: number, used_pct: number | null, change: Partial<AccountWindow> = {}): AccountWindow {
  return {
    name: length_minutes === 10_080 ? "week" : "5 hours", length_minutes, used_pct, resets_at_ms: null, taken_at_ms: 1_000, source: "endpoint",
    state: "fresh", ...change,
  };
}

/** Asked for by a device and under way, unless it is said otherwise. */
export function operation(id: string, change: Partial<Operation> = {}): Operation {
  return {
    id, seq: 1, kind: "restart", machine_id: "mac_1", state: "running", args: {}, why: "It has lost its way.", by: "device:dev_1", created_at_ms: 1_000,
    changed_at_ms: 1_000, agent_id: "agt_1", agent_name: "shop", ...change, steps: change.steps ?? [],
  };
}

export function event(seq: number, name: string, data: unknown): StoreEvent {
  return { type: "event", seq, atMs: seq, name, data };
}
