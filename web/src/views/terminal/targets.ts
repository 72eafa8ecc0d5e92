/** Addresses and file paths in a row of a terminal, and what a search finds. Pure; all of it is outside text. */

export interface Target {
  kind: "link" | "path";
  text: string;
  /** Place in the row's text, in UTF-16 units. */
  start: number;
  end: number;
}

export const LONGEST_LINK = 2000;

const LINK = /https?:\/\/[^\s<>"'`\u0000-\u0020│┃┆┊║▏▕]+/giu;
// /a/b, ~/a, ./a, ../a, or a/b.ext and name.ext:12 as compilers and agents write them. A bare word is no path.
const PATH = /(?<![\p{L}\p{N}_/.~:-])(?:(?:~|\.{1,2})?\/[\p{L}\p{N}_.@%+=~-][\p{L}\p{N}_.@%+=~/-]*|[\p{L}\p{N}_.@%+=-]+(?:\/[\p{L}\p{N}_.@%+=-]+)+|[\p{L}\p{N}_-]+\.[a-z]{1,5}:\d+)(?::\d+(?::\d+)?)?/giu;
const TRAILING = /[.,;:!?'"”’)\]}>*_]+$/u;

/** What can be opened or copied in this text, in order, never overlapping. Only http and https are links. */
export function targetsIn(text: string): Target[] {
  if (text.length > 4000) text = text.slice(0, 4000);
  const found: Target[] = [];
  for (const match of text.matchAll(LINK)) {
    const link = trimmed(match[0]);
    if (isLink(link)) found.push({ kind: "link", text: link, start: match.index, end: match.index + link.length });
  }
  for (const match of text.matchAll(PATH)) {
    const path = match[0].replace(/[.:,]+$/u, "");
    const start = match.index;
    const end = start + path.length;
    if (path.length < 3 || /^[\d./]+$/u.test(path)) continue; // dates, fractions, versions
    if (!found.some((other) => start < other.end && end > other.start)) found.push({ kind: "path", text: path, start, end });
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Brackets that are open inside an address belong to it; punctuation behind it does not. */
function trimmed(link: string): string {
  for (;;) {
    const shorter = link.replace(TRAILING, "");
    if (shorter === link) return link;
    const tail = link.slice(shorter.length);
    if (tail.startsWith(")") && count(shorter, "(") > count(shorter, ")")) return `${shorter})`;
    link = shorter;
  }
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** Whether this may be offered as a link: http or https, with a host, without a login in it. */
export function isLink(text: string): boolean {
  if (text.length > LONGEST_LINK) return false;
  try {
    const url = new URL(text);
    return (url.protocol === "https:" || url.protocol === "http:") && url.hostname !== "" && url.username === "" && url.password === "";
  } catch {
    return false;
  }
}

/** An address in the parts that a person has to look at: punycode shows what a name really is. */
export function linkParts(text: string): { scheme: string; host: string; rest: string } {
  const url = new URL(text);
  return { scheme: url.protocol.replace(":", ""), host: url.host, rest: text.slice(text.indexOf("://") + 3).replace(/^[^/?#]*/u, "") };
}

export interface Hit {
  row: number;
  start: number;
  end: number;
}

export const MOST_HITS = 1000;

/** Where these words stand, in any case, top to bottom. */
export function find(rows: readonly string[], words: string): Hit[] {
  const wanted = words.toLowerCase();
  if (wanted === "") return [];
  const hits: Hit[] = [];
  for (const [row, text] of rows.entries()) {
    const lower = text.toLowerCase();
    if (lower.length !== text.length) continue; // a letter that changes its length: places would not fit
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
      hits.push({ row, start: at, end: at + wanted.length });
      if (hits.length >= MOST_HITS) return hits;
    }
  }
  return hits;
}
