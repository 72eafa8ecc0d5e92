/**
 * Accounts as the Usage view tells them. Pure: times come in, and the words for spans and clocks too.
 *
 * Unknown is not zero. A window whose reset has passed is full again. What was not read for a while is a lower
 * bound, and says so; the hub's word for it may be half a minute old, so the same rules are looked at here.
 */
import type { Account, AccountWindow, Agent, Machine, PolicyAdvice, PolicyReport, Profile } from "../api/types";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DAY_MINUTES = 1_440;
/** The hub's too (core/usage.py): beyond it a reading is old. */
export const FRESH_MS = 15 * MINUTE_MS;
/** The rules of the hub without settings; what its policy says counts. */
export const USUAL_MINIMA: Minima = { weekPct: 3, shortPct: 10 };

/** What has to be left of an account, in percent: of a day and longer, and of less. */
export interface Minima {
  weekPct: number;
  shortPct: number;
}

/** Times in words. */
export interface Times {
  nowMs: number;
  span(ms: number): string;
  clock(ms: number): string;
}

export type TagKind = "plain" | "strong" | "fault";

export interface Mark {
  kind: TagKind;
  text: string;
}

export interface WindowView {
  key: string;
  name: string;
  /** Null: unknown. */
  usedPct: number | null;
  /** `64 %`, `≥ 70 %`, `?`. */
  text: string;
  look: "plain" | "full" | "stale" | "none";
  /** The part that is kept in reserve, in percent. */
  reservePct: number | null;
  /** For the ear: the number and what it is worth. */
  said: string;
  /** When it resets and what is kept. */
  when: string;
  /** The age and source of its reading. */
  read: string;
}

const SOURCES: Readonly<Record<string, string>> = {
  endpoint: "usage endpoint",
  status_line: "status line",
  transcript: "transcript",
  rollout: "rollout file",
};

// --- windows --------------------------------------------------------------------------------------------

/** Whether a reset has passed of which the hub has not told yet. */
function isOver(win: AccountWindow, nowMs: number): boolean {
  return win.resets_at_ms !== null && win.resets_at_ms <= nowMs;
}

/** What is used of it now, in percent; null: unknown. */
export function usedOf(win: AccountWindow, nowMs: number): number | null {
  return isOver(win, nowMs) ? 0 : win.used_pct;
}

function isStale(win: AccountWindow, nowMs: number): boolean {
  return win.state !== "fresh" || nowMs - win.taken_at_ms > FRESH_MS;
}

export function windowView(account: Account, win: AccountWindow, times: Times): WindowView {
  const { nowMs } = times;
  const used = usedOf(win, nowMs);
  const isOld = isStale(win, nowMs);
  const name = win.name.charAt(0).toUpperCase() + win.name.slice(1);
  const reservePct = isWeek(win) && (win.scope ?? "") === "" && (account.reserve_pct ?? 0) > 0 ? (account.reserve_pct ?? null) : null;
  const view = { key: `${win.length_minutes} ${win.scope ?? ""}`, name, usedPct: used, reservePct, read: readWords(win, times) };
  const kept = reservePct === null ? "" : `${percent(reservePct)} kept in reserve`;
  if (used === null) {
    return { ...view, text: "?", look: "none", said: "not known", when: together("its reading says no number", win.resets_at_ms === null ? "" : resetWords(win, times), kept) };
  }
  if (used === 0 && (isOld || isOver(win, nowMs))) {
    return { ...view, text: "0 %", look: "plain", said: "0 % used", when: together("no use is known in this window, so it counts as full", kept) };
  }
  const isLeast = isOld && used < 100; // more than all cannot be used
  const when = together(resetWords(win, times), kept, isLeast ? oldWords(account) : "");
  const look = used >= 100 ? "full" : isOld ? "stale" : "plain";
  return { ...view, text: `${isLeast ? "≥ " : ""}${percent(used)}`, look, said: `${isLeast ? "at least " : ""}${percent(used)} used`, when };
}

function isWeek(win: AccountWindow): boolean {
  return win.length_minutes >= DAY_MINUTES;
}

function oldWords(account: Account): string {
  if (account.login === "idle") return "may be higher by now: its login is idle, an agent that uses it reads it again";
  if (account.login === "out") return "may be higher by now: nobody is signed in to read it";
  return "may be higher by now";
}

