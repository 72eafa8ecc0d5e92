import { describe, expect, it } from "vitest";

import { palette, plain, runsOf } from "./ansi";
import { cellsOf, clusters, GRID, withTones } from "./cells";
import { cellsFor, clampPx, fitPx, scrollTo } from "./fit";
import { find, isLink, linkParts, targetsIn } from "./targets";

describe("cells", () => {
  it.each([["a", 1], ["漢", 2], ["é", 1], ["⏳", 2], ["✅", 2], ["❤", 1], ["─", 1], ["⣿", 1], ["👨", 2], ["ｱ", 1], ["Ａ", 2], ["●", 1]] as const)(
    "%s takes %i", (character, cells) => expect(cellsOf(character.codePointAt(0) ?? 0)).toBe(cells),
  );
  it.each([["\u0301", 0], ["\u200d", 0], ["\ufe0f", 0], ["\u0007", 0]] as const)("a mark takes none", (character, cells) =>
    expect(cellsOf(character.codePointAt(0) ?? 0)).toBe(cells));
  it("keeps what is joined together", () => {
    expect(clusters("a👨‍👩‍👧b")).toEqual([{ text: "a", cells: 1 }, { text: "👨‍👩‍👧", cells: 2 }, { text: "b", cells: 1 }]);
    expect(clusters("e\u0301!")).toEqual([{ text: "e\u0301", cells: 1 }, { text: "!", cells: 1 }]);
  });
  it("draws a skin tone with its emoji, and keeps the columns behind it", () => {
    expect(withTones("👍\x1b[23G🏽\x1b[25GX\x1b[3Gy")).toBe("👍🏽\x1b[25GX\x1b[3Gy");
    const thumb = GRID.charProperties(0x1f44d, 0);
    expect(GRID.charProperties(0x1f3fd, thumb) & 1).toBe(1);
    expect(GRID.charProperties(0x1f3fd, 0) & 1).toBe(0);
  });
  it("tells the parser the same", () => {
    let before = 0;
    const widths = [..."👨‍👩‍👧b"].map((character) => {
      before = GRID.charProperties(character.codePointAt(0) ?? 0, before);
      return before & 1 ? 0 : (before >> 1) & 3;
    });
    expect(widths).toEqual([2, 0, 0, 0, 0, 1]);
  });
});

describe("styles of a row", () => {
  it("follows colours and ends them", () => {
    expect(runsOf("a\x1b[0;1;31mb\x1b[0mc")).toEqual([
      { text: "a", style: {} }, { text: "b", style: { bold: true, fg: "var(--t-red)" } }, { text: "c", style: {} },
    ]);
    expect(runsOf("\x1b[38;5;196;48;2;1;2;300mx")[0]?.style).toEqual({ fg: "rgb(255 0 0)", bg: "rgb(1 2 255)" });
    expect(runsOf("\x1b[4:3;7mx")[0]?.style).toEqual({ underline: true, inverse: true });
  });
  it("lets nothing else through", () => expect(runsOf("a\x07\u202eb\x1b").map((run) => run.text).join("")).toBe("ab"));
  it("has a plain form", () => expect(plain("\x1b[1mx\x1b[0m y")).toBe("x y"));
  it("knows all colours", () => {
    for (let index = 0; index < 256; index++) expect(palette(index)).toMatch(/^(var|rgb)\(/);
    expect(palette(231)).toBe("rgb(255 255 255)");
  });
});

describe("what can be tapped", () => {
  const texts = (row: string): string[] => targetsIn(row).map(({ kind, text }) => `${kind} ${text}`);
  it.each([
    ["see https://example.com/a?b=1.", ["link https://example.com/a?b=1"]],
    ["(https://en.example.org/wiki/X_(y))", ["link https://en.example.org/wiki/X_(y)"]],
    ["│ http://localhost:8080 │", ["link http://localhost:8080"]],
    ["edited src/limiter/window.py and ./a.sh", ["path src/limiter/window.py", "path ./a.sh"]],
    ["  File /home/ada/x.py:12:4, line", ["path /home/ada/x.py:12:4"]],
    ["main.rs:42 failed", ["path main.rs:42"]],
    ["~/notes/today.md", ["path ~/notes/today.md"]],
    ["on 2026/07/15 3/4 of it, and/or not", ["path and/or"]],
    ["javascript:alert(1) ftp://x.example data:text/html,x", []],
    ["https://user:pass@example.com/", []],
  ])("in %s", (row, found) => expect(texts(row).filter((text) => text.startsWith("link") || !found.length || text.startsWith("path"))).toEqual(found));
  it("says where they stand", () => expect(targetsIn("go https://a.example/ x")[0]).toMatchObject({ start: 3, end: 21 }));
  it("never lasts long", () => expect(targetsIn(`${"a/".repeat(200_000)}x`).length).toBeLessThan(2));
  it("takes http and https only", () => {
    for (const bad of ["", "https://", "file:///etc/passwd", "javascript:1", `https://a.example/${"x".repeat(3000)}`]) expect(isLink(bad)).toBe(false);
  });
  it("shows what a name really is", () => expect(linkParts("https://еxample.com/a?b")).toEqual({ scheme: "https", host: "xn--xample-2of.com", rest: "/a?b" }));
});

describe("find", () => {
  it("finds in any case", () => expect(find(["Error: x", "no", "error error"], "ERROR")).toEqual([
    { row: 0, start: 0, end: 5 }, { row: 2, start: 0, end: 5 }, { row: 2, start: 6, end: 11 },
  ]));
  it("finds nothing without words", () => expect(find(["a"], "")).toEqual([]));
});

describe("sizes", () => {
  it("fits a whole pane", () => expect(fitPx(10, { width: 700, height: 200 }, { width: 350, height: 500 })).toBeCloseTo(4.97, 1));
  it("stays readable", () => expect(clampPx(0.1)).toBe(4));
  it("does not divide by nothing", () => expect(fitPx(10, { width: 0, height: 0 }, { width: 1, height: 1 })).toBe(10));
  it("scrolls only when it must", () => {
    expect(scrollTo(0, 100, 300, 50, 60, 10)).toBe(0);
    expect(scrollTo(0, 100, 300, 150, 160, 10)).toBe(70);
    expect(scrollTo(200, 100, 300, 50, 60, 10)).toBe(40);
    expect(scrollTo(250, 100, 300, 290, 300, 10)).toBe(200);
  });
  it("counts cells", () => expect(cellsFor({ width: 802, height: 401 }, { width: 8, height: 16 })).toEqual({ cols: 100, rows: 25 }));
});
