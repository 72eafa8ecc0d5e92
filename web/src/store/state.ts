/**
 * What this device knows of the control room, and how each frame of the live socket changes it.
 *
 * Pure: `apply(state, event)` gives the next state and touches nothing else. No DOM, no fetch, no clock: times
 * come in with the events. Unknown event names are counted and ignored (a newer hub may send them).
 *
 * Events count without gaps. One that does not follow the last is not applied: `store/link.ts` notices it and
 * gets what is missing. A new fleet begins a new `epoch`: whatever is not in a fleet (messages, receipts, devices,
 * hints) may have changed unseen, so it is dropped here and asked for anew by who shows it.
 */
import type { Account, Agent, ChatHidden, ChatItems, Device, Fleet, Item, Machine, Message, Notification, Operation, Paused, Question, Receipt } from "../api/types";
import { begun, changed, listed, NO_QUESTIONS, type Asked } from "./questions";
import {
  readAccount, readAgent, readDevice, readGone, readHidden, readHint, readMachine, readMessage, readNotification, readOperation, readPaused, readQuestion, readReceipt,
} from "./read";

/** How sure we are that what is shown is what is. */
export type Freshness =
  | { kind: "never" } // nothing was heard yet
  | { kind: "live" }
  | { kind: "stale"; sinceMs: number }; // the link is not proven since then, server's clock

/** What was hidden of a chat, or shown again, since this page was opened; the latest word for each counts. */
export interface Hides {
  /** Moves with each change: fetch what is shown again. */
  seq: number;
  items: ReadonlyMap<string, boolean>;
  /** Everything up to this time is hidden; null: nothing is; undefined: the chat as a whole was not spoken of. */
  beforeMs: number | null | undefined;
}

/** Accounts by id. `byId` null: nobody asked yet. */
export interface Accounts {
  byId: ReadonlyMap<string, Account> | null;
  /** Moves with each account that was told of: an answer that was asked for before may be older. */
  told: number;
}

export interface State {
  /** The last event that is in here; null before the first fleet. */
  seq: number | null;
  /** Moves with each whole fleet: what is not in a fleet has to be asked for anew. */
  epoch: number;
  freshness: Freshness;
  machines: ReadonlyMap<string, Machine>;
  agents: ReadonlyMap<string, Agent>;
  /** Messages of this session by id, as the hub sees them; the newest `MOST_MESSAGES`. */
  messages: ReadonlyMap<string, Message>;
  /** Newest hint of each chat that has new items. */
  hints: ReadonlyMap<string, ChatItems>;
  /** What was hidden, by chat. */
  hides: ReadonlyMap<string, Hides>;
  /** Oldest first; the newest `MOST_RECEIPTS`. */
  receipts: readonly Receipt[];
  /** Devices by id; null until asked for. */
  devices: ReadonlyMap<string, Device> | null;
  questions: Asked;
  accounts: Accounts;
  /** Operations by id, as the hub told of them; the newest `MOST_OPERATIONS`. */
  operations: ReadonlyMap<string, Operation>;
  /** Since when the control room rests: no default is used by itself. Null: it does not, as far as is known. */
  paused: Paused | null;
  /** The newest notification that went out, on whatever device; null: none since this page was opened. */
  told: Notification | null;
  /** Version that the hub says, null before `welcome`. */
  serverVersion: string | null;
  /** Events and rows that this version does not know or cannot read. */
  unknown: number;
}

export type StoreEvent =
  | { type: "welcome"; version: string }
  | { type: "fleet"; fleet: Fleet; skipped?: number }
  | { type: "event"; seq: number; atMs: number; name: string; data: unknown }
  | { type: "receipts"; receipts: readonly Receipt[] }
  | { type: "devices"; devices: readonly Device[] }
  | { type: "message"; message: Message }
  | { type: "questions"; questions: readonly Question[]; isWhole: boolean }
  | { type: "accounts"; accounts: readonly Account[] }
  | { type: "operations"; operations: readonly Operation[] }
  | { type: "paused"; paused: Paused | null }
  | { type: "freshness"; freshness: Freshness };

export const MOST_MESSAGES = 500;
export const MOST_RECEIPTS = 200;
export const MOST_OPERATIONS = 200;

