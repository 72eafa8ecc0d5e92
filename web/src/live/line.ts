/**
 * The live link's hands: one WebSocket, its timers, and the questions that `store/link.ts` wants to have asked.
 *
 * Takes what happens, lets the machine decide, and does what it says. Everything that touches the browser comes in
 * as `Outside`, so that tests can play it.
 */
import { batch, signal, type ReadonlySignal } from "@preact/signals";

import { API, type Answer } from "../api/http";
import type { FromClient, FromServer } from "../api/types";
import { heard, hubTime, UNKNOWN, type Clock } from "../store/clock";
import { linkState, START, step, type Effect, type Link, type LinkEvent } from "../store/link";
import type { LinkState } from "../store/link-state";
import { readFrame } from "../store/read";
import { applyAll, EMPTY, type State, type StoreEvent } from "../store/state";

/** What the line needs of the world. */
export interface Outside {
  open(url: string): WebSocket;
  ownMs(): number;
  roll(): number;
  key(): string | null;
  /** GET /fleet, without telling anybody of its refusal. */
  fleet(): Promise<Answer<unknown>>;
}

/** Who hears what the line delivers. */
export interface Hearers {
  delivered(frame: Extract<FromServer, { type: "items" | "frame" | "ack" }>): void;
  event(name: string, data: unknown): void;
  /** Live on a new socket: say again what should be open. */
  resumed(): void;
  /** Proven: what was held back may go. */
  live(): void;
  /** Everything that was sent before this mark was obeyed. */
  passed(name: string): void;
  gone(): void;
  /** It died without a word, and with it most likely all other connections of this browser. */
  dead(): void;
}

/** While thousands of missed events come in, the views see them a few times a second. */
const CATCHING_FLUSH_MS = 100;

/** WebSocket.OPEN */
const OPEN = 1;

export class Line {
  private readonly stateNow = signal<State>(EMPTY);
  private readonly linkNow = signal<LinkState>({ kind: "connecting", sinceMs: 0 });
  private readonly isOldNow = signal(false);
  private readonly aheadNow = signal<number | null>(null);
  private link: Link = START;
  private clock: Clock = UNKNOWN;
  private socket: WebSocket | null = null;
  /** When each question on this socket was asked (own clock), the oldest first. */
  private questions: number[] = [];
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private waiting: StoreEvent[] = [];
  private flushing: ReturnType<typeof setTimeout> | null = null;

  readonly state: ReadonlySignal<State> = this.stateNow;
  readonly told: ReadonlySignal<LinkState> = this.linkNow;
  readonly isOld: ReadonlySignal<boolean> = this.isOldNow;
  readonly aheadMs: ReadonlySignal<number | null> = this.aheadNow;

  constructor(private readonly outside: Outside, private readonly hearers: Hearers) {
    this.linkNow.value = { kind: "connecting", sinceMs: this.nowMs() };
  }

  get isLive(): boolean {
    return this.link.phase === "live";
  }

  nowMs(): number {
    return hubTime(this.clock, this.outside.ownMs());
  }

  /** Let the machine decide about this, and do what it says. */
  on(event: LinkEvent): void {
    const wasLive = this.isLive;
    const [link, effects] = step(this.link, event, { atMs: this.nowMs(), roll: this.outside.roll() });
    this.link = link;
    batch(() => {
      this.tellState(effects);
      this.tellLink();
    });
    for (const effect of effects) this.perform(effect);
    if (this.isLive && !wasLive) this.hearers.live();
  }

  /** Puts something that did not come over the link into the state. */
  store(event: StoreEvent): void {
    this.flush();
    this.stateNow.value = applyAll(this.stateNow.peek(), [event]);
  }

  /** False: it is not connected. What is sent here is never sent again. */
  send(frame: FromClient): boolean {
    if (this.socket === null || this.socket.readyState !== OPEN) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  private perform(effect: Effect): void {
    switch (effect.do) {
      case "open":
        this.open(effect.socket);
        return;
      case "close":
        this.hangUp();
        return;
      case "hello": {
        this.questions = [this.outside.ownMs()];
        const key = this.outside.key();
        this.send({ type: "hello", after: effect.after, key });
        return;
      }
      case "send":
        if (effect.frame.type === "prove") this.questions.push(this.outside.ownMs());
        this.send(effect.frame);
        return;
      case "set":
        this.clear(effect.timer);
        this.timers.set(effect.timer, setTimeout(() => this.on({ type: "timer", name: effect.timer }), effect.inMs));
        return;
      case "clear":
        this.clear(effect.timer);
        return;
      case "ask":
        void this.outside.fleet().then((answer) => this.on({ type: "answer", socket: effect.socket, answer }));
        return;
      case "store":
        if (effect.event.type === "event") this.hearers.event(effect.event.name, effect.event.data);
        return; // told already
      case "deliver":
        this.hearers.delivered(effect.frame);
        return;
      case "resume":
        this.hearers.resumed();
        return;
      case "passed":
        this.hearers.passed(effect.name);
        return;
      case "gone":
        this.hearers.gone();
        return;
      case "dead":
        this.hearers.dead();
        return;
      default:
        effect satisfies never;
    }
  }

  private open(number: number): void {
    this.hangUp();
    if (this.outside.key() === null) {
      this.on({ type: "no_key" });
      return;
    }
    const url = new URL(`${API}/live`, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    let socket: WebSocket;
    try {
      socket = this.outside.open(url.href);
    } catch {
      this.on({ type: "closed", socket: number, code: 1006, reason: "" });
      return;
    }
    this.socket = socket;
    this.questions = [];
    socket.onopen = () => this.on({ type: "opened", socket: number });
    socket.onmessage = (message: MessageEvent<unknown>) => this.hear(number, message.data);
    socket.onclose = (event) => {
      if (this.socket === socket) this.socket = null;
      this.on({ type: "closed", socket: number, code: event.code, reason: event.reason });
    };
  }

  private hear(number: number, data: unknown): void {
    const frame = readFrame(data);
    if (number === this.link.socket && (frame?.type === "welcome" || frame?.type === "proof")) this.noteTime(frame.server_time_ms);
    this.on({ type: "frame", socket: number, frame });
  }

  private noteTime(serverMs: number): void {
    const askedMs = this.questions.shift();
    if (askedMs === undefined) return;
    this.clock = heard(this.clock, askedMs, this.outside.ownMs(), serverMs);
    this.aheadNow.value = this.clock.aheadMs;
  }

  /** The old socket may still speak; the machine does not listen to it any more. */
  private hangUp(): void {
    const socket = this.socket;
    this.socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private clear(name: string): void {
    clearTimeout(this.timers.get(name));
    this.timers.delete(name);
  }

  private tellState(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.do === "store") this.waiting.push(effect.event);
    }
    if (this.waiting.length === 0) return;
    if (this.link.phase !== "catching") this.flush();
    else this.flushing ??= setTimeout(() => this.flush(), CATCHING_FLUSH_MS);
  }

  private flush(): void {
    if (this.flushing !== null) clearTimeout(this.flushing);
    this.flushing = null;
    const events = this.waiting.splice(0);
    if (events.length > 0) this.stateNow.value = applyAll(this.stateNow.peek(), events);
  }

  private tellLink(): void {
    const next = linkState(this.link);
    if (JSON.stringify(next) !== JSON.stringify(this.linkNow.peek())) this.linkNow.value = next;
    this.isOldNow.value = this.link.isOld;
  }
}
