/**
 * Markdown of agents as a tree of plain values: no HTML comes in or out of it (`parts/markdown.tsx` makes vnodes).
 *
 * The dialect is what coding agents write: headings, lists, tables, fenced code, quotes, emphasis, links. A line end
 * inside of a paragraph stays one, as in their terminals. HTML is text. Images are never loaded: an image is a link.
 * Everything is linear in the length of the text; what is nested deeper than `DEEPEST` is text.
 */

import { LONGEST_HREF, safeHref, targetOf } from "./href";

export type Inline =
  | { t: "text"; text: string }
  | { t: "code"; text: string }
  | { t: "br" }
  | { t: "strong" | "em" | "del"; kids: Inline[] }
  /** `target`: where it leads, in words, when its label does not say so already. */
  | { t: "link"; href: string; kids: Inline[]; target: string | null }
  /** A link that leads nowhere in a browser (a path in the project, a forbidden scheme). */
  | { t: "path"; kids: Inline[]; path: string };

export type Block =
  | { t: "p"; kids: Inline[] }
  | { t: "h"; level: number; kids: Inline[] }
  | { t: "code"; lang: string; text: string }
  | { t: "list"; ordered: boolean; start: number; items: ListItem[] }
  | { t: "quote"; blocks: Block[] }
  | { t: "table"; head: Inline[][]; rows: Inline[][][] }
  | { t: "hr" };

export interface ListItem {
  /** A task's box: null for an ordinary entry. */
  checked: boolean | null;
  blocks: Block[];
}

const DEEPEST = 6;
const LONGEST_LABEL = 500;
const MOST_CELLS = 64;

// --- blocks --------------------------------------------------------------------------------------------

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}>[ ]?(.*)$/;
const MARKER = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]+(.*))?$/;
const TABLE_LINE = /^ {0,3}\|?[ \t]*:?-{1,}:?[ \t]*(\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*$/;
const TASK = /^\[([ xX])\]\s+/;

/** The blocks of a text; `\r` and control characters must be gone (kit/text.ts). */
export function parseMarkdown(text: string): Block[] {
  return blocksOf(text.split("\n"), 0);
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let held: string[] = [];
  const flush = (): void => {
    const words = held.join("\n").trim();
    if (words !== "") blocks.push({ t: "p", kids: parseInline(words) });
    held = [];
  };
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      flush();
      at += 1;
      continue;
    }
    const fence = FENCE.exec(line);
    if (fence !== null) {
      flush();
      const end = fenceEnd(lines, at + 1, fence[1] ?? "```");
      const indent = line.length - line.trimStart().length;
      const inner = lines.slice(at + 1, end).map((row) => (row.slice(0, indent).trim() === "" ? row.slice(indent) : row));
      blocks.push({ t: "code", lang: (fence[2] ?? "").trim().slice(0, 200), text: inner.join("\n") });
      at = end + 1;
      continue;
    }
    const heading = HEADING.exec(line);
    if (heading !== null) {
      flush();
      blocks.push({ t: "h", level: heading[1]?.length ?? 1, kids: parseInline(heading[2] ?? "") });
      at += 1;
      continue;
    }
    if (RULE.test(line)) {
      flush();
      blocks.push({ t: "hr" });
      at += 1;
      continue;
    }
    if (depth < DEEPEST && QUOTE.test(line)) {
      flush();
      const inner: string[] = [];
      while (at < lines.length) {
        const quoted = QUOTE.exec(lines[at] ?? "");
        if (quoted === null) break;
        inner.push(quoted[1] ?? "");
        at += 1;
      }
      blocks.push({ t: "quote", blocks: blocksOf(inner, depth + 1) });
      continue;
    }
    const marker = MARKER.exec(line);
    if (marker !== null && depth < DEEPEST && mayInterrupt(marker, held)) {
      flush();
      const list = listAt(lines, at, depth);
      blocks.push(list.block);
      at = list.end;
      continue;
    }
    if (held.length === 0 && line.includes("|") && TABLE_LINE.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-")) {
      const table = tableAt(lines, at);
      if (table !== null) {
        blocks.push(table.block);
        at = table.end;
        continue;
      }
    }
    held.push(line);
    at += 1;
  }
  flush();
  return blocks;
}

/** A number inside of a paragraph ("in\n1987. It …") begins a list only when it is 1. */
function mayInterrupt(marker: RegExpExecArray, held: readonly string[]): boolean {
  if (held.length === 0) return true;
  const sign = marker[2] ?? "";
  return (marker[4] ?? "").trim() !== "" && (/^[-*+]$/.test(sign) || /^1[.)]$/.test(sign));
}

/** Index of the line that closes a fence, else the end: a fence that is never closed holds the rest. */
function fenceEnd(lines: readonly string[], from: number, opening: string): number {
  const sign = opening[0] === "~" ? "~" : "`";
  for (let at = from; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    if (line.length >= opening.length && line[0] === sign && [...line].every((one) => one === sign)) return at;
  }
  return lines.length;
}

