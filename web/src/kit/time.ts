/**
 * Spans and clock times in words (design, "Words"): `20 s`, `47 min`, `1 h 12 min`, `3 d`; a clock time for
 * deadlines. All times are the hub's, in ms; the clock is shown in this device's time zone.
 */

const S = 1000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;
/** From here on minutes say nothing any more. */
const ROUND_HOURS = 10 * H;

/** A span in words; what is negative counts as nothing. */
export function span(ms: number): string {
  if (!(ms > 0)) return "0 s";
  if (ms < MIN) return `${Math.floor(ms / S)} s`;
  if (ms < H) return `${Math.floor(ms / MIN)} min`;
  if (ms >= D) return `${Math.floor(ms / D)} d`;
  const minutes = Math.floor((ms % H) / MIN);
  const hours = Math.floor(ms / H);
  return minutes === 0 || ms >= ROUND_HOURS ? `${hours} h` : `${hours} h ${minutes} min`;
}

/** How long ago something was, or how long it has lasted. */
export function age(sinceMs: number, nowMs: number): string {
  return span(nowMs - sinceMs);
}

/** `14:09`, and the day before it when that is not today: `Tue 14:09`, `12 Mar 14:09`. */
export function clock(ms: number, nowMs: number, zone?: string): string {
  const time = part(ms, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, zone);
  const distance = Math.round((midday(nowMs, zone) - midday(ms, zone)) / D);
  if (distance === 0) return time;
  if (Math.abs(distance) < 7) return `${part(ms, { weekday: "short" }, zone)} ${time}`;
  const isThisYear = part(ms, { year: "numeric" }, zone) === part(nowMs, { year: "numeric" }, zone);
  return `${part(ms, { day: "numeric", month: "short", ...(isThisYear ? {} : { year: "numeric" }) }, zone)} ${time}`;
}

/** The whole date and time, for titles and for `datetime` readers. */
export function fullTime(ms: number, zone?: string): string {
  return part(ms, { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit",
    minute: "2-digit", second: "2-digit", hourCycle: "h23" }, zone);
}

/** Whether two moments are on the same day of this device, for day lines in a chat. */
export function isSameDay(one: number, other: number, zone?: string): boolean {
  return midday(one, zone) === midday(other, zone);
}

/** The noon of its day as UTC, so that days can be counted across changes of summer time. */
function midday(ms: number, zone?: string): number {
  const [year, month, day] = part(ms, { year: "numeric", month: "2-digit", day: "2-digit" }, zone, "en-CA").split("-");
  return Date.UTC(Number(year), Number(month) - 1, Number(day), 12);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function part(ms: number, options: Intl.DateTimeFormatOptions, zone?: string, locale = "en-GB"): string {
  const name = `${locale}|${zone ?? ""}|${JSON.stringify(options)}`;
  let format = formats.get(name);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, zone === undefined ? options : { ...options, timeZone: zone });
    formats.set(name, format);
  }
  return format.format(Math.max(-8.64e15, Math.min(8.64e15, Number.isFinite(ms) ? ms : 0)));
}
