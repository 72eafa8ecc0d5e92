import { describe, expect, it } from "vitest";

import { AGENT_KEYS, bytesOf, KEY_ROW, keyOf, withSticky, type Pressed } from "./keys";

const press = (key: string, held = ""): Pressed => ({
  key, ctrlKey: held.includes("c"), altKey: held.includes("a"), shiftKey: held.includes("s"), metaKey: held.includes("m"),
});

describe("a pressed key has the hub's name", () => {
  it.each([
    [press("a"), "a"], [press("A", "s"), "A"], [press("é"), "é"], [press("漢"), "漢"], [press(" "), "Space"],
    [press("Enter"), "Enter"], [press("Enter", "s"), "M-Enter"], [press("Enter", "a"), "M-Enter"],
    [press("Escape"), "Escape"], [press("Tab"), "Tab"], [press("Tab", "s"), "BTab"],
    [press("Backspace"), "BSpace"], [press("Delete"), "DC"], [press("ArrowUp"), "Up"], [press("ArrowLeft", "c"), "C-Left"],
    [press("ArrowUp", "s"), "S-Up"], [press("PageDown", "a"), "M-PageDown"], [press("F5"), "F5"],
    [press("c", "c"), "C-c"], [press("C", "c"), "C-c"], [press(" ", "c"), "C-Space"], [press("b", "a"), "M-b"],
    [press("@", "ca"), "@"], [press("€", "ca"), "€"], [press("å", "a"), "å"],
  ])("%o is %s", (pressed, name) => expect(keyOf(pressed)).toBe(name));
});

describe("what no pane can take is left to the browser", () => {
  it.each([
    press("Shift", "s"), press("Control", "c"), press("Dead"), press("Unidentified"), press("c", "m"), press("v", "m"),
    press("ArrowUp", "cs"), press("Tab", "c"), press("Enter", "c"), press("1", "c"), press("F13"), press("F5", "s"), press("x", "ca"),
  ])("%o", (pressed) => expect(keyOf(pressed)).toBeNull());
});

describe("sticky Ctrl and Alt", () => {
  it.each([
    ["c", "ctrl", "C-c"], ["C", "ctrl", "C-c"], ["Left", "ctrl", "C-Left"], ["b", "alt", "M-b"], ["Enter", "alt", "M-Enter"],
    [" ", "ctrl", "C-Space"], ["x", "none", "x"], [" ", "none", "Space"],
  ] as const)("%s with %s is %s", (key, sticky, name) => expect(withSticky(key, sticky)).toBe(name));
  it.each([["é", "ctrl"], ["Enter", "ctrl"], ["Tab", "alt"], ["1", "ctrl"]] as const)(
    "%s with %s is nothing", (key, sticky) => expect(withSticky(key, sticky)).toBeNull(),
  );
});

describe("a shell reads bytes", () => {
  it.each([
    ["Escape", "\x1b"], ["C-c", "\x03"], ["Up", "\x1b[A"], ["C-Right", "\x1b[1;5C"], ["BTab", "\x1b[Z"], ["PageUp", "\x1b[5~"],
    ["S-PageDown", "\x1b[6;2~"], ["DC", "\x1b[3~"], ["Enter", "\r"], ["M-b", "\x1bb"], ["|", "|"], ["Space", " "], ["Nonsense", ""],
  ])("%s", (name, bytes) => expect(bytesOf(name)).toBe(bytes));
});

/** The allowlist of core/keys.py, as far as the rows use it. */
const KNOWN = /^(Enter|Escape|Tab|BTab|BSpace|Space|Up|Down|Left|Right|Home|End|PageUp|PageDown|DC|IC|F\d+|C-[a-z]|C-Space|M-[a-z0-9]|M-Enter|.)$/u;

it("rows hold keys that the hub knows, each with a name", () => {
  for (const row of [KEY_ROW, ...Object.values(AGENT_KEYS)]) {
    for (const { keys, label, name } of row) {
      expect(label).not.toBe("");
      expect(name).not.toBe("");
      for (const key of keys) expect(key).toMatch(KNOWN);
    }
    expect(new Set(row.map(({ label }) => label)).size).toBe(row.length);
  }
});
