/**
 * Keys of a keyboard as the hub names them (core/keys.py). Pure.
 *
 * Only names of the hub's allowlist come out: it refuses others, so that a misspelt Escape never becomes text.
 */

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  metaKey: boolean;
}

const NAMED: Readonly<Record<string, string>> = {
  Enter: "Enter", Escape: "Escape", Tab: "Tab", Backspace: "BSpace", " ": "Space",
  ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right",
  Home: "Home", End: "End", PageUp: "PageUp", PageDown: "PageDown", Delete: "DC", Insert: "IC",
};
/** Those that take one of Ctrl, Shift and Alt. */
const CURSOR: ReadonlySet<string> = new Set(["Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown", "DC", "IC"]);

/** The hub's name of what was pressed; null: nothing that a pane can take (a modifier, a dead key, Command). */
export function keyOf(pressed: Pressed): string | null {
  if (pressed.metaKey) return null;
  const { key, ctrlKey, altKey, shiftKey } = pressed;
  const name = NAMED[key];
  if (name === undefined) return characterOf(key, ctrlKey, altKey) ?? functionKey(pressed);
  const count = Number(ctrlKey) + Number(altKey) + Number(shiftKey);
  if (CURSOR.has(name)) return count > 1 ? null : `${ctrlKey ? "C-" : altKey ? "M-" : shiftKey ? "S-" : ""}${name}`;
  if (name === "Tab") return ctrlKey || altKey ? null : shiftKey ? "BTab" : "Tab";
  // A terminal cannot tell Shift Enter from Enter, which would submit; agents take Alt Enter as a new line.
  if (name === "Enter") return ctrlKey ? null : altKey || shiftKey ? "M-Enter" : "Enter";
  if (name === "Space") return altKey ? null : ctrlKey ? "C-Space" : "Space";
  if (name === "BSpace") return ctrlKey ? "C-w" : altKey ? null : "BSpace";
  return ctrlKey || altKey ? null : name;
}

function characterOf(key: string, ctrlKey: boolean, altKey: boolean): string | null {
  if ([...key].length !== 1) return null;
  if (ctrlKey && altKey) return key.length === 1 && key.charCodeAt(0) < 128 && /[a-z]/i.test(key) ? null : key; // AltGr makes characters
  if (ctrlKey) return /[a-z]/i.test(key) ? `C-${key.toLowerCase()}` : null;
  if (altKey) return /[a-z0-9]/.test(key) ? `M-${key}` : key.charCodeAt(0) > 127 ? key : null; // Option makes characters on a Mac
  return key;
}

function functionKey({ key, ctrlKey, altKey, shiftKey }: Pressed): string | null {
  return /^F([1-9]|1[0-2])$/.test(key) && !ctrlKey && !altKey && !shiftKey ? key : null;
}

export type Sticky = "none" | "ctrl" | "alt";

/** A key of the key row, or a character of the text field, with Ctrl or Alt held on the screen; null: there is no such key. */
export function withSticky(key: string, sticky: Sticky): string | null {
  if (sticky === "none") return key === " " ? "Space" : key;
  const prefix = sticky === "ctrl" ? "C-" : "M-";
  if (CURSOR.has(key)) return prefix + key;
  if (key === "Enter") return sticky === "alt" ? "M-Enter" : null;
  if (key === "Space" || key === " ") return sticky === "ctrl" ? "C-Space" : null;
  const letter = key.toLowerCase();
  return (sticky === "ctrl" ? /^[a-z]$/ : /^[a-z0-9]$/).test(letter) ? prefix + letter : null;
}

/** What a program in a terminal of our own (a shell) reads for a key of the key row. */
export function bytesOf(name: string): string {
  const control = /^C-([a-z])$/.exec(name)?.[1];
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) - 96);
  const alt = /^M-([a-z0-9])$/.exec(name)?.[1];
  if (alt !== undefined) return `\x1b${alt}`;
  const [, modifier, base] = /^(?:([CSM])-)?(.+)$/.exec(name) ?? [];
  const code = modifier === undefined ? "" : `1;${{ S: 2, M: 3, C: 5 }[modifier as "S" | "M" | "C"]}`;
  const final = { Up: "A", Down: "B", Right: "C", Left: "D", Home: "H", End: "F" }[base ?? ""];
  if (final !== undefined) return `\x1b[${code}${final}`;
  const number = { IC: 2, DC: 3, PageUp: 5, PageDown: 6 }[base ?? ""];
  if (number !== undefined) return `\x1b[${number}${code === "" ? "" : code.slice(1)}~`;
  return BYTES[name] ?? (name.length === 1 ? name : "");
}

const BYTES: Readonly<Record<string, string>> = {
  Enter: "\r", Escape: "\x1b", Tab: "\t", BTab: "\x1b[Z", BSpace: "\x7f", Space: " ", "C-Space": "\0", "M-Enter": "\x1b\r",
};

export interface RowKey {
  /** What stands on it. */
  label: string;
  /** Its name for those who do not see it, and what it is for. */
  name: string;
  /** What it presses, in order. */
  keys: readonly string[];
}

const key = (label: string, name: string, ...keys: string[]): RowKey => ({ label, name, keys });

/** The key row, what is needed most first. */
export const KEY_ROW: readonly RowKey[] = [
  key("esc", "Esc", "Escape"), key("tab", "Tab", "Tab"),
  key("←", "Left", "Left"), key("↓", "Down", "Down"), key("↑", "Up", "Up"), key("→", "Right", "Right"),
  key("⌃C", "Control C", "C-c"), key("⇧ tab", "Shift Tab", "BTab"), key("⌫", "Backspace", "BSpace"),
  key("|", "Vertical bar", "|"), key("/", "Slash", "/"), key("~", "Tilde", "~"), key("-", "Hyphen", "-"),
  key("pg up", "Page up", "PageUp"), key("pg dn", "Page down", "PageDown"),
  key("home", "Home", "Home"), key("end", "End", "End"), key("del", "Del", "DC"),
  key("space", "Space", "Space"), key("⌃D", "Control D", "C-d"), key("⌃L", "Control L", "C-l"),
  key("⌃R", "Control R", "C-r"), key("⌃U", "Control U", "C-u"), key("⌃Z", "Control Z, suspends", "C-z"),
];

/** What else a kind of agent listens to. */
export const AGENT_KEYS: Readonly<Record<string, readonly RowKey[]>> = {
  claude: [
    key("mode", "Next permission mode (Shift Tab)", "BTab"), key("transcript", "Detailed transcript (Control O)", "C-o"),
    key("tasks", "Task list (Control T)", "C-t"), key("background", "Run in the background (Control B)", "C-b"),
    key("new line", "New line (Alt Enter)", "M-Enter"), key("clear line", "Clear the line (Control U)", "C-u"),
    key("send queued", "Send the queued message now (Control X, Control S)", "C-x", "C-s"),
  ],
  codex: [
    key("transcript", "Transcript (Control T)", "C-t"), key("new line", "New line (Control J)", "C-j"),
    key("clear line", "Clear the line (Control U)", "C-u"), key("mode", "Next mode (Shift Tab)", "BTab"),
  ],
};
