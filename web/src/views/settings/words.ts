/** Devices and their rights in words. Pure. */
import { age, clock, span } from "../../kit/time";
import type { Device } from "../../api/types";

const D = 86_400_000;

const NAMES: Readonly<Record<string, string>> = {
  chat: "Chat", answers: "Answers", actions: "Actions", terminal: "Terminal", bridge: "Bridge", tui: "Text interface",
  "voice:config": "Voice settings", "voice:stt": "Dictation", "voice:tts": "Speech", "voice:realtime": "Live voice",
};

const MEANINGS: Readonly<Record<string, string>> = {
  chat: "read chats, send messages",
  answers: "answer prompts and questions",
  actions: "stop turns, restart, move",
  terminal: "type into panes, open shells",
};

export interface Grant {
  right: string;
  /** `Terminal ends in 3 h` */
  text: string;
  title: string;
  isOver: boolean;
}

/** The rights of a device, in the order in which they matter; what this version does not know comes last. */
export function grantsOf(device: Pick<Device, "grants">, nowMs: number): Grant[] {
  const order = Object.keys(NAMES);
  const place = (right: string): number => (order.includes(right) ? order.indexOf(right) : order.length);
  return Object.entries(device.grants)
    .sort(([one], [other]) => place(one) - place(other) || one.localeCompare(other))
    .map(([right, untilMs]) => {
      const name = NAMES[right] ?? right;
      return {
        right,
        text: untilMs === null ? name : `${name} ${until(untilMs, nowMs)}`,
        title: MEANINGS[right] ?? name,
        isOver: untilMs !== null && untilMs < nowMs,
      };
    });
}

/** `until 1 Aug`, `ends tomorrow`, `ends in 3 h`, `ended`. */
export function until(ms: number, nowMs: number, zone?: string): string {
  const left = ms - nowMs;
  if (left < 0) return "ended";
  if (left < D) return `ends in ${span(left)}`;
  if (left < 2 * D) return "ends tomorrow";
  return `until ${day(ms, nowMs, zone)}`;
}

/** `1 Aug`, with the year when it is another one. */
export function day(ms: number, nowMs: number, zone?: string): string {
  const at = (options: Intl.DateTimeFormatOptions, when: number): string =>
    new Intl.DateTimeFormat("en-GB", zone === undefined ? options : { ...options, timeZone: zone }).format(when);
  const isThisYear = at({ year: "numeric" }, ms) === at({ year: "numeric" }, nowMs);
  return at({ day: "numeric", month: "short", ...(isThisYear ? {} : { year: "numeric" }) }, ms);
}

/** `Active now`, `Active 2 h ago`, `Last seen 19 d ago`. */
export function seenWords(lastSeenMs: number, nowMs: number): string {
  const spanMs = nowMs - lastSeenMs;
  if (spanMs < 2 * 60_000) return "Active now";
  return spanMs < D ? `Active ${age(lastSeenMs, nowMs)} ago` : `Last seen ${age(lastSeenMs, nowMs)} ago`;
}

/** `paired 2 Jul`, and when the pairing as a whole ends. */
export function pairedWords(device: Pick<Device, "created_ms" | "expires_ms">, nowMs: number): string {
  const end = device.expires_ms === null ? "does not end" : until(device.expires_ms, nowMs);
  return `paired ${day(device.created_ms, nowMs)}, ${end}`;
}

export const KINDS: Readonly<Record<Device["kind"], string>> = {
  web: "Browser", cli: "Command line", relay: "Relay app",
};

/** The icon of a device. */
export function deviceIcon(device: Pick<Device, "kind" | "name" | "form_factor">): string {
  if (device.kind === "cli") return "term";
  const isPhone = /phone|android|pixel|galaxy|ipad|tablet/i.test(`${device.name} ${device.form_factor ?? ""}`);
  return isPhone || device.kind === "relay" ? "phone" : "laptop";
}

export const IDLE_TIMES: readonly { seconds: number; label: string }[] = [
  { seconds: 60, label: "1 minute" },
  { seconds: 300, label: "5 minutes" },
  { seconds: 900, label: "15 minutes" },
  { seconds: 3600, label: "1 hour" },
];

/** The offered idle times, with the present one when it is none of them. */
export function idleTimes(seconds: number): readonly { seconds: number; label: string }[] {
  if (IDLE_TIMES.some((time) => time.seconds === seconds)) return IDLE_TIMES;
  return [...IDLE_TIMES, { seconds, label: span(seconds * 1000) }].sort((one, other) => one.seconds - other.seconds);
}

/** `Passkey after 5 min`, `Off`. */
export function lockWords(device: Pick<Device, "lock" | "passkeys"> | null): string {
  if (device === null) return "";
  const lock = device.lock ?? {};
  if (!(device.passkeys ?? 0) || (!lock.app && !lock.terminal)) return "Off";
  const after = span((lock.idle_s ?? 300) * 1000);
  return lock.app ? `Passkey after ${after}` : "Passkey for the terminal";
}

/** When a passkey was used. */
export function usedWords(passkey: { created_ms: number; used_ms?: number | null }, nowMs: number): string {
  const used = passkey.used_ms ?? null;
  return `Made ${day(passkey.created_ms, nowMs)}${used === null ? ", not used yet" : `, used ${clock(used, nowMs)}`}`;
}
