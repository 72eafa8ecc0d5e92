import { describe, expect, it } from "vitest";

import { safeHref } from "./href";
import { parseInline, parseMarkdown, type Block, type Inline } from "./markdown";

function words(kids: readonly Inline[]): string {
  return kids.map((kid) => {
    switch (kid.t) {
      case "text": case "code": return kid.text;
      case "br": return "\n";
      default: return words(kid.kids);
    }
  }).join("");
}

function shape(kids: readonly Inline[]): string {
  return kids.map((kid) => {
    switch (kid.t) {
      case "text": return kid.text;
      case "br": return "⏎";
      case "code": return `\`${kid.text}\``;
      case "link": return `link(${kid.href}|${shape(kid.kids)}|${kid.target ?? "-"})`;
      case "path": return `path(${shape(kid.kids)}|${kid.path})`;
      default: return `${kid.t}(${shape(kid.kids)})`;
    }
  }).join("");
}

function outline(blocks: readonly Block[]): string {
  return blocks.map((block) => {
    switch (block.t) {
      case "p": return `p[${shape(block.kids)}]`;
      case "h": return `h${block.level}[${shape(block.kids)}]`;
      case "code": return `code(${block.lang})[${block.text}]`;
      case "hr": return "hr";
      case "quote": return `quote{${outline(block.blocks)}}`;
      case "table": return `table[${block.head.map(shape).join("|")}]${block.rows.map((row) => `[${row.map(shape).join("|")}]`).join("")}`;
      case "list": return `${block.ordered ? `ol${block.start}` : "ul"}{${block.items
        .map((item) => `${item.checked === null ? "" : item.checked ? "☑" : "☐"}${outline(item.blocks)}`).join(";")}}`;
    }
  }).join(" ");
}

