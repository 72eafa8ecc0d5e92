/**
 * The link to the hub as a machine: what happens comes in, what to do comes out. No socket, no clock, no dice here.
 *
 * Theory. One socket at a time; whatever comes from an older one is ignored. A socket is opened, says `hello` with the
 * last event we have, hears `welcome`, catches up (the missed events, or a whole fleet), and is then *live*. Only live
 * is fresh. `prove` asks over the same socket whether it lives and lost nothing: the hub's `proof` comes behind
 * every event that it counts, so another `seq` than ours means that something was lost. Asked now and then, at
 * each waking, and whenever somebody doubts. No proof in time, a gap, or data that cannot be read: the socket is given up
 * and the next one resumes behind what we surely have, or takes a whole fleet.
 *
 * A socket that does not even open says nothing about why: then the REST API is asked, which does.
 * A verdict (locked, not paired, no right, other protocol) stays until a `welcome` takes it back; there is no point in
 * knocking meanwhile, so only a person, a waking or the network's return does.
 *
 * Times are the hub's as far as they are known, in ms.
 */
import type { FromServer } from "../api/types";
import type { Refusal } from "../api/http";
import type { LinkState, WaitReason } from "./link-state";
import { readFleet } from "./read";
import { isReadable, type StoreEvent } from "./state";

export const PROTOCOL = 1;

/** How long each thing may take, in ms. */
export const OPEN_WITHIN_MS = 10_000; // a phone's first connection over a tailnet takes some seconds
export const ANSWER_WITHIN_MS = 15_000; // while greeting and catching up: silence, not the whole of it
export const PROOF_WITHIN_MS = 3_000; // the promise after a waking
export const GRACE_MS = 3_000; // until then a break is not told: most are over before
export const CHECK_WITHIN_MS = 8_000; // nobody waits for these; slow networks are not dead
export const CHECK_EVERY_MS = 10_000;
export const CHECK_EVERY_HIDDEN_MS = 60_000;
const FIRST_WAIT_MS = 300;
const WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

type Timer = "deadline" | "proof" | "check" | "retry" | "grace";
type Verdict = "locked" | "not_paired" | "not_allowed" | "outdated";
type Phase = "resting" | "opening" | "greeting" | "catching" | "live" | "proving" | "waiting";
type Thrown = Extract<FromServer, { type: "items" | "frame" | "ack" }>;

export interface Link {
  readonly phase: Phase;
  /** The newest socket. */
  readonly socket: number;
  /** The last event that is in the state. */
  readonly seq: number | null;
  /** What the hello of this socket asked for. */
  readonly after: number | null;
  /** Where catching up ends. */
  readonly target: number;
  /** Tell it in the past tense: not live for longer than the grace, while somebody looks. */
  readonly isOld: boolean;
  /** When what is shown was last proven, and when this phase began. */
  readonly provenMs: number;
  readonly phaseMs: number;
  /** Sockets in a row that were not live for a while. */
  readonly failures: number;
  /** What we have may be wrong: the next hello asks for everything. */
  readonly isDoubtful: boolean;
  readonly verdict: { kind: Verdict; text: string } | null;
  /** The last refusal that was heard on this socket; it counts if the socket then closes. */
  readonly refusal: { code: string; text: string } | null;
  readonly wait: { untilMs: number; why: WaitReason; text: string };
  readonly hasNetwork: boolean;
  readonly isVisible: boolean;
  /** Proofs asked for and heard on this socket, and who wants to know of which. */
  readonly asked: number;
  readonly heard: number;
  readonly marks: readonly { at: number; name: string }[];
}

export type LinkEvent =
  | { type: "start"; hasNetwork: boolean; isVisible: boolean }
  | { type: "opened"; socket: number }
  | { type: "frame"; socket: number; frame: FromServer | null } // null: not readable at all
  | { type: "closed"; socket: number; code: number; reason: string }
  | { type: "no_key" } // this browser holds no half of a login
  | { type: "timer"; name: Timer }
  | { type: "answer"; socket: number; answer: { ok: true; value: unknown } | { ok: false; refusal: Refusal } }
  | { type: "network"; has: boolean }
  | { type: "visible"; is: boolean }
  | { type: "prove" } // somebody doubts, or has just changed what the hub thinks of us
  | { type: "mark"; name: string }; // say `passed` when everything sent so far was obeyed