function listAt(lines: readonly string[], from: number, depth: number): { block: Block; end: number } {
  const first = MARKER.exec(lines[from] ?? "");
  const sign = first?.[2] ?? "-";
  const ordered = /\d/.test(sign);
  const items: ListItem[] = [];
  let at = from;
  while (at < lines.length) {
    const marker = MARKER.exec(lines[at] ?? "");
    if (marker === null || /\d/.test(marker[2] ?? "") !== ordered || RULE.test(lines[at] ?? "")) break;
    const width = (marker[1] ?? "").length + (marker[2] ?? "").length;
    const rest = marker[4] ?? "";
    const pad = Math.min(Math.max((marker[3] ?? " ").length - rest.length, 1), 4);
    const inner = [rest];
    at += 1;
    while (at < lines.length) {
      const line = lines[at] ?? "";
      const indent = line.length - line.trimStart().length;
      // A line at the margin ends the entry: agents do not wrap by hand, and what follows a list is not its last entry.
      if (line.trim() !== "" && indent < Math.min(width + pad, 2 + width - 1)) break;
      inner.push(line.slice(Math.min(indent, width + pad)));
      at += 1;
    }
    const task = TASK.exec(inner[0] ?? "");
    if (task !== null) inner[0] = (inner[0] ?? "").slice(task[0].length);
    items.push({ checked: task === null ? null : task[1] !== " ", blocks: blocksOf(inner, depth + 1) });
  }
  const start = ordered ? Number.parseInt(sign, 10) : 1;
  return { block: { t: "list", ordered, start, items }, end: at };
}

function tableAt(lines: readonly string[], from: number): { block: Block; end: number } | null {
  const head = cells(lines[from] ?? "");
  const columns = cells(lines[from + 1] ?? "").length;
  if (head.length !== columns || columns > MOST_CELLS) return null;
  const rows: Inline[][][] = [];
  let at = from + 2;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "" || !line.includes("|")) break;
    const row = cells(line).slice(0, columns);
    rows.push(Array.from({ length: columns }, (_, column) => parseInline(row[column] ?? "")));
  }
  return { block: { t: "table", head: head.map((cell) => parseInline(cell)), rows }, end: at };
}

function cells(line: string): string[] {
  const found: string[] = [];
  let cell = "";
  const text = line.trim().replace(/^\|/, "");
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\" && text[at + 1] === "|") {
      cell += "|";
      at += 1;
    } else if (text[at] === "|") {
      found.push(cell.trim());
      cell = "";
    } else {
      cell += text[at];
    }
  }
  if (cell.trim() !== "" || found.length === 0) found.push(cell.trim());
  return found;
}

// --- inline --------------------------------------------------------------------------------------------

const SPECIAL = /[\\`*_~[!<\n]|https?:\/\//g;
const BARE = /https?:\/\/[^\s<>"'`\u00a0]+/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;

/** The parts of a line or paragraph. */
export function parseInline(text: string): Inline[] {
  return inlineOf(text, 0, false);
}

function inlineOf(text: string, depth: number, inLink: boolean): Inline[] {
  const out: Inline[] = [];
  const hopeless = new Set<string>(); // marks that have no partner in the rest of the text
  const lastClose = text.lastIndexOf("](");
  let plain = "";
  const say = (words: string): void => {
    plain += words;
  };
  const put = (...nodes: Inline[]): void => {
    if (plain !== "") out.push({ t: "text", text: plain });
    plain = "";
    out.push(...nodes);
  };
  let at = 0;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text);
    if (next === null) break;
    say(text.slice(at, next.index));
    at = next.index;
    const sign = text[at] ?? "";
    if (sign === "\n") {
      plain = plain.replace(/[ \t]+$/, "");
      put({ t: "br" });
      at += 1;
    } else if (sign === "\\") {
      const escaped = text[at + 1] ?? "";
      if (PUNCTUATION.test(escaped)) {
        say(escaped);
        at += 2;
      } else {
        say("\\");
        at += 1;
      }
    } else if (sign === "`") {
      const run = runOf(text, at, "`");
      const end = hopeless.has(run) ? -1 : closingRun(text, at + run.length, run);
      if (end < 0) {
        hopeless.add(run);
        say(run);
        at += run.length;
      } else {
        const inner = text.slice(at + run.length, end).replace(/\n/g, " ");
        put({ t: "code", text: /^ .* $/.test(inner) && inner.trim() !== "" ? inner.slice(1, -1) : inner });
        at = end + run.length;
      }
    } else if (sign === "*" || sign === "_" || sign === "~") {
      const found = depth < DEEPEST ? emphasisAt(text, at, hopeless) : null;
      if (found === null) {
        const run = runOf(text, at, sign);
        say(run);
        at += run.length;
      } else {
        put({ t: found.t, kids: inlineOf(found.inner, depth + 1, inLink) });
        at = found.end;
      }
    } else if (sign === "!" || sign === "[") {
      const open = sign === "!" ? at + 1 : at;
      const found = text[open] === "[" && !inLink && open < lastClose ? linkAt(text, open) : null;
      if (found === null) {
        say(sign);
        at += 1;
      } else {
        const label = sign === "!" ? `Image: ${found.label === "" ? "without a name" : found.label}` : found.label;
        put(linked(found.href, sign === "!" ? [{ t: "text", text: label }] : inlineOf(label, depth + 1, true), label));
        at = found.end;
      }
    } else if (sign === "<") {
      const auto = /^<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/i.exec(text.slice(at, at + LONGEST_HREF + 20));
      const href = auto?.[1];
      if (auto === null || href === undefined || inLink) {
        say("<");
        at += 1;
      } else {
        put(linked(href, [{ t: "text", text: href }], href));
        at += auto[0].length;
      }
    } else {
      BARE.lastIndex = at;
      const bare = inLink || WORD.test(text[at - 1] ?? "") ? null : BARE.exec(text);
      if (bare === null) {
        say(sign);
        at += 1;
      } else {
        const href = trimmed(bare[0]);
        put(linked(href, [{ t: "text", text: href }], href));
        at += href.length;
      }
    }
  }
  say(text.slice(at));
  put();
  return out;
}

