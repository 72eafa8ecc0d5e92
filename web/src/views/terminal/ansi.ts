/** A self-contained row of the hub (text with SGR codes) as runs of one style each. Pure. */

export interface Style {
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  strike?: true;
  inverse?: true;
  hidden?: true;
  fg?: string;
  bg?: string;
}

export interface Run {
  text: string;
  style: Style;
}

const TOKEN = /\x1b\[([0-9;:]*)m|[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

export function runsOf(row: string): Run[] {
  const runs: Run[] = [];
  let style: Style = {};
  let at = 0;
  const put = (text: string): void => {
    if (text === "") return;
    const last = runs.at(-1);
    if (last !== undefined && last.style === style) last.text += text;
    else runs.push({ text, style });
  };
  for (const match of row.matchAll(TOKEN)) {
    put(row.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] !== undefined) style = after(style, match[1]);
  }
  put(row.slice(at));
  return runs;
}

/** The text of a row alone. */
export function plain(row: string): string {
  return row.replace(TOKEN, "");
}

function after(before: Style, codes: string): Style {
  let style: Style = { ...before };
  const numbers = codes.split(";").map((code) => (code === "" ? "0" : code));
  for (let at = 0; at < numbers.length; at++) {
    const [code, kind] = (numbers[at] ?? "").split(":").map(Number);
    if (code === undefined || Number.isNaN(code)) continue;
    if (code === 0) style = {};
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) { if (kind === 0) delete style.underline; else style.underline = true; }
    else if (code === 7) style.inverse = true;
    else if (code === 8) style.hidden = true;
    else if (code === 9) style.strike = true;
    else if (code === 22) { delete style.bold; delete style.dim; }
    else if (code === 23) delete style.italic;
    else if (code === 24) delete style.underline;
    else if (code === 27) delete style.inverse;
    else if (code === 28) delete style.hidden;
    else if (code === 29) delete style.strike;
    else if (code === 39) delete style.fg;
    else if (code === 49) delete style.bg;
    else if (code >= 30 && code <= 37) style.fg = palette(code - 30);
    else if (code >= 90 && code <= 97) style.fg = palette(code - 82);
    else if (code >= 40 && code <= 47) style.bg = palette(code - 40);
    else if (code >= 100 && code <= 107) style.bg = palette(code - 92);
    else if (code === 38 || code === 48 || code === 58) {
      const { color, used } = extended(numbers.slice(at + 1).map(Number));
      at += used;
      if (color !== null && code === 38) style.fg = color;
      if (color !== null && code === 48) style.bg = color;
    }
  }
  return style;
}

function extended(rest: number[]): { color: string | null; used: number } {
  if (rest[0] === 5) return { color: palette(rest[1] ?? 0), used: 2 };
  if (rest[0] !== 2) return { color: null, used: 1 };
  const [red, green, blue] = rest.slice(1, 4);
  return { color: `rgb(${byte(red)} ${byte(green)} ${byte(blue)})`, used: 4 };
}

function byte(value: number | undefined): number {
  return Math.max(0, Math.min(255, Number.isFinite(value) ? (value ?? 0) : 0));
}

/** A colour of the 256 as CSS; the first sixteen are the design's. */
export function palette(index: number): string {
  if (index < 8) return `var(--t-${NAMES[index] ?? "white"})`;
  if (index < 16) return `var(--t-bright-${NAMES[index - 8] ?? "white"})`;
  if (index > 231) {
    const grey = 8 + 10 * (Math.min(index, 255) - 232);
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const level = (value: number): number => (value === 0 ? 0 : 55 + 40 * value);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
}