export type Effect =
  | { do: "open"; socket: number }
  | { do: "close"; socket: number }
  | { do: "hello"; socket: number; after: number | null }
  | { do: "send"; socket: number; frame: { type: "pong" } | { type: "prove" } }
  | { do: "set"; timer: Timer; inMs: number }
  | { do: "clear"; timer: Timer }
  | { do: "ask"; socket: number } // GET /fleet: what does the hub say?
  | { do: "store"; event: StoreEvent }
  | { do: "deliver"; frame: Thrown }
  | { do: "resume" } // live on a new socket: open and watch again
  | { do: "passed"; name: string }
  | { do: "gone" } // the socket is gone: frames are old, keys are not known to be pressed
  | { do: "dead" }; // it did not answer: most likely no connection of this browser carries anything any more

/** What the shell adds to each event: the hub's time, and a throw of the dice in [0, 1). */
export interface Moment {
  atMs: number;
  roll: number;
}

export type Step = readonly [Link, readonly Effect[]];

export const START: Link = {
  phase: "resting", socket: 0, seq: null, after: null, target: 0, provenMs: 0, phaseMs: 0, failures: 0, isDoubtful: false, isOld: false,
  verdict: null, refusal: null, wait: { untilMs: 0, why: "unreachable", text: "" }, hasNetwork: true, isVisible: true,
  asked: 0, heard: 0, marks: [],
};

export function step(link: Link, event: LinkEvent, moment: Moment): Step {
  if ("socket" in event && event.socket !== link.socket) return [link, []];
  switch (event.type) {
    case "start": {
      const begun = { ...link, hasNetwork: event.hasNetwork, isVisible: event.isVisible, provenMs: moment.atMs };
      return after([GRACE], open(begun, moment));
    }
    case "opened":
      return link.phase === "opening" ? greet(link, moment) : [link, []];
    case "frame":
      return take(link, event.frame, moment);
    case "closed":
      return closed(link, event, moment);
    case "no_key":
      return judged(link, "not_paired", "This browser is not paired here.", moment);
    case "timer":
      return timed(link, event.name, moment);
    case "answer":
      return answered(link, event.answer, moment);
    case "network":
      return doubt({ ...link, hasNetwork: event.has }, moment);
    case "visible": {
      const seen = { ...link, isVisible: event.is };
      if (!event.is) return [seen, []];
      return after(link.phase === "live" || link.isOld ? [] : [GRACE], doubt(seen, moment));
    }
    case "prove":
      return doubt(link, moment);
    case "mark":
      return mark(link, event.name);
    default:
      return event satisfies never;
  }
}

/** The link as people are told of it. */
export function linkState(link: Link): LinkState {
  const sinceMs = link.provenMs;
  if (link.verdict !== null) {
    const { kind, text } = link.verdict;
    return kind === "locked" || kind === "outdated" ? { kind, sinceMs } : { kind, sinceMs, text };
  }
  switch (link.phase) {
    case "live":
      return { kind: "live" };
    case "proving":
      return { kind: "proving", sinceMs };
    case "catching":
      return { kind: "catching", sinceMs, left: link.seq === null ? 0 : Math.max(0, link.target - link.seq) };
    case "waiting":
      return link.hasNetwork ? { kind: "waiting", sinceMs, ...link.wait } : { kind: "offline", sinceMs };
    default:
      return link.hasNetwork ? { kind: "connecting", sinceMs } : { kind: "offline", sinceMs };
  }
}

/** How long to wait before the next try: soon at first, then ever longer, and never all devices at once. */
export function waitMs(failures: number, roll: number): number {
  if (failures === 0) return Math.round(FIRST_WAIT_MS * roll);
  const longest = Math.min(LONGEST_WAIT_MS, WAIT_MS * 2 ** Math.min(failures, 10));
  return Math.round(longest * (0.5 + 0.5 * roll));
}

// ---- a socket's life ----------------------------------------------------------------------------------------

function open(link: Link, { atMs }: Moment): Step {
  const socket = link.socket + 1;
  const next: Link = { ...link, phase: "opening", phaseMs: atMs, socket, refusal: null, asked: 0, heard: 0, marks: [] };
  return [next, [
    { do: "clear", timer: "retry" },
    { do: "clear", timer: "proof" },
    { do: "clear", timer: "check" },
    { do: "set", timer: "deadline", inMs: OPEN_WITHIN_MS },
    { do: "open", socket },
  ]];
}