export const EMPTY: State = {
  seq: null,
  epoch: 0,
  freshness: { kind: "never" },
  machines: new Map(),
  agents: new Map(),
  messages: new Map(),
  hints: new Map(),
  hides: new Map(),
  receipts: [],
  devices: null,
  questions: NO_QUESTIONS,
  accounts: { byId: null, told: 0 },
  operations: new Map(),
  paused: null,
  told: null,
  serverVersion: null,
  unknown: 0,
};

/** The state after one event. */
export function apply(state: State, event: StoreEvent): State {
  return applyAll(state, [event]);
}

/** The state after all of them: the same as one by one, and quick when thousands were missed. */
export function applyAll(state: State, events: Iterable<StoreEvent>): State {
  const draft = new Draft(state);
  for (const event of events) take(draft, event);
  return draft.next;
}

function take(draft: Draft, event: StoreEvent): void {
  const next = draft.next;
  switch (event.type) {
    case "welcome":
      draft.set({ serverVersion: event.version });
      return;
    case "fleet":
      draft.begin({
        ...EMPTY,
        seq: event.fleet.seq,
        epoch: next.epoch + 1,
        freshness: next.freshness,
        serverVersion: next.serverVersion,
        questions: begun(next.questions),
        accounts: next.accounts, // each reading says its age; whoever shows them asks anew
        paused: next.paused,
        unknown: next.unknown + (event.skipped ?? 0),
        machines: byId(event.fleet.machines),
        agents: byId(event.fleet.agents),
      });
      return;
    case "event":
      if (next.seq === null || event.seq !== next.seq + 1) return;
      draft.set({ seq: event.seq });
      if (kindOf(event.name)?.take(draft, event.data, event.seq) !== true) draft.set({ unknown: next.unknown + 1 });
      return;
    case "receipts":
      for (const receipt of event.receipts) addReceipt(draft, receipt);
      return;
    case "devices":
      draft.set({ devices: byId(event.devices) });
      return;
    case "message":
      addMessage(draft, event.message);
      return;
    case "questions":
      draft.set({ questions: listed(next.questions, event.questions, event.isWhole) });
      return;
    case "accounts":
      draft.set({ accounts: { byId: byId(event.accounts), told: next.accounts.told } });
      return;
    case "operations":
      for (const operation of event.operations) addOperation(draft, operation);
      return;
    case "paused":
      draft.set({ paused: event.paused });
      return;
    case "freshness":
      draft.set({ freshness: event.freshness });
      return;
    default:
      event satisfies never;
  }
}

/** How one kind of event changes the state. */
interface Kind {
  isReadable(data: unknown): boolean;
  /** False: its data cannot be read, nothing changed. */
  take(draft: Draft, data: unknown, seq: number): boolean;
}

const EVENTS: Readonly<Record<string, Kind>> = {
  "agent.changed": kind(readAgent, (draft, agent) => draft.map("agents").set(agent.id, agent)),
  "agent.gone": kind(readGone, (draft, { id }) => draft.map("agents").delete(id)),
  "machine.changed": kind(readMachine, (draft, machine) => draft.map("machines").set(machine.id, machine)),
  "message.changed": kind(readMessage, addMessage),
  "chat.items": kind(readHint, (draft, hint) => draft.map("hints").set(hint.chat_id, hint)),
  "chat.hidden": kind(readHidden, hide),
  "receipt.added": kind(readReceipt, addReceipt),
  "device.changed": kind(readDevice, (draft, device) => changeDevices(draft, (all) => all.set(device.id, device))),
  "question.changed": kind(readQuestion, (draft, question) => draft.set({ questions: changed(draft.next.questions, question) })),
  "pause.changed": kind(readPaused, (draft, { paused }) => draft.set({ paused })),
  "notification.changed": kind(readNotification, (draft, one) => (one.state === "pushed" && !one.told_by ? draft.set({ told: one }) : undefined)),
  "account.changed": kind(readAccount, (draft, account) => changeAccounts(draft, (all) => all.set(account.id, account))),
  "account.gone": kind(readGone, (draft, { id }) => changeAccounts(draft, (all) => all.delete(id))),
  "operation.changed": kind(readOperation, addOperation),
  "device.gone": kind(readGone, (draft, { id }) => changeDevices(draft, (all) => all.delete(id))),
};

