import { signal } from "@preact/signals";
import { afterEach, describe, expect, it } from "vitest";

import type { Answer } from "../../api/http";
import type { Item, Items } from "../../api/types";
import type { Room } from "../../live/room";
import { EMPTY, type State } from "../../store/state";
import { ChatModel } from "./model";

const item = (n: number): Item => ({ id: `i${n}`, at_ms: n, kind: "assistant", text: `text ${n}` });

/** A hub with one chat of `count` items whose cursors are positions. */
class FakeHub {
  readonly asked: string[] = [];
  refuse: string | null = null;
  hidden = new Set<string>();
  sink: ((items: readonly Item[] | null) => void) | null = null;
  readonly state = signal<State>(EMPTY);

  constructor(public count: number) {}

  get room(): Room {
    return {
      state: this.state,
      openChat: (_chatId: string, sink: (items: readonly Item[] | null) => void) => {
        this.sink = sink;
        return () => { this.sink = null; };
      },
      http: { request: (method: string, path: string, options: { query?: Record<string, string | number | undefined> } = {}) => this.answer(method, path, options.query ?? {}) },
    } as unknown as Room;
  }

  private answer(method: string, path: string, query: Record<string, string | number | undefined>): Promise<Answer<unknown>> {
    this.asked.push(`${method} ${path} ${JSON.stringify(query)}`);
    if (this.refuse !== null) return Promise.resolve({ ok: false, refusal: { code: this.refuse as "offline", text: "no", status: 503 } });
    if (method !== "GET") return Promise.resolve({ ok: true, value: {} });
    const limit = Number(query["limit"] ?? 50);
    let [from, to] = [Math.max(0, this.count - limit), this.count];
    if (query["before"] !== undefined) [from, to] = [Math.max(0, Number(query["before"]) - limit), Number(query["before"])];
    if (query["after"] !== undefined) [from, to] = [Number(query["after"]), Math.min(this.count, Number(query["after"]) + limit)];
    if (query["around"] !== undefined) [from, to] = [Math.max(0, Number(String(query["around"]).slice(1)) - 100), Math.min(this.count, Number(String(query["around"]).slice(1)) + 100)];
    const page: Items = { items: Array.from({ length: to - from }, (_, n) => item(from + n)), before: from > 0 ? String(from) : null, after: String(to), skipped: 0 };
    return Promise.resolve({ ok: true, value: page });
  }
}

let model: ChatModel | null = null;
afterEach(() => model?.close());

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

async function open(hub: FakeHub, unread = 0, itemId?: string): Promise<ChatModel> {
  model = new ChatModel(hub.room, "cht_1");
  model.start(unread, itemId);
  await settled();
  return model;
}

const span = (chat: ChatModel): string => `${chat.state.value.items[0]?.id}…${chat.state.value.items.at(-1)?.id}`;

describe("a chat that is open", () => {
  it("opens at its end, with enough of it for what is unread", async () => {
    const hub = new FakeHub(1000);
    expect(span(await open(hub, 20))).toBe("i840…i999");
  });

  it("grows backwards and is trimmed", async () => {
    const chat = await open(new FakeHub(1000));
    await chat.loadOlder();
    expect(span(chat)).toBe("i880…i999");
  });

  it("opens around an item and goes on to the end", async () => {
    const chat = await open(new FakeHub(1000), 0, "i500");
    expect(span(chat)).toBe("i400…i659");
    expect(chat.state.value.isAtEnd).toBe(false);
    for (let round = 0; round < 20 && !chat.state.value.isAtEnd; round++) await chat.loadNewer();
    expect([span(chat), chat.state.value.isAtEnd]).toEqual(["i400…i999", true]);
  });

  it("takes what is pushed, and catches up when pushes were missed", async () => {
    const hub = new FakeHub(10);
    const chat = await open(hub);
    hub.sink?.([item(10)]);
    expect(span(chat)).toBe("i0…i10");
    hub.count = 400;
    hub.sink?.(null);
    await settled();
    expect([span(chat), chat.state.value.items.length]).toEqual(["i0…i399", 400]);
  });

  it("says what could not be fetched, keeps what is there, and can try again", async () => {
    const hub = new FakeHub(1000);
    const chat = await open(hub);
    hub.refuse = "offline";
    await chat.loadOlder();
    expect([chat.trouble.value?.of, chat.trouble.value?.refusal.code, span(chat)]).toEqual(["older", "offline", "i940…i999"]);
    hub.refuse = null;
    await chat.loadOlder();
    expect([chat.trouble.value, span(chat)]).toEqual([null, "i880…i999"]);
  });

  it("hides at once, and shows again what the hub refuses to hide", async () => {
    const hub = new FakeHub(3);
    const chat = await open(hub);
    expect(await chat.hide("i1")).toBeNull();
    expect(chat.state.value.items.map((one) => one.id)).toEqual(["i0", "i2"]);
    expect(await chat.restore("i1")).toBeNull();
    expect(chat.state.value.items).toHaveLength(3);
    hub.refuse = "not_allowed";
    expect((await chat.hide("i1"))?.code).toBe("not_allowed");
    expect(chat.state.value.items).toHaveLength(3);
  });

  it("hides what another device hid", async () => {
    const hub = new FakeHub(3);
    const chat = await open(hub);
    hub.state.value = { ...EMPTY, hides: new Map([["cht_1", { seq: 5, items: new Map([["i2", true]]), beforeMs: undefined }]]) };
    expect(chat.state.value.items.map((one) => one.id)).toEqual(["i0", "i1"]);
    hub.state.value = { ...EMPTY, hides: new Map([["cht_1", { seq: 6, items: new Map([["i2", false]]), beforeMs: undefined }]]) };
    expect(chat.state.value.items).toHaveLength(3);
  });

  it("does nothing any more once it is closed", async () => {
    const hub = new FakeHub(1000);
    const chat = new ChatModel(hub.room, "cht_1");
    chat.start(0);
    chat.close();
    await settled();
    expect([chat.state.value.isLoaded, hub.sink]).toEqual([false, null]);
  });
});