function greet(link: Link, { atMs }: Moment): Step {
  const after = link.isDoubtful ? null : link.seq;
  return [{ ...link, phase: "greeting", phaseMs: atMs, after }, [
    { do: "set", timer: "deadline", inMs: ANSWER_WITHIN_MS },
    { do: "hello", socket: link.socket, after },
  ]];
}

function take(link: Link, frame: FromServer | null, moment: Moment): Step {
  if (!isConnected(link)) return [link, []];
  if (frame === null) return giveUp({ ...link, isDoubtful: true }, GARBAGE, moment);
  switch (frame.type) {
    case "welcome":
      return link.phase === "greeting" ? welcomed(link, frame, moment) : [link, []];
    case "error":
      return [{ ...link, refusal: { code: frame.code, text: frame.text } }, []];
    case "ping":
      return [link, [{ do: "send", socket: link.socket, frame: { type: "pong" } }]];
    default:
  }
  if (link.phase === "greeting") return giveUp({ ...link, isDoubtful: true }, GARBAGE, moment);
  switch (frame.type) {
    case "resync":
      return resynced(link, frame.fleet, moment);
    case "event":
      return happened(link, frame, moment);
    case "proof":
      return proven(link, frame.seq, moment);
    case "items":
    case "frame":
    case "ack":
      return [link, [{ do: "deliver", frame }]];
    default:
      return [link, []]; // a newer hub may say more
  }
}

function welcomed(link: Link, frame: Extract<FromServer, { type: "welcome" }>, moment: Moment): Step {
  const told: Effect = { do: "store", event: { type: "welcome", version: frame.version } };
  if (frame.protocol !== PROTOCOL) {
    const [next, effects] = judged(link, "outdated", "", moment);
    return [next, [told, ...effects]];
  }
  const next: Link = { ...link, phase: "catching", phaseMs: moment.atMs, target: frame.seq, verdict: null };
  if (link.after === frame.seq) return after([told], live(next, moment));
  return [next, [told, { do: "set", timer: "deadline", inMs: ANSWER_WITHIN_MS }]];
}

function resynced(link: Link, data: unknown, moment: Moment): Step {
  const read = readFleet(data);
  if (read === null) return giveUp({ ...link, isDoubtful: true }, GARBAGE, moment);
  const next: Link = { ...link, seq: read.fleet.seq, isDoubtful: false };
  const stored: Effect = { do: "store", event: { type: "fleet", ...read } };
  return link.phase === "catching" ? after([stored], live(next, moment)) : [next, [stored]];
}

function happened(link: Link, frame: Extract<FromServer, { type: "event" }>, moment: Moment): Step {
  const { seq, at_ms: atMs, name, data } = frame;
  const isNext = link.seq !== null && seq === link.seq + 1 && !(link.phase === "catching" && link.after === null);
  if (!isNext) {
    if (link.seq !== null && seq <= link.seq) return [link, []]; // had already
    return giveUp({ ...link, isDoubtful: link.phase === "catching" }, LOST, moment);
  }
  if (!isReadable(name, data)) return giveUp({ ...link, isDoubtful: true }, GARBAGE, moment);
  const next: Link = { ...link, seq };
  const stored: Effect = { do: "store", event: { type: "event", seq, atMs, name, data } };
  if (link.phase !== "catching") return [next, [stored]];
  if (seq >= link.target) return after([stored], live(next, moment));
  return [next, [stored, { do: "set", timer: "deadline", inMs: ANSWER_WITHIN_MS }]];
}

function live(link: Link, { atMs }: Moment): Step {
  return [{ ...link, phase: "live", phaseMs: atMs, provenMs: atMs, isDoubtful: false, isOld: false }, [
    { do: "clear", timer: "deadline" },
    { do: "clear", timer: "grace" },
    { do: "store", event: { type: "freshness", freshness: { kind: "live" } } },
    { do: "set", timer: "check", inMs: link.isVisible ? CHECK_EVERY_MS : CHECK_EVERY_HIDDEN_MS },
    { do: "resume" },
  ]];
}

// ---- proofs ---------------------------------------------------------------------------------------------------

