/**
 * Operations on agents as people read them: what is asked for, how far it is, what came of it, and what it would drop.
 * Pure. What a machine tells of them is text from outside: the page limits it.
 */
import type { Agent, Operation } from "../api/types";

export type OperationKind = Operation["kind"];
export type StepName = Operation["steps"][number]["name"];
/** On an agent that is there. */
export type AgentAct = Exclude<OperationKind, "start">;

interface KindWords {
  icon: string;
  /** As something that one asks for: "Queued: restart". */
  asked: string;
  /** While it runs. */
  doing: string;
  /** After "Delivered". */
  done: string;
  /** In a menu, and as the start of a title. */
  act: string;
}

const KINDS: Readonly<Record<OperationKind, KindWords>> = {
  start: { icon: "plus", asked: "start", doing: "Starting", done: "started", act: "Start" },
  restart: { icon: "refresh", asked: "restart", doing: "Restarting, same session", done: "restarted, same session", act: "Restart, same session" },
  fresh: { icon: "fresh", asked: "fresh session", doing: "Changing to a fresh session", done: "fresh session; the old chat stays readable", act: "Fresh session" },
  stop: { icon: "stop", asked: "stop", doing: "Stopping", done: "stopped", act: "Stop" },
  close: { icon: "close", asked: "close", doing: "Closing", done: "closed", act: "Close" },
  rename: { icon: "edit", asked: "rename", doing: "Renaming", done: "renamed", act: "Rename" },
  move: { icon: "move", asked: "move", doing: "Moving", done: "moved", act: "Move to another account" },
};

/** A kind that is newer than this app is called by its name. */
export function kindWords(kind: OperationKind): KindWords {
  return KINDS[kind] ?? { icon: "info", asked: kind, doing: kind, done: kind, act: kind };
}

/** Each step before it began, while it runs, and when it is done. */
const STEPS: Readonly<Record<StepName, readonly [string, string, string]>> = {
  wait: ["Wait until it may begin", "Waiting until it may begin", "It may begin"],
  open: ["Open a new window", "Opening a new window", "Opened a new window"],
  stop: ["Quit the program", "Waiting for the program to quit", "The program has quit"],
  copy: ["Copy the session", "Copying the session", "Copied the session"],
  start: ["Start the program", "Waiting for its first screen", "It is up"],
  back: ["Go back to where it was", "Going back to where it was", "It is back where it was"],
  name: ["Give it its name", "Giving it its name", "It has its name"],
  close: ["Remove the old pane", "Removing the old pane", "The old pane is removed"],
};
const SAME_SESSION: readonly [string, string, string] = ["Resume the session", "Resuming the same session", "Resumed the same session"];

function stepWords(kind: OperationKind, name: StepName): readonly [string, string, string] {
  if (name === "start" && (kind === "restart" || kind === "move")) return SAME_SESSION;
  return STEPS[name] ?? [name, name, name];
}

export function isUnderWay(operation: Operation): boolean {
  return operation.state === "queued" || operation.state === "running";
}

/** Nothing was done to the agent yet, so it can be taken back without a trace. */
export function isWaiting(operation: Operation): boolean {
  return isUnderWay(operation) && operation.steps.every((step) => step.name === "wait" || step.state === "waiting");
}

/** Its machine does not have it yet: the hub holds it up, and says why, until the person answers. */
export function waitsForAnswer(operation: Operation): boolean {
  return operation.state === "queued" && (operation.steps[0]?.detail ?? "") !== "";
}

/** What is under way with this agent, the newest first. */
export function underWayOf(operations: Iterable<Operation>, agentId: string): Operation[] {
  return [...operations].filter((one) => one.agent_id === agentId && isUnderWay(one)).sort((one, other) => other.created_at_ms - one.created_at_ms);
}

/** When it was over: taking it back later changes it too. */
export function endMs(operation: Operation): number {
  const steps = operation.steps.filter((step) => step.state === "done" || step.state === "failed");
  return steps.length === 0 ? operation.created_at_ms : Math.max(...steps.map((step) => step.at_ms), operation.created_at_ms);
}

export interface StepView {
  key: string;
  look: "done" | "running" | "todo" | "failed";
  text: string;
  detail: string;
  /** Null: not yet. */
  atMs: number | null;
}

/** Steps that were left out are left out. What it waits for stands above all steps. */
export function stepViews(operation: Operation): StepView[] {
  const isHead = isWaiting(operation);
  return operation.steps.flatMap((step, at) => {
    if (step.state === "skipped") return [];
    const words = stepWords(operation.kind, step.name);
    const look = step.state === "waiting" ? "todo" : step.state;
    const text = look === "todo" || look === "failed" ? words[0] : look === "running" ? words[1] : words[2];
    return { key: `${at} ${step.name}`, look, text, detail: isHead ? "" : step.detail ?? "", atMs: look === "todo" || step.at_ms === 0 ? null : step.at_ms };
  });
}

export interface OperationWords {
  icon: string;
  tone: "plain" | "good" | "bad";
  /** "Delivered", "Failed", "Taken back", "Queued", "Waiting", "Running". */
  state: string;
  what: string;
  /** What was found or went wrong; "" when there is nothing to say. */
  more: string;
}

