/**
 * The one strip that is shown: the topmost that is true (design connection.html). Each names the layer where the
 * trouble lies (device, network, hub, machine, right, clock) and the time. Pure.
 */
import { line } from "../kit/text";
import { clock, span } from "../kit/time";
import type { Device, Machine } from "../api/types";
import type { LastingTrouble } from "../live/trouble";
import type { LinkState } from "../store/link-state";
import type { State } from "../store/state";

export type StripAct = "prove" | "load" | "load_anyway" | "machines" | "this_device";

export interface StripText {
  icon: string;
  kind?: "fault" | "good";
  text: string;
  act?: { label: string; does: StripAct };
}

export interface Situation {
  link: LinkState;
  isOld: boolean;
  /** What is shown was old a moment ago. */
  isBack: boolean;
  state: Pick<State, "seq" | "machines" | "agents" | "serverVersion">;
  nowMs: number;
  clockOffMs: number | null;
  /** `unkept`: a new version would cost drafts that cannot be written down. */
  update: "none" | "ready" | "running" | "unkept";
  appVersion: string;
  /** This device, null while it is not known. */
  device: Pick<Device, "grants" | "plain_reason"> | null;
  isPlain: boolean;
  /** Of the control room itself; null: none is known. */
  trouble: LastingTrouble | null;
}

/** Until then a break is most likely a tunnel or a lift; then it is most likely the hub or the network to it. */
export const LONG_MS = 30_000;
/** Clocks that differ less are right enough for everything that people do with them. */
export const CLOCK_OFF_MS = 120_000;
/** A right that ended longer ago is no news. */
const RIGHT_NEWS_MS = 3 * 24 * 3_600_000;

const RIGHTS: Readonly<Record<string, string>> = {
  chat: "right to read and write", answers: "right to answer", actions: "right to act", terminal: "terminal right",
};

export function stripOf(now: Situation): StripText | null {
  return linkStrip(now) ?? updateStrip(now) ?? rightStrip(now) ?? machineStrip(now) ?? troubleStrip(now, true) ?? clockStrip(now) ?? plainStrip(now) ?? troubleStrip(now, false);
}

function linkStrip(now: Situation): StripText | null {
  const { link } = now;
  switch (link.kind) {
    case "outdated":
      return { icon: "fresh", kind: "fault", text: "This page is older than the control room. Your drafts are kept.", act: { label: "Load", does: "load" } };
    case "not_paired":
      return { icon: "lock", kind: "fault", text: `${line(link.text) || "This device is not paired."} Pair it again to go on.` };
    case "locked":
      return { icon: "lock", text: `Locked. ${seenFrom(now, link.sinceMs)}`.trim() };
    case "not_allowed":
      return {
        icon: "lock", kind: "fault", text: `The right of this device to read has ended. Renew it on ${hub(now)}. ${seenFrom(now, link.sinceMs)}`.trim(),
        act: { label: "How", does: "this_device" },
      };
    case "live":
      return now.isBack ? { icon: "check", kind: "good", text: "Up to date" } : null;
    default:
      return now.isOld ? brokenStrip(now, link) : null;
  }
}

const NOW = { label: "Now", does: "prove" } as const;

function brokenStrip(now: Situation, link: Extract<LinkState, { kind: "connecting" | "proving" | "catching" | "waiting" | "offline" }>): StripText {
  const seen = seenFrom(now, link.sinceMs);
  if (link.kind === "offline") return { icon: "off", text: `No network on this device. What you write is kept and sent later. ${seen}`.trim() };
  if (link.kind === "catching") {
    const changes = link.left === 1 ? "1 change" : `${link.left} changes`;
    return { icon: "refresh", text: link.left === 0 || now.state.seq === null ? "Catching up" : `Catching up: ${changes} since ${clock(link.sinceMs, now.nowMs)}` };
  }
  if (link.kind === "waiting" && (link.why === "garbage" || link.why === "refused")) {
    return { icon: "off", kind: "fault", text: `${line(link.text)} ${again(now, link.untilMs)}${seen}`.trim(), act: NOW };
  }
  if (now.nowMs - link.sinceMs >= LONG_MS) {
    const since = now.state.seq === null ? "" : ` since ${clock(link.sinceMs, now.nowMs)}`;
    return { icon: "off", kind: "fault", text: `The hub on ${hub(now)} does not answer${since}. Are you on the private network?`, act: { label: "Check", does: "prove" } };
  }
  if (link.kind === "waiting" && link.why === "stopped") return { icon: "refresh", text: `The hub stops or starts anew. ${seen}`.trim(), act: NOW };
  return { icon: "refresh", text: now.state.seq === null ? "Connecting to the control room." : `Reconnecting. ${seen}`, act: NOW };
}