/** Somebody doubts that all is well: find out at once. */
function doubt(link: Link, moment: Moment): Step {
  switch (link.phase) {
    case "live": {
      const [next, effects] = ask(link);
      const soon: Effect = { do: "set", timer: "proof", inMs: PROOF_WITHIN_MS };
      return [{ ...next, phase: "proving", phaseMs: moment.atMs }, [stale(link.provenMs), GRACE, ...effects, soon]];
    }
    case "proving":
      return [link, []]; // its own deadline decides
    case "opening":
    case "greeting":
    case "catching": {
      // One that was begun before a sleep is most likely dead; a young one deserves its time.
      if (moment.atMs - link.phaseMs < PROOF_WITHIN_MS) return [link, []];
      return after([{ do: "close", socket: link.socket }], open(link, moment));
    }
    default:
      return open(link, moment);
  }
}

/** A deadline that runs already stays: many questions must not put off the answer to the first. */
function ask(link: Link): Step {
  const question: Effect = { do: "send", socket: link.socket, frame: { type: "prove" } };
  const isFirst = link.asked === link.heard;
  return [{ ...link, asked: link.asked + 1 }, isFirst ? [question, CHECKED] : [question]];
}

function mark(link: Link, name: string): Step {
  if (link.phase !== "live" && link.phase !== "proving") return [link, []]; // `resume` comes, then it is marked again
  const [next, effects] = ask(link);
  return [{ ...next, marks: [...link.marks, { at: next.asked, name }] }, effects];
}

function proven(link: Link, seq: number, moment: Moment): Step {
  const heard = link.heard + 1;
  // Events of after the proof was written may come before it, so `seq` may be behind ours.
  if (link.seq === null || seq > link.seq) return giveUp(link, LOST, moment);
  const passed = link.marks.filter((one) => one.at <= heard).map((one): Effect => ({ do: "passed", name: one.name }));
  const marks = link.marks.filter((one) => one.at > heard);
  const next: Link = { ...link, heard, marks };
  // An answer to a question from before the last doubt proves nothing about now.
  if (heard < link.asked) return [next, link.phase === "live" ? [CHECKED, ...passed] : passed];
  const sure: Link = { ...next, provenMs: moment.atMs, failures: isSteady(link, moment) ? 0 : link.failures };
  const effects: Effect[] = [{ do: "clear", timer: "proof" }, ...passed];
  if (link.phase !== "proving") return [sure, effects];
  effects.push({ do: "clear", timer: "grace" }, { do: "store", event: { type: "freshness", freshness: { kind: "live" } } });
  effects.push({ do: "set", timer: "check", inMs: CHECK_EVERY_MS });
  return [{ ...sure, phase: "live", phaseMs: moment.atMs, isOld: false }, effects];
}

/** Live for a while: the next break is a new story. */
function isSteady(link: Link, { atMs }: Moment): boolean {
  return link.phase === "live" && atMs - link.phaseMs >= CHECK_EVERY_MS / 2;
}

function timed(link: Link, name: Timer, moment: Moment): Step {
  switch (name) {
    case "retry":
      return link.phase === "waiting" ? open(link, moment) : [link, []];
    case "grace":
      return [{ ...link, isOld: link.isOld || (link.isVisible && link.phase !== "live") }, []];
    case "deadline": {
      if (!isBeforeLive(link)) return [link, []];
      const isUnheard = link.phase !== "catching";
      const [next, effects] = giveUp(link, SILENT, moment);
      return isUnheard ? asked([next, effects]) : [next, effects];
    }
    case "proof": {
      if (link.phase !== "live" && link.phase !== "proving") return [link, []];
      // Dead, most likely: the next one at once, there is no time to lose.
      return after([...leave(link), { do: "close", socket: link.socket }, { do: "dead" }], open({ ...link, failures: link.failures + 1 }, moment));
    }
    case "check": {
      if (link.phase !== "live") return [link, []];
      const again: Effect = { do: "set", timer: "check", inMs: link.isVisible ? CHECK_EVERY_MS : CHECK_EVERY_HIDDEN_MS };
      return after([again], link.asked > link.heard ? [link, []] : ask(link));
    }
    default:
      return name satisfies never;
  }
}

// ---- ends -----------------------------------------------------------------------------------------------------

interface Why {
  why: WaitReason;
  text: string;
}

const SILENT: Why = { why: "unreachable", text: "The hub does not answer." };
const STOPPED: Why = { why: "stopped", text: "The hub stops or starts anew." };
const LOST: Why = { why: "refused", text: "Something was lost on the way; it is fetched anew." };
const GARBAGE: Why = { why: "garbage", text: "What answers is not the control room, or not as this page knows it." };
const NO_SOCKET: Why = { why: "refused", text: "The hub answers, but its live link does not open. Something in between may block it." };

