/**
 * xterm as we use it: one for a mirror that only shows whole frames, one for a shell that talks both ways.
 *
 * A frame is one write: it opens with ESC[?2026h, so that nothing half drawn is ever shown. While xterm still
 * parses, only the newest frame waits; older ones are dropped.
 */
import "@xterm/xterm/css/xterm.css";

import { Terminal, type ILinkProvider, type ITheme } from "@xterm/xterm";

import type { ScreenFrame } from "../../api/types";
import { clusters, GRID, withTones } from "./cells";
import type { Box } from "./fit";
import { targetsIn, type Target } from "./targets";

/** Marks for whoever measures; each replaces the one before, so that nothing piles up. */
export const KEY_SENT = "terminal key sent";
export const FRAME_PAINTED = "terminal frame painted";

export function mark(name: string, detail: unknown): void {
  performance.clearMarks(name);
  performance.mark(name, { detail });
}

export function makeTerminal(place: HTMLElement, px: number, isMirror: boolean): Terminal {
  const css = getComputedStyle(place);
  const terminal = new Terminal({
    allowProposedApi: true, // for our table of widths
    cols: 80,
    rows: 24,
    cursorBlink: false,
    cursorInactiveStyle: "block",
    disableStdin: isMirror,
    fontFamily: css.getPropertyValue("--font-mono") || "monospace",
    fontSize: px,
    logLevel: "off",
    minimumContrastRatio: 4.5,
    rescaleOverlappingGlyphs: true,
    scrollback: isMirror ? 0 : 2000,
    theme: themeOf(css),
    macOptionIsMeta: false,
  });
  terminal.unicode.register(GRID as Parameters<typeof terminal.unicode.register>[0]);
  terminal.unicode.activeVersion = GRID.version;
  // Programs ask for much that a page must not do by itself: titles, colours, the clipboard, links of their own.
  for (const code of [0, 1, 2, 4, 8, 10, 11, 12, 52, 104, 110, 111, 112]) terminal.parser.registerOscHandler(code, () => true);
  terminal.open(place);
  if (isMirror && terminal.textarea !== undefined) {
    terminal.textarea.disabled = true; // keys are taken by a field of ours
    terminal.textarea.tabIndex = -1;
  }
  if (isMirror) terminal.attachCustomWheelEventHandler(() => false); // the wheel scrolls the window around it
  return terminal;
}

function themeOf(css: CSSStyleDeclaration): ITheme {
  const color = (name: string, fallback: string): string => css.getPropertyValue(name).trim() || fallback;
  return {
    background: color("--term-bg", "#0d1014"), foreground: color("--term-fg", "#d9dee4"), cursor: color("--term-fg", "#d9dee4"),
    cursorAccent: color("--term-bg", "#0d1014"), selectionBackground: "#34536b", selectionInactiveBackground: "#2c4457",
    black: color("--t-black", "#2a3038"), red: color("--term-red", "#ff8f86"), green: color("--term-green", "#86d6a6"),
    yellow: color("--term-yellow", "#f3c969"), blue: color("--term-blue", "#84bdea"), magenta: color("--term-magenta", "#d6a5ea"),
    cyan: color("--term-cyan", "#7fd4d8"), white: color("--term-fg", "#d9dee4"),
    brightBlack: color("--term-dim", "#98a2ad"), brightRed: "#ffb3ad", brightGreen: "#a8e6c1", brightYellow: "#ffdf94",
    brightBlue: "#a9d3f5", brightMagenta: "#e6c4f5", brightCyan: "#a6e6e9", brightWhite: "#ffffff",
  };
}

/** How large all of it is on the page, at its present size of letters. */
export function contentOf(terminal: Terminal): Box {
  const screen = terminal.element?.querySelector<HTMLElement>(".xterm-screen");
  return screen == null ? { width: 0, height: 0 } : { width: screen.offsetWidth, height: screen.offsetHeight };
}

/** The size of one cell. */
export function cellOf(terminal: Terminal): Box {
  const content = contentOf(terminal);
  return { width: content.width / terminal.cols, height: content.height / terminal.rows };
}

/** The text of a row as it stands on the screen. */
export function rowText(terminal: Terminal, row: number): string {
  return terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)?.translateToString(true) ?? "";
}

interface Placed extends Target {
  /** Columns from 0, the end not included. */
  from: number;
  to: number;
}

/** What can be tapped in a row, with its columns. */
export function placedTargets(text: string): Placed[] {
  const found = targetsIn(text);
  if (found.length === 0) return [];
  const columns: number[] = [];
  let column = 0;
  for (const cluster of clusters(text)) {
    for (let unit = 0; unit < cluster.text.length; unit++) columns.push(column);
    column += cluster.cells;
  }
  columns.push(column);
  return found.map((target) => ({ ...target, from: columns[target.start] ?? 0, to: columns[target.end] ?? column }));
}

export function targetAt(terminal: Terminal, row: number, column: number): Target | null {
  return placedTargets(rowText(terminal, row)).find(({ from, to }) => column >= from && column < to) ?? null;
}

/** Links and paths under the mouse; a click tells, nothing opens by itself. */
export function linkProvider(terminal: Terminal, onTarget: (target: Target) => void): ILinkProvider {
  return {
    provideLinks(line, callback) {
      const text = terminal.buffer.active.getLine(line - 1)?.translateToString(true) ?? "";
      callback(placedTargets(text).map((target) => ({
        text: target.text,
        range: { start: { x: target.from + 1, y: line }, end: { x: target.to, y: line } },
        activate: () => onTarget(target),
      })));
    },
  };
}

/** Shows frames in a terminal of the pane's own size. */
export class Mirror {
  readonly terminal: Terminal;
  /** What is on the screen. */
  shown: ScreenFrame | null = null;
  private isWriting = false;
  private next: ScreenFrame | null = null;
  private painting: ScreenFrame | null = null;

  constructor(place: HTMLElement, px: number, private readonly onPainted: (frame: ScreenFrame, isResized: boolean) => void) {
    this.terminal = makeTerminal(place, px, true);
    this.terminal.onRender(() => {
      const frame = this.painting;
      if (frame === null) return;
      this.painting = null;
      mark(FRAME_PAINTED, { agentId: frame.agent_id, revision: frame.revision });
    });
  }

  show(frame: ScreenFrame): void {
    if (this.isWriting) this.next = frame;
    else this.write(frame);
  }

  private write(frame: ScreenFrame): void {
    const { terminal } = this;
    const isResized = terminal.cols !== frame.width || terminal.rows !== frame.height;
    if (isResized) terminal.resize(Math.max(frame.width, 1), Math.max(frame.height, 1));
    this.isWriting = true;
    terminal.write(withTones(frame.data), () => {
      this.isWriting = false;
      this.painting = this.shown = frame;
      this.onPainted(frame, isResized);
      const next = this.next;
      this.next = null;
      if (next !== null) this.write(next);
    });
  }

  dispose(): void {
    this.next = null;
    this.terminal.dispose();
  }
}
