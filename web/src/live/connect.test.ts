import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { FromClient, FromServer, Item, ScreenFrame } from "../api/types";
import { agent, fleet } from "../store/samples";
import { makeRoom } from "./connect";
import type { Room } from "./room";

/** A socket that a test plays: what was said on it, and what it makes the page hear. */
class Socket {
  static all: Socket[] = [];
  static get newest(): Socket {
    const socket = Socket.all.at(-1);
    if (socket === undefined) throw new Error("no socket was opened");
    return socket;
  }

  readyState = 0;
  said: FromClient[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;

  constructor(readonly url: string) {
    Socket.all.push(this);
  }

  send(text: string): void {
    this.said.push(JSON.parse(text) as FromClient);
  }

  close(): void {
    this.readyState = 3;
  }

  accept(): this {
    this.readyState = 1;
    this.onopen?.();
    return this;
  }

  say(...frames: FromServer[]): this {
    for (const frame of frames) this.onmessage?.({ data: JSON.stringify(frame) });
    return this;
  }

  /** Answers every question that was not answered yet. */
  prove(seq: number): this {
    const asked = this.said.filter((one) => one.type === "prove").length;
    this.said = this.said.filter((one) => one.type !== "prove");
    for (let at = 0; at < asked; at++) this.say({ type: "proof", seq, server_time_ms: serverMs() });
    return this;
  }

  die(code = 1006, reason = ""): void {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  types(): string[] {
    return this.said.map((one) => one.type).filter((type) => type !== "prove");
  }
}

const AHEAD_MS = 360_000; // this device's clock is wrong
const serverMs = () => Date.now() - AHEAD_MS;
const welcome = (seq: number): FromServer => ({ type: "welcome", seq, protocol: 1, server_time_ms: serverMs(), version: "1.0.0" });
const resync = (seq: number): FromServer => ({ type: "resync", fleet: fleet(seq, [agent("agt_1")]) });
const told = (seq: number, name: string, data: unknown): FromServer => ({ type: "event", seq, at_ms: 1, name, data });
const screen: ScreenFrame = { type: "frame", agent_id: "agt_1", revision: "r1", width: 80, height: 1, cursor: { row: 0, column: 0, visible: true }, data: "one" };

let room: Room;

function start(): Socket {
  room = makeRoom({
    open: (url) => new Socket(url) as unknown as WebSocket,
    ownMs: () => Date.now(),
    roll: () => 0.5,
    key: () => "the key",
    fleet: () => Promise.resolve({ ok: false, refusal: { code: "unreachable", text: "", status: 0 } }),
  });
  return Socket.newest;
}

function live(seq = 10): Socket {
  return start().accept().say(welcome(seq), resync(seq)).prove(seq);
}

function reconnected(seq: number): Socket {
  Socket.newest.die();
  vi.advanceTimersByTime(1_000);
  return Socket.newest.accept().say(welcome(seq));
}

beforeEach(() => {
  vi.useFakeTimers();
  Socket.all = [];
});
afterEach(() => vi.useRealTimers());

describe("a room", () => {
  it("greets with the key, and shows the fleet when it has it", () => {
    const socket = start().accept();
    expect(socket.url).toMatch(/^ws:.*\/api\/v1\/live$/);
    expect(socket.said).toEqual([{ type: "hello", after: null, key: "the key" }]);
    socket.say(welcome(10), resync(10));
    expect(room.state.value.agents.has("agt_1")).toBe(true);
    expect(room.state.value.freshness).toEqual({ kind: "live" });
    expect(room.link.value).toEqual({ kind: "live" });
  });

  it("tells the time of the hub on a device whose clock is wrong", () => {
    live();
    expect(room.clockOffMs.value).toBe(AHEAD_MS);
    expect(room.nowMs()).toBe(serverMs());
    vi.advanceTimersByTime(5_000);
    expect(room.now.value).toBe(serverMs());
  });

  it("says nothing for 3 s when the link breaks, then tells the past tense until it is back", () => {
    live().die();
    vi.advanceTimersByTime(2_900);
    expect(room.isOld.value).toBe(false);
    expect(room.state.value.freshness.kind).toBe("stale");
    vi.advanceTimersByTime(200);
    expect(room.isOld.value).toBe(true);
    Socket.newest.accept().say(welcome(11), told(11, "agent.changed", agent("agt_2")));
    expect(room.isOld.value).toBe(false);
    expect(room.state.value.agents.has("agt_2")).toBe(true);
  });

  it("shows thousands of missed events in few steps", () => {
    live();
    const changes = vi.fn();
    room.state.subscribe(changes);
    const socket = reconnected(2_010);
    changes.mockClear();
    for (let seq = 11; seq <= 2_010; seq++) socket.say(told(seq, "agent.changed", agent(`agt_${seq % 7}`)));
    expect(room.state.value.seq).toBe(2_010);
    expect(changes.mock.calls.length).toBeLessThan(5);
  });

  it("does not open anything without a key", () => {
    Socket.all = [];
    const keyless = makeRoom({ open: () => { throw new Error("opened"); }, ownMs: () => 0, roll: () => 0, key: () => null, fleet: vi.fn() });
    expect(keyless.link.value).toMatchObject({ kind: "not_paired" });
  });

  it("puts answers of requests into the state", () => {
    live();
    room.tell({ type: "devices", devices: [] });
    expect(room.state.value.devices).toEqual(new Map());
  });
});

describe("an open chat", () => {
  const item: Item = { id: "itm_1", at_ms: 1, kind: "assistant", text: "hello" };

  it("hears that pushes are on, then the items", () => {
    const socket = live();
    const heard: unknown[] = [];
    room.openChat("cht_1", (items) => heard.push(items));
    expect(heard).toEqual([]);
    socket.prove(10).say({ type: "items", chat_id: "cht_1", items: [item] }, { type: "items", chat_id: "cht_2", items: [item] });
    expect(heard).toEqual([null, [item]]);
  });

  it("is opened again on the next socket, and told to fetch what was missed", () => {
    live();
    const heard: unknown[] = [];
    const close = room.openChat("cht_1", (items) => heard.push(items));
    Socket.newest.prove(10);
    const socket = reconnected(10);
    expect(socket.types()).toEqual(["hello", "open"]);
    expect(heard).toEqual([null]);
    socket.prove(10);
    expect(heard).toEqual([null, null]);
    close();
    expect(socket.types()).toEqual(["hello", "open", "close"]);
    expect(reconnected(10).types()).toEqual(["hello"]);
  });

  it("is told to fetch when a hint is not followed by its items", () => {
    const socket = live();
    const heard: unknown[] = [];
    room.openChat("cht_1", (items) => heard.push(items));
    socket.prove(10);
    const hint = { chat_id: "cht_1", agent_id: "agt_1", after: "c", count: 1, last: "hello" };
    socket.say(told(11, "chat.items", hint), { type: "items", chat_id: "cht_1", items: [item] });
    vi.advanceTimersByTime(3_000);
    expect(heard).toEqual([null, [item]]);
    socket.say(told(12, "chat.items", hint));
    vi.advanceTimersByTime(3_000);
    expect(heard).toEqual([null, [item], null]);
  });

  it("tells what was seen, again when nobody knows whether it was heard", () => {
    const socket = live();
    room.seen("cht_1", "itm_1");
    room.seen("cht_1", "itm_1");
    expect(socket.types()).toEqual(["hello", "seen"]);
    const next = reconnected(10);
    expect(next.types()).toEqual(["hello", "seen"]);
    next.prove(10);
    expect(reconnected(10).types()).toEqual(["hello"]);
  });
});

describe("a watched pane", () => {
  it("is shown to all who watch, old when the link is gone, and watched again", () => {
    const socket = live();
    const one: unknown[] = [];
    const other: unknown[] = [];
    const stop = room.watch("agt_1", (frame) => one.push(frame?.revision ?? null));
    socket.say(screen);
    const stopOther = room.watch("agt_1", (frame) => other.push(frame?.revision ?? null));
    expect(socket.types()).toEqual(["hello", "watch"]);
    expect([one, other]).toEqual([["r1"], ["r1"]]);
    stop();
    const next = reconnected(10);
    expect(other).toEqual(["r1", null]);
    expect(next.types()).toEqual(["hello", "watch"]);
    stopOther();
    expect(next.types()).toEqual(["hello", "watch", "unwatch"]);
  });
});

describe("keys", () => {
  const ack = (socket: Socket): void => {
    const keys = socket.said.find((one) => one.type === "keys");
    if (keys?.type === "keys") socket.say({ type: "ack", request_id: keys.request_id });
  };

  it("are acknowledged", async () => {
    const socket = live();
    const pressed = room.keys("agt_1", ["Escape"], "r1");
    ack(socket);
    expect((await pressed).code ?? null).toBeNull();
  });

  it("are never sent again when the link breaks before the ack", async () => {
    live();
    const pressed = room.keys("agt_1", ["y"]);
    const next = reconnected(10).prove(10);
    expect(await pressed).toMatchObject({ code: "offline", text: expect.stringContaining("may have been pressed") });
    expect(next.types()).toEqual(["hello"]);
  });

  it("are not sent without a link", async () => {
    live().die();
    expect(await room.keys("agt_1", ["y"])).toMatchObject({ code: "offline", text: expect.stringContaining("not sent") });
  });

  it("wait while the link is proven, and go when it is or not at all", async () => {
    const socket = live();
    room.prove();
    const first = room.keys("agt_1", ["y"]);
    expect(socket.types()).toEqual(["hello"]);
    socket.prove(10);
    expect(socket.types()).toEqual(["hello", "keys"]);
    ack(socket);
    expect((await first).code ?? null).toBeNull();
    room.prove();
    const second = room.keys("agt_1", ["y"]);
    vi.advanceTimersByTime(3_000);
    expect(await second).toMatchObject({ code: "offline", text: expect.stringContaining("not sent") });
  });

  it("whose ack never comes are told after a while", async () => {
    const socket = live();
    const pressed = room.keys("agt_1", ["y"]);
    for (let second = 0; second < 20; second++) {
      socket.prove(10);
      vi.advanceTimersByTime(1_000);
    }
    expect(await pressed).toMatchObject({ code: "offline" });
  });
});

describe("a device that slept", () => {
  it("proves its link when it wakes without the page having been hidden", () => {
    const socket = live();
    socket.said = [];
    vi.setSystemTime(Date.now() + 3_600_000);
    vi.advanceTimersByTime(1_000);
    expect(socket.said).toContainEqual({ type: "prove" });
    expect(room.link.value.kind).toBe("proving");
    vi.advanceTimersByTime(3_000);
    expect(Socket.all).toHaveLength(2);
  });

  it("proves its link when the page is shown again", () => {
    const socket = live();
    document.dispatchEvent(new Event("visibilitychange"));
    expect(room.link.value.kind).toBe("proving");
    socket.prove(10);
    expect(room.link.value.kind).toBe("live");
  });
});