function runOf(text: string, from: number, sign: string): string {
  let end = from;
  while (text[end] === sign) end += 1;
  return text.slice(from, end);
}

function closingRun(text: string, from: number, run: string): number {
  let at = text.indexOf(run, from);
  while (at >= 0) {
    const found = runOf(text, at, "`");
    if (found.length === run.length) return at;
    at = text.indexOf(run, at + found.length);
  }
  return -1;
}

/** Emphasis that begins here; null when it does not. `hopeless` keeps all of it linear. */
function emphasisAt(
  text: string, at: number, hopeless: Set<string>,
): { t: "strong" | "em" | "del"; inner: string; end: number } | null {
  const sign = text[at] ?? "";
  const run = runOf(text, at, sign).length;
  if (sign === "~" && run !== 2) return null;
  if (sign === "_" && WORD.test(text[at - 1] ?? "")) return null;
  for (const length of run >= 2 ? [2, 1] : [1]) {
    if (sign === "~" && length === 1) continue;
    const mark = sign.repeat(length);
    if (hopeless.has(mark) || /^\s?$/.test(text[at + length] ?? "")) continue;
    const end = closer(text, at + length, mark);
    if (end < 0) {
      hopeless.add(mark);
      continue;
    }
    return { t: sign === "~" ? "del" : length === 2 ? "strong" : "em", inner: text.slice(at + length, end), end: end + length };
  }
  return null;
}

function closer(text: string, from: number, mark: string): number {
  const sign = mark[0] ?? "";
  let at = text.indexOf(mark, from);
  while (at >= 0) {
    const run = runOf(text, at, sign).length;
    const isAlone = mark.length === 2 ? run >= 2 : run === 1 || run >= 3;
    const place = mark.length === 2 ? at + run - 2 : at + run - 1;
    const isClosing = !/\s/.test(text[at - 1] ?? " ") && (sign !== "_" || !WORD.test(text[at + run] ?? ""));
    if (isAlone && isClosing && place > from - 1 && at > from - 1 && place !== from) return place;
    at = text.indexOf(mark, at + run);
  }
  return -1;
}

function linkAt(text: string, open: number): { label: string; href: string; end: number } | null {
  let depth = 0;
  let close = -1;
  for (let at = open; at < Math.min(text.length, open + LONGEST_LABEL); at++) {
    const sign = text[at];
    if (sign === "\\") at += 1;
    else if (sign === "[") depth += 1;
    else if (sign === "]") {
      depth -= 1;
      if (depth === 0) {
        close = at;
        break;
      }
    }
  }
  if (close < 0 || text[close + 1] !== "(") return null;
  const target = /^\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*))(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)/
    .exec(text.slice(close + 1, close + 1 + LONGEST_HREF));
  if (target === null) return null;
  const href = (target[1] ?? target[2] ?? "").replace(/\\([!-/:-@[-`{-~])/g, "$1");
  return { label: text.slice(open + 1, close), href, end: close + 1 + target[0].length };
}

function linked(href: string, kids: Inline[], label: string): Inline {
  const safe = safeHref(href);
  if (safe === null) return { t: "path", kids, path: label === href ? "" : href };
  const shown = targetOf(safe);
  return { t: "link", href: safe, kids, target: saysTarget(label, safe, shown) ? null : shown };
}

function saysTarget(label: string, href: string, shown: string): boolean {
  const words = label.trim();
  if (words === href || words === href.replace(/\/$/, "")) return true;
  return words.replace(/^https?:\/\//i, "").replace(/\/$/, "") === shown;
}

/** A bare address without the punctuation that ends its sentence. */
function trimmed(href: string): string {
  let end = href.length;
  for (;;) {
    const last = href[end - 1] ?? "";
    if (/[.,;:!?*_~\]}]/.test(last)) end -= 1;
    else if (last === ")" && count(href.slice(0, end), ")") > count(href.slice(0, end), "(")) end -= 1;
    else return href.slice(0, end);
  }
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
