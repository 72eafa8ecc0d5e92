/**
 * Agents as the list shows them: lamp, word and words of each state, groups, order, counts, search and filters.
 *
 * Pure: the clock comes in as an argument, and texts are cut but not made safe for the page (kit/text.ts).
 * What depends on the agent alone is remembered for each agent object, which never changes.
 */
import type { Activity, Agent, Machine } from "../api/types";
import { asShown, hasCard, NO_QUESTIONS, openOf, type Asked } from "./questions";

export type Lamp = "fault" | "blocked" | "question" | "working" | "helpers" | "done" | "unknown" | "starting" | "idle" | "gone";
export type GroupKind = "needs" | "finished" | "working" | "unknown" | "idle" | "gone";

/** How an agent stands (design, table of states; the first that fits). */
export interface Standing {
  lamp: Lamp;
  word: string;
  group: GroupKind;
  /** Since when it stands like this: what its age counts from. */
  sinceMs: number;
  /** What it wants or does, one line. Empty when nothing is known. */
  say: string;
  /** While it is not known: what it did last. */
  was: { word: string; atMs: number } | null;
}

/** Words in a row are cut to this many characters; two lines show fewer. */
export const SAY_LIMIT = 300;

const BLOCKED_WORDS: Readonly<Record<string, string>> = {
  permission: "Permission needed",
  picker: "Choice needed",
  plan: "Plan to approve",
  startup: "Start-up prompt",
  limit: "Choice at limit",
};

const WAS_WORDS: Readonly<Record<Activity, string>> = {
  blocked: "stopped at a prompt",
  question: "asking you",
  working: "working",
  helpers: "waiting on helpers",
  idle: "idle",
  starting: "starting",
  unknown: "not known",
  gone: "gone",
};

const standings = new WeakMap<Agent, Standing>();

/** The state of the design's table that fits first. */
export function standingOf(agent: Agent): Standing {
  const known = standings.get(agent);
  if (known !== undefined) return known;
  const made = makeStanding(agent);
  standings.set(agent, made);
  return made;
}

function makeStanding(agent: Agent): Standing {
  const make = (lamp: Lamp, word: string, group: GroupKind, sinceMs: number, say: string): Standing =>
    ({ lamp, word, group, sinceMs, say: oneLine(say), was: null });
  if (agent.fault) return make("fault", "Fault", "needs", agent.fault.since_ms, agent.fault.text);
  switch (agent.activity) {
    case "blocked": {
      const waiting = agent.waiting_for;
      const word = (waiting && BLOCKED_WORDS[waiting.kind]) ?? "Waits for you";
      return make("blocked", word, "needs", waiting?.since_ms ?? agent.since_ms, waiting ? inParts(waiting.text) : agent.evidence.detail);
    }
    case "question":
      return make("question", "Question for you", "needs", agent.since_ms, agent.evidence.detail);
    case "working":
      return make("working", "Working", "working", agent.since_ms, agent.header ?? lastWords(agent));
    case "helpers":
      return make("helpers", "Waiting on helpers", "working", agent.since_ms, helperWords(agent));
  }
  if (agent.finished && agent.activity !== "gone") {
    return make("done", "Finished", "finished", agent.finished.at_ms, agent.finished.text);
  }
  switch (agent.activity) {
    case "starting":
      return make("starting", "Starting", "working", agent.since_ms, sentence(agent.evidence.detail));
    case "idle":
      return make("idle", "Idle", "idle", agent.since_ms, lastWords(agent));
    case "gone":
      return make("gone", "Gone", "gone", agent.since_ms, sentence(agent.evidence.detail));
    default: {
      const was = agent.was ? { word: WAS_WORDS[agent.was.activity] ?? WAS_WORDS.unknown, atMs: agent.was.at_ms } : null;
      return { ...make("unknown", "Not known", "unknown", agent.since_ms, sentence(agent.evidence.detail)), was };
    }
  }
}