/** Only long waits are worth a word. */
function again(now: Situation, untilMs: number): string {
  return untilMs - now.nowMs >= 60_000 ? `Again in ${span(untilMs - now.nowMs)}. ` : "";
}

function seenFrom(now: Situation, sinceMs: number): string {
  return now.state.seq === null ? "" : `What you see is from ${clock(sinceMs, now.nowMs)}.`;
}

function updateStrip(now: Situation): StripText | null {
  const act = { label: "Load", does: "load" } as const;
  switch (now.update) {
    case "ready":
      return { icon: "fresh", text: "A new version is ready. Your drafts are kept.", act };
    case "running":
      return { icon: "fresh", text: "Another window runs a newer version. Your drafts are kept.", act };
    case "unkept":
      return {
        icon: "fresh", kind: "fault", text: "A new version is ready, but this device cannot keep your drafts. Copy them first.",
        act: { label: "Load anyway", does: "load_anyway" },
      };
    case "none":
  }
  const { serverVersion } = now.state;
  if (serverVersion === null || serverVersion === now.appVersion) return null;
  return { icon: "fresh", text: `This page is version ${now.appVersion}, the control room ${line(serverVersion, 40)}. Your drafts are kept.`, act };
}

function rightStrip(now: Situation): StripText | null {
  for (const [right, words] of Object.entries(RIGHTS)) {
    const endsMs = now.device?.grants[right];
    if (typeof endsMs !== "number" || endsMs > now.nowMs || endsMs < now.nowMs - RIGHT_NEWS_MS) continue;
    return {
      icon: "clock", text: `The ${words} of this device ended at ${clock(endsMs, now.nowMs)}. Renew it on ${hub(now)}.`,
      act: { label: "How", does: "this_device" },
    };
  }
  return null;
}

function troubleStrip({ trouble, nowMs }: Situation, isGrave: boolean): StripText | null {
  if (trouble?.isGrave !== isGrave) return null;
  const text = `${trouble.text} Since ${clock(trouble.sinceMs, nowMs)}.`;
  return { icon: "warn", ...(isGrave ? { kind: "fault" } : {}), text, act: { label: "Details", does: "machines" } };
}

function machineStrip(now: Situation): StripText | null {
  const away = [...now.state.machines.values()].filter((machine) => !machine.online).sort((one, other) => other.last_seen_ms - one.last_seen_ms);
  const [first] = away;
  if (first === undefined) return null;
  const agents = [...now.state.agents.values()].filter((agent) => away.some((machine) => machine.id === agent.machine_id)).length;
  const act = { label: "Details", does: "machines" } as const;
  const theirs = agents === 0 ? "" : ` ${away.length === 1 ? "Its" : "Their"} ${agents === 1 ? "agent shows its" : `${agents} agents show their`} last state.`;
  if (away.length > 1) return { icon: "machine", text: `${names(away)} are not reachable.${theirs}`, act };
  return { icon: "machine", text: `${line(first.name, 60)} is not reachable since ${clock(first.last_seen_ms, now.nowMs)}.${theirs}`, act };
}

function names(machines: readonly Machine[]): string {
  const shown = machines.slice(0, 2).map((machine) => line(machine.name, 40));
  const more = machines.length - shown.length;
  return more === 0 ? shown.join(" and ") : `${shown.join(", ")} and ${more} more machines`;
}

function clockStrip(now: Situation): StripText | null {
  const offMs = now.clockOffMs ?? 0;
  if (Math.abs(offMs) < CLOCK_OFF_MS) return null;
  const words = span(Math.round(Math.abs(offMs) / 60_000) * 60_000);
  return { icon: "clock", text: `This device’s clock is ${words} ${offMs > 0 ? "ahead" : "behind"}. Ages here follow the hub’s clock.` };
}

/** Once the person said why that is acceptable, it is said in Settings only. */
function plainStrip(now: Situation): StripText | null {
  if (!now.isPlain || now.device === null || (now.device.plain_reason ?? null) !== null) return null;
  return { icon: "info", text: "Plain HTTP: no notifications, passkey or installation here.", act: { label: "Why", does: "this_device" } };
}

function hub(now: Situation): string {
  const primary = [...now.state.machines.values()].find((machine) => machine.primary);
  return primary === undefined ? "your machine" : line(primary.name, 60);
}