/** `resets in 1 h 48 min, at 16:00`; further ahead the day says it alone. */
function resetWords(win: AccountWindow, times: Times): string {
  const at = win.resets_at_ms;
  if (at === null) return "its reset is not known";
  return at - times.nowMs < DAY_MS ? `resets in ${times.span(at - times.nowMs)}, at ${times.clock(at)}` : `resets ${times.clock(at)}`;
}

function readWords(win: AccountWindow, times: Times): string {
  return `read ${times.span(times.nowMs - win.taken_at_ms)} ago, ${SOURCES[win.source] ?? "from a source that this version does not know"}`;
}

/** Whole percents, but never 0 or 100 for what is neither. */
export function percent(value: number): string {
  if (value > 0 && value < 1) return "< 1 %";
  if (value > 99 && value < 100) return "> 99 %";
  return `${Math.round(value)} %`;
}

function together(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

// --- accounts -------------------------------------------------------------------------------------------

/** By kind and name: nothing moves when numbers do. */
export function inOrder(accounts: Iterable<Account>): Account[] {
  return [...accounts].sort((one, other) => compare(one.kind, other.kind) || compare(one.name, other.name) || compare(one.id, other.id));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function heldUntil(account: Account, nowMs: number): number | null {
  const until = account.hold?.until_ms ?? null;
  return until !== null && until > nowMs ? until : null;
}

/** The window of all models that has the least left against what must be left. */
function standing(account: Account, minima: Minima, nowMs: number): "low" | "reserve" | null {
  let found: "reserve" | null = null;
  for (const win of account.windows) {
    const used = usedOf(win, nowMs);
    if (used === null || (win.scope ?? "") !== "") continue;
    const left = 100 - used;
    if (left <= (isWeek(win) ? minima.weekPct : minima.shortPct)) return "low";
    if (isWeek(win) && left < (account.reserve_pct ?? 0)) found = "reserve";
  }
  return found;
}

/** How old the oldest of its numbers is, in ms, when that is too old; null: each is fresh, or there is none. */
function oldestMs(account: Account, nowMs: number): number | null {
  const old = account.windows.filter((win) => usedOf(win, nowMs) !== null && isStale(win, nowMs)).map((win) => nowMs - win.taken_at_ms);
  return old.length === 0 ? null : Math.max(...old);
}

/** Whether a window of it is not known, or only as it was. */
function isUnread(account: Account, nowMs: number): boolean {
  return account.windows.length === 0 || account.windows.some((win) => usedOf(win, nowMs) === null || isStale(win, nowMs));
}

/** Where it is signed out, though it works elsewhere. */
function outAt(account: Account, profiles: readonly Profile[], machineName: (id: string) => string): string[] {
  const names = profiles.filter((profile) => profile.account === account.id && loginOf(profile) === "out").map((profile) => machineName(profile.machine_id));
  return [...new Set(names)];
}

export function loginOf(profile: Profile): NonNullable<Profile["login"]> {
  return profile.login ?? "out";
}

/** What has to be known at a glance, the worst first. */
export function marks(account: Account, profiles: readonly Profile[], minima: Minima, machineName: (id: string) => string, times: Times): Mark[] {
  const { nowMs } = times;
  const found: Mark[] = [];
  const until = heldUntil(account, nowMs);
  if (until !== null) found.push({ kind: "fault", text: `At its limit, held until ${times.clock(until)}` });
  const out = outAt(account, profiles, machineName);
  if (account.login === "out") found.push({ kind: "fault", text: out.length === 0 ? "Signed out" : `Signed out on ${out.join(" and ")}` });
  else if (out.length > 0) found.push({ kind: "fault", text: `Signed out on ${out.join(" and ")}` });
  if (account.paid?.is_in_use === true) found.push({ kind: "strong", text: "Paid extra usage runs" });
  const level = until === null ? standing(account, minima, nowMs) : null;
  if (level === "low") found.push({ kind: "strong", text: "Nearly used up" });
  if (level === "reserve") found.push({ kind: "strong", text: "Inside its reserve" });
  const ends = account.login_ends_ms ?? null;
  if (account.login !== "out" && ends !== null && hasSoon(account, profiles, nowMs)) {
    found.push({ kind: "strong", text: ends <= nowMs ? "Its login has ended" : `Login ends in ${times.span(ends - nowMs)}` });
  }
  if (account.login === "idle") found.push({ kind: "plain", text: "Idle login" });
  const oldest = oldestMs(account, nowMs);
  if (account.windows.length === 0) found.push({ kind: "plain", text: "No reading yet" });
  else if (oldest !== null && account.login !== "idle") found.push({ kind: "plain", text: `Reading is ${times.span(oldest)} old` });
  return found;
}

/** Whether a login of it ends soon: the account's own word is that of its best login only. */
function hasSoon(account: Account, profiles: readonly Profile[], nowMs: number): boolean {
  if (account.login === "ends_soon") return true;
  return profiles.some((profile) => profile.account === account.id && loginOf(profile) === "ends_soon" && (profile.login_ends_ms ?? 0) > nowMs);
}

export interface Counts {
  all: number;
  held: number;
  low: number;
  unread: number;
  out: number;
}

export function counts(accounts: readonly Account[], minima: Minima, nowMs: number): Counts {
  const count = (is: (account: Account) => boolean): number => accounts.filter(is).length;
  return {
    all: accounts.length,
    held: count((account) => heldUntil(account, nowMs) !== null),
    low: count((account) => heldUntil(account, nowMs) === null && standing(account, minima, nowMs) === "low"),
    unread: count((account) => isUnread(account, nowMs)),
    out: count((account) => account.login === "out"),
  };
}

/** `6 accounts` and what is the matter with some: `["1 held", "2 without a fresh reading"]`. */
export function countWords(found: Counts): { head: string; held: string; rest: string[] } {
  return {
    head: found.all === 1 ? "1 account" : `${found.all} accounts`,
    held: found.held === 0 ? "" : `${found.held} held`,
    rest: [
      found.low === 0 ? "" : `${found.low} nearly used up`,
      found.out === 0 ? "" : `${found.out} signed out`,
      found.unread === 0 ? "" : `${found.unread} without a fresh reading`,
    ].filter((part) => part !== ""),
  };
}

export function minimaOf(policy: PolicyReport | null): Minima {
  return policy === null ? USUAL_MINIMA : { weekPct: policy.rules.week_min_pct, shortPct: policy.rules.five_hours_min_pct };
}

/** What is known of paid usage beyond the plan; "": nothing that a person needs. */
export function paidWords(account: Account): string {
  const paid = account.paid ?? null;
  if (paid === null) return "";
  const spent = paid.used_cents == null ? "" : `${money(paid.used_cents)}${paid.limit_cents == null ? "" : ` of ${money(paid.limit_cents)}`} spent on it`;
  if (paid.is_in_use === true) return spent === "" ? "" : `Paid extra usage: ${spent}`; // its mark says the rest
  if (paid.is_enabled === true) return together("Goes on with paid extra usage when it is spent", spent);
  return "";
}

function money(cents: number): string {
  return (cents / 100).toFixed(2);
}

// --- who uses what ---------------------------------------------------------------------------------------

/** The account of each living agent: by the folder it runs in, else by what the hub's policy says of it. */
export function accountByAgent(agents: Iterable<Agent>, profiles: readonly Profile[], policy: PolicyReport | null): ReadonlyMap<string, string> {
  const byPlace = new Map(profiles.map((profile) => [place(profile.machine_id, profile.kind, profile.folder), profile.account ?? null]));
  const told = new Map((policy?.advice ?? []).map((advice) => [advice.agent_id, advice.account ?? null]));
  const found = new Map<string, string>();
  for (const agent of agents) {
    if (agent.activity === "gone") continue;
    const here = byPlace.get(place(agent.machine_id, agent.kind, agent.profile ?? ""));
    const id = here === undefined ? (told.get(agent.id) ?? null) : here;
    if (id !== null) found.set(agent.id, id);
  }
  return found;
}

function place(machineId: string, kind: string, folder: string): string {
  return [machineId, kind, folder].join("\u0000");
}

export interface Users {
  byAccount: ReadonlyMap<string, readonly Agent[]>;
  /** Living agents whose account is not known. */
  others: readonly Agent[];
}

/** Living agents by their account, by name. `known`: the accounts that are shown. */
export function usersOf(agents: Iterable<Agent>, known: ReadonlySet<string>, accountOf: ReadonlyMap<string, string>): Users {
  const byAccount = new Map<string, Agent[]>();
  const others: Agent[] = [];
  for (const agent of [...agents].sort((one, other) => compare(one.name, other.name) || compare(one.id, other.id))) {
    if (agent.activity === "gone") continue;
    const id = accountOf.get(agent.id);
    if (id === undefined || !known.has(id)) others.push(agent);
    else byAccount.set(id, [...(byAccount.get(id) ?? []), agent]);
  }
  return { byAccount, others };
}

/** The machines on which a profile holds it, the primary one first. */
export function machinesOf(account: Account, profiles: readonly Profile[], machines: ReadonlyMap<string, Machine>): string[] {
  const ids = new Set(profiles.filter((profile) => profile.account === account.id).map((profile) => profile.machine_id));
  return [...machines.values()].filter((machine) => ids.has(machine.id)).map((machine) => machine.name);
}

/** What the person types on its machine to sign in again; null: not known for its kind. */
export function signIn(profile: Profile): string | null {
  if (profile.kind === "claude") return /\/\.claude\/?$/.test(profile.folder) ? "claude /login" : `CLAUDE_CONFIG_DIR=${quoted(profile.folder)} claude /login`;
  if (profile.kind === "codex") return /\/\.codex\/?$/.test(profile.folder) ? "codex login" : `CODEX_HOME=${quoted(profile.folder)} codex login`;
  return null;
}

function quoted(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}

// --- what the policy would do ------------------------------------------------------------------------------

/** Agents of which the policy says the same, word for word. */
export interface SameAdvice {
  advice: PolicyAdvice;
  agents: readonly Agent[];
}

/** What would be done, in the policy's order; agents that stay are left out. */
export function advised(policy: PolicyReport, agents: ReadonlyMap<string, Agent>): SameAdvice[] {
  const found = new Map<string, { advice: PolicyAdvice; agents: Agent[] }>();
  for (const advice of policy.advice) {
    const agent = agents.get(advice.agent_id);
    if (advice.what === "stay" || agent === undefined) continue;
    const key = JSON.stringify([advice.what, advice.account, advice.to_profile, advice.when, advice.why, advice.sentences]);
    const same = found.get(key);
    if (same === undefined) found.set(key, { advice, agents: [agent] });
    else same.agents.push(agent);
  }
  return [...found.values()];
}

/** Whether the policy acts on this machine, or only says what it would do. */
export function actsOn(policy: PolicyReport, machineId: string): boolean {
  return !policy.paused && (policy.machines ?? []).some((machine) => machine.id === machineId && machine.automatic);
}

/** Moves that wait for a hand: the policy would do them, may not, and they are not `under way`. */
export function suggested(policy: PolicyReport, agents: ReadonlyMap<string, Agent>, profiles: readonly Profile[], underWay: ReadonlySet<string>): SameAdvice[] {
  return advised(policy, agents).flatMap(({ advice, agents: those }) => {
    const target = profiles.find((profile) => profile.id === advice.to_profile);
    if (advice.what !== "move" || target === undefined || advice.operation != null) return [];
    // What the policy said may be a minute old: who moves, or has moved, is left out.
    const left = those.filter((agent) => !actsOn(policy, agent.machine_id) && !underWay.has(agent.id) && agent.profile !== target.folder);
    return left.length === 0 ? [] : [{ advice, agents: left }];
  });
}

/** Stays the same while a suggestion means the same: numbers in its words may change. */
export function suggestionKey({ advice, agents }: SameAdvice): string {
  return JSON.stringify([advice.rule, advice.account, advice.to_profile, agents.map((agent) => agent.id).sort()]);
}

/** What becomes of the policy's opinion. */
export function policyNote(policy: PolicyReport): string {
  const names = (policy.machines ?? []).filter((machine) => machine.automatic).map((machine) => machine.name);
  if (names.length === 0) return "The usage rules only say what they would do: nothing is moved by them.";
  if (policy.paused) return "Everything is paused: nothing is moved by itself.";
  return `On ${names.join(" and ")} the usage rules move agents by themselves, each with a receipt. Elsewhere they only say what they would do.`;
}