describe("inline", () => {
  it.each([
    ["plain", "plain"],
    ["a `code` b", "a `code` b"],
    ["``a ` b``", "`a ` b`"],
    ["an `open tick", "an `open tick"],
    ["**bold** and *em* and ~~old~~", "strong(bold) and em(em) and del(old)"],
    ["**bold *inside* it**", "strong(bold em(inside) it)"],
    ["***both***", "strong(em(both))"],
    ["snake_case_name and __init__", "snake_case_name and strong(init)"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["a\\*b\\*", "a*b*"],
    ["one\ntwo", "one⏎two"],
    ["<b>no html</b>", "<b>no html</b>"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["see https://a.example/x.", "see link(https://a.example/x|https://a.example/x|-)."],
    ["(https://a.example/x_(y))", "(link(https://a.example/x_(y)|https://a.example/x_(y)|-))"],
    ["<mailto:me@a.example>", "link(mailto:me@a.example|mailto:me@a.example|-)"],
    ["[words](https://evil.example/a)", "link(https://evil.example/a|words|evil.example)"],
    ["[https://good.example](https://evil.example)", "link(https://evil.example/|https://good.example|evil.example)"],
    ["[x](https://good.example@evil.example/)", "link(https://good.example@evil.example/|x|evil.example)"],
    ["[x](javascript:alert(1))", "path(x|javascript:alert(1))"],
    ["[x](JaVaScRiPt:alert(1))", "path(x|JaVaScRiPt:alert(1))"],
    ["[x](data:text/html,hi)", "path(x|data:text/html,hi)"],
    ["[x](src/a.py)", "path(x|src/a.py)"],
    ["![pic](https://track.example/p.png)", "link(https://track.example/p.png|Image: pic|track.example)"],
    ["[**b**](https://a.example/)", "link(https://a.example/|strong(b)|a.example)"],
    ["[not a link]", "[not a link]"],
    ["[a](", "[a]("],
  ])("reads %j", (text, expected) => expect(shape(parseInline(text))).toBe(expected));
});

describe("blocks", () => {
  it.each([
    ["# One\n\ntwo\nthree", "h1[One] p[two⏎three]"],
    ["- a\n- b\n  - c\n\n- d", "ul{p[a];p[b] ul{p[c]};p[d]}"],
    ["3. a\n4. b", "ol3{p[a];p[b]}"],
    ["- [ ] open\n- [x] done", "ul{☐p[open];☑p[done]}"],
    ["text\n- item", "p[text] ul{p[item]}"],
    ["- item\nDefault: it", "ul{p[item]} p[Default: it]"],
    ["- item\n  goes on\n\n  and on", "ul{p[item⏎goes on] p[and on]}"],
    ["born in\n1987. It was", "p[born in⏎1987. It was]"],
    ["```py\nprint('*')\n```\nafter", "code(py)[print('*')] p[after]"],
    ["```\nnever closed\n- x", "code()[never closed\n- x]"],
    ["1. first\n   ```sh\n   ls\n   ```\n2. second", "ol1{p[first] code(sh)[ls];p[second]}"],
    ["> said\n> twice\n\nme", "quote{p[said⏎twice]} p[me]"],
    ["a | b\n--|--\n1 | `x`\n2 |", "table[a|b][1|`x`][2|]"],
    ["a\n---\nb", "p[a] hr p[b]"],
    ["* * *", "hr"],
    ["<div onclick=x>\nhi\n</div>", "p[<div onclick=x>⏎hi⏎</div>]"],
    ["", ""],
  ])("reads %j", (text, expected) => expect(outline(parseMarkdown(text))).toBe(expected));
});

describe("addresses", () => {
  it.each([
    ["https://a.example/x", "https://a.example/x"],
    ["HTTP://A.example", "http://a.example/"],
    ["mailto:me@a.example", "mailto:me@a.example"],
    ["javascript:alert(1)", null],
    ["java\nscript:alert(1)", null],
    ["vbscript:x", null],
    ["//evil.example", null],
    ["/app/settings", null],
    ["https://", null],
    ["file:///etc/passwd", null],
  ])("takes %j as %j", (href, expected) => expect(safeHref(href)).toBe(expected));
});

/** Generous: a loaded machine is no failure; quadratic work on these takes minutes. */
const DEADLINE_MS = 30_000;

describe("hostile texts", () => {
  const random = (seed: number): (() => number) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const pieces = ["*", "**", "_", "`", "```\n", "~~", "[", "](", ")", "![", "\n", "\n\n", "> ", "- ", "1. ", "|", "\n--|--\n",
    "<", ">", "\\", "https://a.example", "word", " ", "  ", "#", "é", "👩‍👩‍👧", "javascript:"];

  /** Words that stand in an address behind a label: its host is shown, the rest is in the link. */
  const lost = (text: string): number => (/\]\(/.test(text) || /https:\/\/\S*word/.test(text) ? Infinity : 0);

  it("keeps every word of seeded random texts", () => {
    const next = random(7);
    for (let round = 0; round < 150; round++) {
      let text = "";
      for (let n = 0; n < 40; n++) text += pieces[Math.floor(next() * pieces.length)];
      const blocks = parseMarkdown(text);
      expect(outline(blocks).replace(/link\(\S+?\|/g, "").split("word").length, text).toBeGreaterThanOrEqual(text.split("word").length - lost(text));
      expect(JSON.stringify(blocks)).not.toContain('"href":"javascript');
    }
  });

  it.each([
    ["*a ".repeat(40_000)], ["**".repeat(60_000)], ["`".repeat(100_000)], ["[".repeat(100_000)], ["> ".repeat(50_000)],
    ["- ".repeat(50_000)], ["_a_ ".repeat(30_000)], ["![a](".repeat(20_000)], ["|".repeat(100_000)], ["<".repeat(100_000)],
    ["`a``b```".repeat(15_000)], ["https://a.example ".repeat(6_000)], ["a\n".repeat(50_000)], ["\\".repeat(100_000)],
    ["*_".repeat(50_000)], ["[a](b".repeat(20_000)],
  ])("gets through with 100,000 characters of %.12j", (text) => {
    expect(parseMarkdown(text).length).toBeGreaterThan(0);
  }, DEADLINE_MS);
});

it("shows the text of a paragraph in its order", () => {
  expect(words(parseInline("a **b** `c` [d](https://e.example)"))).toBe("a b c d");
});