function helperWords(agent: Agent): string {
  const count = `Waiting on ${agent.helpers} ${agent.helpers === 1 ? "helper" : "helpers"}`;
  const more = agent.header ?? lastWords(agent);
  return more === "" ? count : `${count}: ${more}`;
}

function lastWords(agent: Agent): string {
  if (!agent.last || agent.last.text === "") return "";
  return agent.last.author === "user" ? `You: ${agent.last.text}` : agent.last.text;
}

/** The parts of a dialog told apart in one line. */
function inParts(text: string): string {
  return text.slice(0, SAY_LIMIT * 4).trim().split(/\n\s*\n/).join(" · ");
}

function oneLine(text: string): string {
  const line = text.slice(0, SAY_LIMIT * 4).replace(/\s+/g, " ").trim();
  return line.length > SAY_LIMIT ? `${line.slice(0, SAY_LIMIT - 1)}…` : line;
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

// --- what counts where ---------------------------------------------------------------------------------

/** Whether a person has to look at it now: it is listed, its machine can be reached, and it is stopped or asks. */
export function waits(agent: Agent, machines: ReadonlyMap<string, Machine>): boolean {
  return !agent.archived && !isAway(agent, machines) && standingOf(agent).group === "needs";
}

/** Each waiting thing counts once: questions and pickers at the Inbox, other prompts and faults at Agents. */
export function asks(agent: Agent): boolean {
  const { lamp } = standingOf(agent);
  return lamp === "question" || (lamp === "blocked" && agent.waiting_for?.kind === "picker");
}

export interface Counts {
  /** Stopped by a prompt or a fault: the badge of Agents. */
  stopped: number;
  /** Open questions: the badge of Inbox. */
  questions: number;
  /** Both. */
  waiting: number;
  /**
   * The number at the app's icon, counted as the hub counts it for pushes (core/notify/badge.py; the same table of cases
   * tests both): open questions, and agents that are stopped. A reply whose question the hub does not know as open is neither.
   */
  needs: number;
  /** The longest of them waits since then; null when none does. */
  longestSinceMs: number | null;
  /** Listed agents with something unread. */
  unread: number;
}

/** Each thing once: an open question is counted as itself and not as its agent too. */
export function countsOf(agents: ReadonlyMap<string, Agent>, machines: ReadonlyMap<string, Machine>, asked: Asked = NO_QUESTIONS): Counts {
  const counts: Counts = { stopped: 0, questions: 0, waiting: 0, needs: 0, longestSinceMs: null, unread: 0 };
  const count = (what: "stopped" | "questions", sinceMs: number): void => {
    counts[what] += 1;
    counts.waiting += 1;
    counts.longestSinceMs = counts.longestSinceMs === null ? sinceMs : Math.min(counts.longestSinceMs, sinceMs);
  };
  for (const question of openOf(asked)) count("questions", question.asked_at_ms);
  counts.needs = counts.questions;
  for (const agent of asShown(agents, asked).values()) {
    if (agent.archived) continue;
    if (agent.unread > 0) counts.unread += 1;
    if (!waits(agent, machines) || (asks(agent) && hasCard(asked, agent))) continue;
    count(asks(agent) ? "questions" : "stopped", standingOf(agent).sinceMs);
    if (standingOf(agent).lamp !== "question") counts.needs += 1;
  }
  return counts;
}

/** Those that wait for a person, the longest first. */
export function waiting(agents: ReadonlyMap<string, Agent>, machines: ReadonlyMap<string, Machine>, asked: Asked = NO_QUESTIONS): Agent[] {
  return [...asShown(agents, asked).values()].filter((agent) => waits(agent, machines)).sort(inOrder("needs"));
}

export function isAway(agent: Agent, machines: ReadonlyMap<string, Machine>): boolean {
  return machines.get(agent.machine_id)?.online !== true;
}

// --- search and filters --------------------------------------------------------------------------------

export type Filter =
  | { by: "all" }
  | { by: "unread" }
  | { by: "archived" }
  | { by: "machine"; id: string }
  | { by: "kind"; kind: string };

export const ALL: Filter = { by: "all" };

export function isSameFilter(a: Filter, b: Filter): boolean {
  return nameOf(a) === nameOf(b);
}

function nameOf(filter: Filter): string {
  return `${filter.by} ${filter.by === "machine" ? filter.id : filter.by === "kind" ? filter.kind : ""}`;
}

/** Whether the list shows an agent under this filter. Archived ones stand under their own filter only. */
export function passes(agent: Agent, filter: Filter): boolean {
  if (filter.by === "archived") return agent.archived === true;
  if (agent.archived) return false;
  switch (filter.by) {
    case "all": return true;
    case "unread": return agent.unread > 0;
    case "machine": return agent.machine_id === filter.id;
    case "kind": return agent.kind === filter.kind;
  }
}

export interface FilterChoice {
  filter: Filter;
  label: string;
  count: number;
}

/** The filters that make sense for this fleet, each with how many agents it shows. */
export function filtersOf(agents: readonly Agent[], machines: ReadonlyMap<string, Machine>): FilterChoice[] {
  const present = [...machines.values()].filter((machine) => agents.some((agent) => agent.machine_id === machine.id));
  const kinds = [...new Set(agents.map((agent) => agent.kind))].sort();
  const choices: [Filter, string][] = [
    [ALL, "All"],
    [{ by: "unread" }, "Unread"],
    ...(present.length > 1 ? present : []).map((machine): [Filter, string] => [{ by: "machine", id: machine.id }, machine.name]),
    ...(kinds.length > 1 ? kinds : []).map((kind): [Filter, string] => [{ by: "kind", kind }, kindName(kind)]),
    [{ by: "archived" }, "Archived"],
  ];
  return choices
    .map(([filter, label]) => ({ filter, label, count: agents.filter((agent) => passes(agent, filter)).length }))
    .filter((choice) => choice.count > 0 || choice.filter.by === "all" || choice.filter.by === "unread");
}

/** The name of a kind of agent for people: `claude` is Claude. */
export function kindName(kind: string): string {
  return sentence(kind);
}

/**
 * An account's profile for people: `~/.claude-work` is "work". Nothing for the usual folder of its kind, and for one
 * that says nothing by its name.
 */
export function profileName(agent: Agent): string {
  const last = (agent.profile ?? "").replace(/\/+$/, "").split("/").at(-1) ?? "";
  const name = last.replace(/^\.+/, "");
  if (name === agent.kind || /^(config|home|\.?)$/.test(name) && agent.profile?.includes("/")) return "";
  return name.startsWith(`${agent.kind}-`) ? name.slice(agent.kind.length + 1) : name;
}

const searched = new WeakMap<Agent, string>();

/** Whether an agent has all words of a search in its name, folder, machine, profile, kind, status or last words. */
export function matches(agent: Agent, machineName: string, search: string): boolean {
  const words = plain(search).split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return true;
  let text = searched.get(agent);
  if (text === undefined) {
    text = plain([
      agent.name, agent.folder, agent.profile, agent.branch, agent.kind, agent.header, agent.last?.text, standingOf(agent).say,
    ].filter((part) => part != null).map((part) => part.slice(0, 1000)).join("\n"));
    searched.set(agent, text);
  }
  const all = `${text}\n${plain(machineName)}`;
  return words.every((word) => all.includes(word));
}

function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

// --- groups and order ----------------------------------------------------------------------------------

export interface Group {
  /** Unlike all others: the kind, or the machine that is away. */
  id: string;
  kind: GroupKind | "away" | "archived";
  title: string;
  /** The machine that cannot be reached. */
  machine: Machine | null;
  agents: readonly Agent[];
}

const TITLES: Readonly<Record<GroupKind, string>> = {
  needs: "Needs you",
  finished: "Finished, not looked at",
  working: "Working",
  unknown: "Not known",
  idle: "Idle",
  gone: "Gone",
};

const KINDS = Object.keys(TITLES) as GroupKind[];

/**
 * The groups of the list in their order, without empty ones. Agents of a machine that cannot be reached stand in
 * a group of its own at the end: what they do now is not known, so none of them waits.
 */
export function arrange(
  agents: Iterable<Agent>, machines: ReadonlyMap<string, Machine>, filter: Filter = ALL, search = "",
): Group[] {
  const byKind = new Map<GroupKind, Agent[]>(KINDS.map((kind) => [kind, []]));
  const away = new Map<string, Agent[]>();
  const archived: Agent[] = [];
  for (const agent of agents) {
    const machine = machines.get(agent.machine_id);
    if (!passes(agent, filter) || !matches(agent, machine?.name ?? "", search)) continue;
    if (filter.by === "archived") archived.push(agent);
    else if (isAway(agent, machines)) away.set(agent.machine_id, [...(away.get(agent.machine_id) ?? []), agent]);
    else byKind.get(standingOf(agent).group)?.push(agent);
  }
  const groups: Group[] = KINDS.map((kind) => ({
    id: kind, kind, title: TITLES[kind], machine: null, agents: (byKind.get(kind) ?? []).sort(inOrder(kind)),
  }));
  const lost = [...away].map(([id, there]): Group => {
    const machine = machines.get(id) ?? null;
    const title = `${machine?.name ?? "Its machine"} is not reachable`;
    return { id: `away ${id}`, kind: "away", title, machine, agents: there.sort(inOrder("idle")) };
  });
  lost.sort((a, b) => compare(a.title, b.title) || compare(a.id, b.id));
  const kept: Group = { id: "archived", kind: "archived", title: "Archived", machine: null, agents: archived.sort(inOrder("idle")) };
  return [...groups, ...lost, kept].filter((group) => group.agents.length > 0);
}

/** Pinned first; then who waits longest, elsewhere who changed last. Nothing but stable facts: rows stay where they are. */
function inOrder(kind: GroupKind): (a: Agent, b: Agent) => number {
  const sign = kind === "needs" ? 1 : -1;
  return (a, b) =>
    Number(b.pinned === true) - Number(a.pinned === true)
    || sign * (standingOf(a).sinceMs - standingOf(b).sinceMs)
    || compare(a.name, b.name)
    || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// --- nothing moves by itself ---------------------------------------------------------------------------

/** The groups that are shown, with what is known now of each agent, and nothing in another place. */
export function held(shown: readonly Group[], agents: ReadonlyMap<string, Agent>): Group[] {
  return shown.map((group) => ({ ...group, agents: group.agents.map((agent) => agents.get(agent.id) ?? agent) }));
}

/** Agents that changed their place between two arrangements, by id. `arrived`: those among them that came from another group, or from nowhere. */
export interface Moves {
  moved: ReadonlySet<string>;
  arrived: ReadonlySet<string>;
}

export const NO_MOVES: Moves = { moved: new Set(), arrived: new Set() };

export function movesBetween(before: readonly Group[], after: readonly Group[]): Moves {
  const old = places(before);
  const moved = new Set<string>();
  const arrived = new Set<string>();
  for (const [id, place] of places(after)) {
    const was = old.get(id);
    if (was?.group !== place.group) arrived.add(id);
    if (was?.group !== place.group || was.at !== place.at) moved.add(id);
  }
  return { moved, arrived };
}

/** Whether two arrangements show the same agents in the same places. */
export function isSameOrder(a: readonly Group[], b: readonly Group[]): boolean {
  return a.length === b.length && a.every((group, at) => {
    const other = b[at];
    return other !== undefined && other.id === group.id && other.agents.length === group.agents.length
      && group.agents.every((agent, row) => agent.id === other.agents[row]?.id);
  });
}

/** `at`: how far down the list a row stands, headings included. */
function places(groups: readonly Group[]): Map<string, { group: string; at: number }> {
  const found = new Map<string, { group: string; at: number }>();
  let at = 0;
  for (const group of groups) {
    at += 1;
    for (const agent of group.agents) found.set(agent.id, { group: group.id, at: at++ });
  }
  return found;
}
