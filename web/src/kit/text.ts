/**
 * Text from outside (agents, transcripts, names, file names) made safe to look at. It stays plain text; this
 * removes what would make it look like something else: controls, bidirectional overrides, invisible characters,
 * towers of combining marks, and more of it than anybody reads.
 *
 * `line` for names and rows, `block` for what keeps its line ends, `marked` for what a person decides on
 * (a command, a file change): there nothing vanishes silently, each invisible character becomes visible.
 */

export const LINE_LIMIT = 300;
export const BLOCK_LIMIT = 100_000;

// Embeddings, overrides, isolates and direction marks: isolation is the page's work (`<bdi>`), never the text's.
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/gu;
// Fillers and joiners that nobody sees, tag characters, and what is reserved for them.
const INVISIBLE = /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
// Joiners are part of emoji families and of several scripts, and nothing elsewhere.
const JOINER = /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}])[\u200c\u200d]|[\u200c\u200d](?![\p{Extended_Pictographic}\p{L}\u2640\u2642])/gu;
const TOWER = /(\p{M}{8})\p{M}+/gu;
// Half of a character; matched as such only because of the u flag.
const LONE = /\p{Surrogate}/gu;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/gu;

/** One line for names, titles and rows: white space is folded, the rest of a too long one is `…`. */
export function line(text: string, limit = LINE_LIMIT): string {
  const start = bounded(text, limit * 4).replace(LINE_ENDS, "\n").replace(/\s+/gu, " ");
  return cut(stripped(start).trim(), limit);
}

/** Text that keeps its lines. */
export function block(text: string, limit = BLOCK_LIMIT): string {
  return cut(stripped(bounded(text, limit * 2).replace(LINE_ENDS, "\n")), limit);
}

/** Text that a person decides on: what cannot be seen is written out as `⟨U+202E⟩`. Never shortened. */
export function marked(text: string): string {
  const shown = text.replace(LONE, "\ufffd").replace(/\r\n/gu, "\n");
  return [CONTROLS, BIDI, INVISIBLE, JOINER].reduce((rest, kind) => rest.replace(kind, named), shown);
}

/** Whether `marked` would show something that the text itself hides. */
export function hidesSomething(text: string): boolean {
  return marked(text) !== text.replace(/\r\n/gu, "\n");
}

function stripped(text: string): string {
  return text.replace(CONTROLS, "").replace(BIDI, "").replace(INVISIBLE, "").replace(JOINER, "").replace(TOWER, "$1");
}

function named(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return `⟨U+${point.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** A beginning that is well-formed; its length is only near to `limit`. */
function bounded(text: string, limit: number): string {
  return (text.length > limit ? text.slice(0, limit) : text).replace(LONE, "\ufffd");
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.slice(0, limit - 1);
  return `${/[\ud800-\udbff]$/u.test(end) ? end.slice(0, -1) : end}…`;
}
