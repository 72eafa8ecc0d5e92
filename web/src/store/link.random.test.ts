/**
 * Thousands of random lives of a link: frames are lost, doubled, garbled and late, sockets die with and without a word,
 * the hub restarts and forgets, the device sleeps. Whatever happens, what is called fresh is true.
 */
import { describe, expect, it } from "vitest";

import type { Agent, FromServer } from "../api/types";
import { CHECK_EVERY_HIDDEN_MS, CHECK_EVERY_MS, CHECK_WITHIN_MS, START, step, type Effect, type Link, type LinkEvent } from "./link";
import { agent, fleet } from "./samples";
import { apply, EMPTY, type State } from "./state";

/** Mulberry32: small, and the same everywhere. */
function dice(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

interface Told {
  seq: number;
  name: string;
  data: unknown;
}

/** A hub that keeps the promises of its journal. */
class Hub {
  agents = new Map<string, Agent>();
  journal: Told[] = [];
  /** What the fleet was at each event. */
  history = new Map<number, string>([[0, "[]"]]);
  seq = 0;
  oldest = 1;

  happen(roll: () => number): Told {
    const id = `agt_${Math.floor(roll() * 5)}`;
    const what = roll();
    this.seq += 1;
    const told = { seq: this.seq, ...this.change(id, what) };
    this.journal.push(told);
    this.history.set(this.seq, picture(this.agents));
    return told;
  }

  private change(id: string, what: number): Omit<Told, "seq"> {
    if (what < 0.1) return { name: "news.later", data: { id } };
    if (what < 0.3) {
      this.agents.delete(id);
      return { name: "agent.gone", data: { id, chat_id: "cht" } };
    }
    const data = agent(id, { since_ms: this.seq });
    this.agents.set(id, data);
    return { name: "agent.changed", data };
  }

  greet(after: number | null): FromServer[] {
    const welcome: FromServer = { type: "welcome", seq: this.seq, protocol: 1, server_time_ms: 1, version: "1" };
    if (after === null || after > this.seq || after + 1 < this.oldest) {
      return [welcome, { type: "resync", fleet: fleet(this.seq, [...this.agents.values()]) }];
    }
    return [welcome, ...this.journal.filter((one) => one.seq > after).map(frameOf)];
  }
}

const frameOf = (told: Told): FromServer => ({ type: "event", at_ms: 1, ...told });

function picture(agents: ReadonlyMap<string, Agent>): string {
  return JSON.stringify([...agents.values()].sort((one, other) => (one.id < other.id ? -1 : 1)));
}

/** The page, the hub, and a network between them that does its worst. */
class World {
  readonly hub = new Hub();
  readonly roll: () => number;
  link: Link = START;
  state: State = EMPTY;
  atMs = 1_000_000;
  isFaulty = true;
  private readonly timers = new Map<string, number>();
  private toPage: { frame: FromServer | null; socket: number }[] = [];
  private server: { socket: number; isGreeted: boolean } | null = null;
  private lost: { seq: number; atMs: number; socket: number }[] = [];

  constructor(seed: number) {
    this.roll = dice(seed);
    this.on({ type: "start", hasNetwork: true, isVisible: true });
  }

  on(event: LinkEvent): void {
    const [link, effects] = step(this.link, event, { atMs: this.atMs, roll: this.roll() });
    this.link = link;
    for (const effect of effects) this.perform(effect);
    this.check();
  }

  private perform(effect: Effect): void {
    switch (effect.do) {
      case "open":
        this.toPage = [];
        this.server = null;
        if (this.isFaulty && this.roll() < 0.3) this.later(() => this.on({ type: "closed", socket: effect.socket, code: 1006, reason: "" }));
        else if (!this.isFaulty || this.roll() < 0.8) this.later(() => this.on({ type: "opened", socket: effect.socket }));
        return;
      case "hello":
        this.server = { socket: effect.socket, isGreeted: true };
        for (const frame of this.hub.greet(effect.after)) this.push(frame);
        return;
      case "send":
        if (effect.frame.type === "prove" && this.server?.socket === effect.socket) this.push({ type: "proof", seq: this.hub.seq, server_time_ms: 1 });
        return;
      case "close":
        if (this.server?.socket === effect.socket) this.server = null;
        return;
      case "set":
        this.timers.set(effect.timer, this.atMs + effect.inMs);
        return;
      case "clear":
        this.timers.delete(effect.timer);
        return;
      case "ask": {
        const value = fleet(this.hub.seq, [...this.hub.agents.values()]);
        if (!this.isFaulty || this.roll() < 0.5) this.later(() => this.on({ type: "answer", socket: effect.socket, answer: { ok: true, value } }));
        return;
      }
      case "store":
        this.state = apply(this.state, effect.event);
        return;
      default:
    }
  }

  private pending: (() => void)[] = [];

  private later(what: () => void): void {
    this.pending.push(what);
  }

  private push(frame: FromServer): void {
    if (this.server === null) return;
    const one = { frame, socket: this.server.socket };
    const fault = this.isFaulty ? this.roll() : 1;
    if (fault < 0.04) {
      if (frame.type === "event") this.lost.push({ seq: frame.seq, atMs: this.atMs, socket: one.socket });
    } else if (fault < 0.06) this.toPage.push(one, one);
    else if (fault < 0.07) this.toPage.push({ ...one, frame: null });
    else if (fault < 0.08 && frame.type === "event") this.toPage.push({ ...one, frame: { ...frame, data: 7 } });
    else this.toPage.push(one);
  }

  /** One random thing. */
  turn(): void {
    const what = this.roll();
    if (what < 0.35) {
      const told = this.hub.happen(this.roll);
      this.push(frameOf(told));
    } else if (what < 0.7) this.deliver(1 + Math.floor(this.roll() * 4));
    else if (what < 0.85) this.pass(Math.floor(this.roll() * 4_000));
    else if (what < 0.87) this.pass(Math.floor(this.roll() * 3_600_000)); // sleep
    else if (what < 0.9) this.on({ type: "visible", is: this.roll() < 0.6 });
    else if (what < 0.92) this.on({ type: "network", has: this.roll() < 0.5 });
    else if (what < 0.94) this.on({ type: "prove" });
    else if (what < 0.96) this.on({ type: "closed", socket: this.link.socket, code: 1006, reason: "" });
    else if (what < 0.97) this.server = null; // dies without a word
    else if (what < 0.98) this.hub.oldest = this.hub.seq; // forgets its journal
    else this.deliver(100);
  }

  deliver(most: number): void {
    for (const work of this.pending.splice(0)) work();
    for (let count = 0; count < most; count++) {
      const one = this.toPage.shift();
      if (one === undefined) return;
      this.on({ type: "frame", socket: one.socket, frame: one.frame });
    }
  }

  /** Time passes; timers fire in their order, frames only when they are delivered. */
  pass(ms: number): void {
    const until = this.atMs + ms;
    for (;;) {
      const [next] = [...this.timers].sort(([, one], [, other]) => one - other);
      if (next === undefined || next[1] > until) break;
      this.timers.delete(next[0]);
      this.atMs = Math.max(this.atMs, next[1]);
      this.on({ type: "timer", name: next[0] as "retry" });
      if (!this.isFaulty) this.deliver(1_000);
    }
    this.atMs = until;
  }

  private check(): void {
    const isLive = this.state.freshness.kind === "live";
    if (isLive !== (this.link.phase === "live")) throw new Error(`fresh ${isLive} in phase ${this.link.phase}`);
    if (this.link.seq !== this.state.seq) throw new Error("the link and the state have come apart");
    if (this.state.seq !== null && picture(this.state.agents) !== this.hub.history.get(this.state.seq)) {
      throw new Error(`the state at ${this.state.seq} is not what it was there`);
    }
    const bound = 2 * (CHECK_EVERY_HIDDEN_MS + CHECK_WITHIN_MS);
    for (const one of isLive ? this.lost : []) {
      const isMissed = one.socket === this.link.socket && one.seq > (this.state.seq ?? 0);
      if (isMissed && this.atMs - one.atMs > bound) throw new Error(`${one.seq} was lost, and nobody noticed`);
    }
  }
}

describe("a link in a bad world", () => {
  it.each(Array.from({ length: 10 }, (_, at) => at * 50))("never calls stale state fresh, and gets well (seeds from %i)", (first) => {
    for (let seed = first; seed < first + 50; seed++) {
      const world = new World(seed);
      try {
        for (let turn = 0; turn < 120; turn++) world.turn();
        world.isFaulty = false;
        world.on({ type: "network", has: true });
        world.on({ type: "visible", is: true });
        for (let round = 0; round < 30; round++) {
          world.deliver(1_000);
          world.pass(CHECK_EVERY_MS);
        }
        world.deliver(1_000);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
      expect([seed, world.link.phase, world.state.seq]).toEqual([seed, "live", world.hub.seq]);
      expect(world.link.isOld).toBe(false);
    }
  });
});