const GOING_AWAY = 1001;
const POLICY = 1008;

function closed(link: Link, event: { code: number; reason: string }, moment: Moment): Step {
  if (link.phase === "waiting" || link.phase === "resting") return [link, []];
  if (event.code === POLICY) {
    const kind = event.reason || link.refusal?.code;
    if (isVerdict(kind)) return judged(link, kind, link.refusal?.text ?? "", moment);
  }
  const why = event.code === GOING_AWAY ? STOPPED : SILENT;
  const isUnheard = link.phase === "opening" || link.phase === "greeting";
  return isUnheard ? asked(wait({ ...link, failures: Math.max(1, link.failures) }, why, moment)) : wait(link, why, moment);
}

/** Before its welcome a socket cannot say why it ends (a browser hides the refusal of a handshake): REST can. */
function asked([link, effects]: Step): Step {
  return [link, [...effects, { do: "ask", socket: link.socket }]];
}

/** This socket is of no use any more. */
function giveUp(link: Link, why: Why, moment: Moment): Step {
  return after([{ do: "close", socket: link.socket }], wait(link, why, moment));
}

function wait(link: Link, why: Why, moment: Moment): Step {
  const inMs = waitMs(link.failures, moment.roll);
  return [
    { ...link, phase: "waiting", phaseMs: moment.atMs, failures: link.failures + 1, wait: { ...why, untilMs: moment.atMs + inMs } },
    [...leave(link), { do: "clear", timer: "deadline" }, { do: "set", timer: "retry", inMs }],
  ];
}

/** From here on nothing is fresh, and nothing of this socket counts. */
function leave(link: Link): readonly Effect[] {
  const effects: Effect[] = [{ do: "clear", timer: "proof" }, { do: "clear", timer: "check" }, { do: "gone" }];
  return link.phase === "live" ? [stale(link.provenMs), GRACE, ...effects] : effects;
}

function judged(link: Link, kind: Verdict, text: string, moment: Moment): Step {
  return [{ ...link, phase: "resting", phaseMs: moment.atMs, verdict: { kind, text }, failures: 0 }, [
    ...leave(link),
    { do: "clear", timer: "deadline" },
    { do: "clear", timer: "retry" },
    { do: "close", socket: link.socket },
  ]];
}

function answered(link: Link, answer: Extract<LinkEvent, { type: "answer" }>["answer"], moment: Moment): Step {
  if (link.phase !== "waiting") return [link, []];
  if (answer.ok) {
    const read = readFleet(answer.value);
    if (read === null) return [{ ...link, wait: { ...link.wait, ...GARBAGE } }, []];
    const next: Link = { ...link, seq: read.fleet.seq, provenMs: moment.atMs, isDoubtful: false, verdict: null, wait: { ...link.wait, ...NO_SOCKET } };
    return [next, [{ do: "store", event: { type: "fleet", ...read } }, stale(moment.atMs)]];
  }
  const { code, text, retryAfterMs } = answer.refusal;
  if (isVerdict(code)) return judged(link, code, text, moment);
  if (code === "unreachable" || code === "aborted") return [link, []];
  const why: WaitReason = code === "garbage" ? "garbage" : "refused";
  const untilMs = Math.max(link.wait.untilMs, moment.atMs + (retryAfterMs ?? 0));
  return [{ ...link, wait: { untilMs, why, text } }, [{ do: "set", timer: "retry", inMs: untilMs - moment.atMs }]];
}

function isVerdict(code: string | undefined): code is Exclude<Verdict, "outdated"> {
  return code === "locked" || code === "not_paired" || code === "not_allowed";
}

function isBeforeLive(link: Link): boolean {
  return link.phase === "opening" || link.phase === "greeting" || link.phase === "catching";
}

function isConnected(link: Link): boolean {
  return link.phase !== "opening" && link.phase !== "waiting" && link.phase !== "resting";
}

const GRACE: Effect = { do: "set", timer: "grace", inMs: GRACE_MS };
const CHECKED: Effect = { do: "set", timer: "proof", inMs: CHECK_WITHIN_MS };

function stale(sinceMs: number): Effect {
  return { do: "store", event: { type: "freshness", freshness: { kind: "stale", sinceMs } } };
}

function after(effects: readonly Effect[], [link, more]: Step): Step {
  return [link, [...effects, ...more]];
}
