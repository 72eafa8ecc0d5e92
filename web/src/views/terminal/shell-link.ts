/**
 * The socket of host shells (`/api/v1/terminals`): the messages of the relay's terminal channel, one browser's shells.
 *
 * What the socket tells goes to one listener; after a break it comes back by itself with growing, jittered waits,
 * and whoever listens attaches again. Nothing that was typed meanwhile is kept.
 */
import { API } from "../../api/http";

/** One shell as the list names it. */
export interface ShellRow {
  name: string;
  attached: number;
  createdS: number;
  isHere: boolean;
}

export type ShellEvent =
  | { type: "ready" }
  | { type: "list"; rows: readonly ShellRow[]; hasTmux: boolean }
  | { type: "attached"; name: string; isOld: boolean; replay: string }
  | { type: "output"; name: string; data: string }
  | { type: "detached"; name: string; reason: string }
  | { type: "error"; name: string; text: string }
  | { type: "refused"; code: string; text: string }
  | { type: "closed"; againMs: number | null };

/** What a frame of the socket says; null: nothing that we know. */
export function readFrame(data: unknown): ShellEvent | null {
  let frame: unknown;
  try {
    frame = JSON.parse(String(data));
  } catch {
    return null;
  }
  if (!isRecord(frame)) return null;
  const payload = isRecord(frame["payload"]) ? frame["payload"] : {};
  const name = text(payload["session_name"]);
  switch (frame["type"]) {
    case "ready": return { type: "ready" };
    case "error": return { type: "refused", code: text(frame["code"]), text: text(frame["text"]) };
    case "terminal.sessions": return { type: "list", rows: rowsOf(payload["sessions"]), hasTmux: payload["tmux_available"] === true };
    case "terminal.attached": return { type: "attached", name, isOld: payload["reattach"] === true, replay: text(payload["replay"]) };
    case "terminal.output": return { type: "output", name, data: text(payload["data"]) };
    case "terminal.detached": return { type: "detached", name, reason: text(payload["reason"]) };
    case "terminal.error": return { type: "error", name, text: text(payload["message"]) };
    default: return null;
  }
}

function rowsOf(rows: unknown): ShellRow[] {
  return (Array.isArray(rows) ? rows : []).filter(isRecord).map((row) => ({
    name: text(row["name"]), attached: number(row["attached"]), createdS: number(row["created_at"]), isHere: row["owned_by_client"] === true,
  })).filter(({ name }) => name !== "");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
/** Codes after which trying again changes nothing until the person does something. */
const FINAL = new Set(["not_paired", "not_allowed", "locked", "not_found"]);

export class ShellLink {
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private isOver = false;
  private isReady = false;
  private refusal = "";

  constructor(private readonly keyOf: () => string | null, private readonly tell: (event: ShellEvent) => void) {}

  open(): void {
    clearTimeout(this.timer);
    if (this.isOver || this.socket !== null) return;
    this.refusal = "";
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${API}/terminals`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ type: "hello", key: this.keyOf() ?? "" }));
    socket.onmessage = ({ data }) => {
      const event = readFrame(data);
      if (event === null || this.socket !== socket) return;
      if (event.type === "ready") {
        this.failures = 0;
        this.isReady = true;
      }
      if (event.type === "refused") this.refusal = event.code;
      this.tell(event);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.isReady = false;
      if (this.isOver) return;
      if (FINAL.has(this.refusal)) {
        this.tell({ type: "closed", againMs: null });
        return;
      }
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures) * (0.75 + Math.random() / 2);
      this.failures += 1;
      this.timer = setTimeout(() => this.open(), wait);
      this.tell({ type: "closed", againMs: wait });
    };
  }

  list(): void { this.say("list", {}); }
  attach(name: string, cols: number, rows: number): void { this.say("attach", { session_name: name, cols, rows }); }
  resize(name: string, cols: number, rows: number): void { this.say("resize", { session_name: name, cols, rows }); }
  detach(name: string): void { this.say("detach", { session_name: name }); }
  kill(name: string): void { this.say("kill", { session_name: name }); }

  /** False: it was not sent, and will not be. */
  input(name: string, data: string): boolean { return this.say("input", { session_name: name, data }); }

  close(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.socket?.close(1000);
    this.socket = null;
  }

  private say(type: string, payload: Record<string, unknown>): boolean {
    if (!this.isReady || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ type: `terminal.${type}`, id: "", payload }));
    return true;
  }
}