/** The head of its receipt. `machineAway`: the name of its machine while that cannot be reached. */
export function operationWords(operation: Operation, machineAway: string | null = null): OperationWords {
  const { icon, asked, doing, done } = kindWords(operation.kind);
  const target = targetWords(operation);
  if (isUnderWay(operation)) {
    const what = isWaiting(operation) ? asked + target : doing + target;
    if (machineAway !== null) return { icon: "hourglass", tone: "plain", state: "Queued", what, more: `${machineAway} is not reachable. It goes on when the machine is back.` };
    if (isWaiting(operation)) {
      const waitsFor = operation.steps.find((step) => (step.detail ?? "") !== "")?.detail ?? "";
      return { icon: "hourglass", tone: "plain", state: operation.state === "queued" ? "Queued" : "Waiting", what, more: waitsFor };
    }
    return { icon, tone: "plain", state: "Running", what, more: "" };
  }
  if (operation.state === "failed") {
    const error = operation.error ?? null;
    if (error?.code === "cancelled") return { icon: "undo", tone: "plain", state: "Taken back", what: asked + target, more: "Nothing was done to the agent." };
    const step = operation.steps.find((each) => each.state === "failed");
    const at = step === undefined ? "" : `, at “${stepWords(operation.kind, step.name)[0]}”`;
    return { icon: "warn", tone: "bad", state: "Failed", what: `${asked}${target}${at}`, more: error?.text ?? "" };
  }
  const rest = operation.kind === "move" ? ", same session" : "";
  const details = operation.steps.filter((step) => step.state === "done" && (step.detail ?? "") !== "").map((step) => step.detail ?? "");
  return { icon: "check", tone: "good", state: "Delivered", what: done + target + rest, more: details.join(" ") };
}

/** Where to, or which name; "" when there is none to say. */
function targetWords(operation: Operation): string {
  const { kind, args } = operation;
  if (kind === "rename" && args.name) return ` to “${args.name}”`;
  if (kind === "start" && args.name) return ` “${args.name}”`;
  const profile = operation.profile_name ?? args.profile ?? "";
  if (kind === "move" && profile !== "") return ` to ${folderName(profile)}`;
  return "";
}

/** The last part of a path; a word that is none stays. */
export function folderName(path: string): string {
  return path.replace(/\/+$/, "").split("/").pop() || path;
}

/** Who asked for it: the person is "you", on whatever device. */
export function askedBy(by: string): string {
  const [kind = "", ...rest] = by.split(":");
  if (kind === "device" || kind === "host") return "you";
  if (kind === "agent") return `agent ${rest.join(":")}`;
  return ["chief", "policy", "checker"].includes(kind) ? `the ${kind}` : kind;
}

/** Until when it can be taken back; null: it cannot be, or not any more. */
export function undoUntil(operation: Operation, nowMs: number): number | null {
  const until = operation.undo?.until_ms ?? null;
  return operation.state === "delivered" && operation.undone_by == null && until !== null && nowMs < until ? until : null;
}

/** Said of one that is done and has no Undo; "" for a restart, where there is nothing to undo. */
export function noUndoWords(operation: Operation): string {
  const isDone = operation.state === "delivered" && operation.kind !== "restart" && operation.undone_by == null;
  return isDone && operation.undo == null ? "It cannot be undone." : "";
}

/** What ending the agent now would drop, as far as it can be seen from here. Its machine looks again. */
export function lossesOf(agent: Agent): string[] {
  if (agent.activity === "gone") return [];
  return [
    agent.activity === "working" || agent.activity === "blocked" ? "its running turn" : "",
    agent.helpers > 0 ? (agent.helpers === 1 ? "1 helper" : `${agent.helpers} helpers`) : "",
    agent.waiting_for == null ? "" : "its open dialog",
  ].filter((loss) => loss !== "");
}

/** What is said before it is dropped. An unsent text stands on the agent's own screen only. */
export function dropWords(losses: readonly string[]): string {
  return `This drops ${listed(losses)}, and any unsent text in its own input line.`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}

/** Which acts make sense for it, in the order of a menu. */
export function actsFor(agent: Agent): AgentAct[] {
  return agent.activity === "gone" ? ["restart", "fresh", "rename", "close"] : ["rename", "move", "restart", "fresh", "stop", "close"];
}

/** The words of an act in a menu. What is gone is not restarted but started again. */
export function actLabel(kind: AgentAct, agent: Agent): string {
  if (agent.activity === "gone" && kind === "restart") return "Start it again, same session";
  return kind === "stop" ? "Stop the agent" : kind === "close" ? "Close it" : kindWords(kind).act;
}

/** What will happen, step by step. */
export function planOf(kind: AgentAct, agent: Agent, target: string): string[] {
  const isGone = agent.activity === "gone";
  const quit = isGone ? [] : ["It is asked to quit. It is never killed"];
  switch (kind) {
    case "rename": return ["The agent and its window get the new name", "The chat stays the same"];
    case "stop": return [...quit, "Its pane and its chat stay"];
    case "close": return [...quit, "Its pane goes, if nothing else runs in it", "It leaves the list. Its chat stays readable"];
    case "restart": return [...quit, "The same session goes on in a new window", "The window gets its name. The chat stays the same"];
    case "fresh": return [...quit, "A new session begins in a new window", "The window gets its name. The old chat stays readable"];
    case "move": return [...quit, `The session and its files are copied to ${target || "the other account"}, and compared`, "The same session goes on there, in a new window", "The window gets its name. The chat stays the same"];
  }
}

/** Only its machine knows what there was to go back to: the control room says it once it is done. */
const RECEIPT_SAYS = "Its receipt says whether you can undo it, and until when.";

/** What is said below the plan. */
export function planNote(kind: AgentAct): string {
  switch (kind) {
    case "restart": return "There is nothing to undo in a restart.";
    case "move": return `Nothing at the old place is deleted. When it does not come up there, it goes on where it was. ${RECEIPT_SAYS}`;
    default: return RECEIPT_SAYS;
  }
}