function kind<T>(read: (data: unknown) => T | null, use: (draft: Draft, value: T, seq: number) => unknown): Kind {
  return {
    isReadable: (data) => read(data) !== null,
    take: (draft, data, seq) => {
      const value = read(data);
      if (value !== null) use(draft, value, seq);
      return value !== null;
    },
  };
}

/** Whether an event can be taken. False for a known name only: then what it changed is not known here. */
export function isReadable(name: string, data: unknown): boolean {
  return kindOf(name)?.isReadable(data) ?? true;
}

function kindOf(name: string): Kind | undefined {
  return Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined;
}

function changeDevices(draft: Draft, change: (devices: Map<string, Device>) => unknown): void {
  if (draft.next.devices === null) return; // nobody asked yet; whoever asks gets it all
  const devices = new Map(draft.next.devices);
  change(devices);
  draft.set({ devices });
}

function changeAccounts(draft: Draft, change: (accounts: Map<string, Account>) => unknown): void {
  const { byId: known, told } = draft.next.accounts;
  const accounts = new Map(known);
  change(accounts);
  draft.set({ accounts: { byId: known === null ? null : accounts, told: told + 1 } });
}

function hide(draft: Draft, hidden: ChatHidden, seq: number): void {
  const hides = draft.map("hides");
  hides.set(hidden.chat_id, hiddenBy(hides.get(hidden.chat_id), hidden, seq));
}

function hiddenBy(before: Hides | undefined, hidden: ChatHidden, seq: number): Hides {
  const items = new Map(before?.items);
  const itemId = hidden.item_id ?? null;
  if (itemId === null) return { seq, items, beforeMs: hidden.before_ms ?? null };
  items.set(itemId, hidden.is_hidden);
  return { seq, items, beforeMs: before?.beforeMs };
}

function addMessage(draft: Draft, message: Message): void {
  const known = draft.next.messages.get(message.id);
  // The answer of a request may come behind a newer event.
  if (known !== undefined && known.changed_at_ms > message.changed_at_ms) return;
  const messages = draft.map("messages");
  messages.delete(message.id);
  messages.set(message.id, message);
  for (const id of messages.keys()) {
    if (messages.size <= MOST_MESSAGES) break;
    messages.delete(id);
  }
}

function addReceipt(draft: Draft, receipt: Receipt): void {
  const receipts = draft.next.receipts;
  const last = receipts.at(-1);
  if (last === undefined || receipt.seq > last.seq) {
    draft.set({ receipts: [...receipts, receipt].slice(-MOST_RECEIPTS) });
  } else if (!receipts.some((one) => one.id === receipt.id)) {
    const sorted = [...receipts, receipt].sort((one, other) => one.seq - other.seq);
    draft.set({ receipts: sorted.slice(-MOST_RECEIPTS) });
  }
}

function addOperation(draft: Draft, operation: Operation): void {
  const known = draft.next.operations.get(operation.id);
  if (known !== undefined && known.seq >= operation.seq) return; // an answer may come behind a newer event
  const operations = draft.map("operations");
  operations.set(operation.id, operation);
  if (operations.size <= MOST_OPERATIONS) return;
  const oldest = [...operations.values()].reduce((one, other) => (one.seq < other.seq ? one : other));
  operations.delete(oldest.id);
}

function byId<T extends { id: string }>(rows: readonly T[]): ReadonlyMap<string, T> {
  return new Map(rows.map((row) => [row.id, row]));
}

type MapName = "machines" | "agents" | "messages" | "hints" | "hides" | "operations";
type Writable<M> = M extends ReadonlyMap<infer K, infer V> ? Map<K, V> : never;

/** A state under change: each map is copied at most once, whatever happens to it. */
class Draft {
  private readonly own = new Set<MapName>();

  constructor(public next: State) {}

  set(change: Partial<State>): void {
    this.next = { ...this.next, ...change };
  }

  begin(next: State): void {
    this.own.clear();
    this.next = next;
  }

  map<N extends MapName>(name: N): Writable<State[N]> {
    if (!this.own.has(name)) {
      this.own.add(name);
      this.set({ [name]: new Map<string, unknown>(this.next[name]) } as Partial<State>);
    }
    return this.next[name] as Writable<State[N]>;
  }
}

export type { Agent, Item, Machine, Message, Receipt };
