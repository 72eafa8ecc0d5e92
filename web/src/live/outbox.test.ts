import "fake-indexeddb/auto";

import { IDBFactory } from "fake-indexeddb";
import { beforeEach, expect, test, vi } from "vitest";

import type { Http, Refusal } from "../api/http";
import { Database } from "../kit/idb";
import { newMessage, type OutFile, type OutMessage } from "../store/outbox";
import { Outbox } from "./outbox";

type Reply = { ok: true; value: unknown } | { ok: false; refusal: Refusal };

const ACCEPTED: Reply = { ok: true, value: { id: "msg_1", state: "accepted" } };
const no = (code: string, text = "x"): Reply => ({ ok: false, refusal: { code, text, status: 0 } as Refusal });

class Hub {
  asked: [string, string, unknown][] = [];
  replies: Reply[] = [];
  async request(method: string, path: string, options: { body?: unknown } = {}): Promise<Reply> {
    this.asked.push([method, path, options.body]);
    return this.replies.shift() ?? ACCEPTED;
  }
}

let factory: IDBFactory;
let hub: Hub;
let mayAsk: boolean;
beforeEach(() => {
  factory = new IDBFactory();
  hub = new Hub();
  mayAsk = true;
});

function outbox(more: { upload?: (name: string) => Promise<Reply> } = {}): Outbox {
  return new Outbox({
    http: hub as unknown as Http,
    database: new Database(factory),
    nowMs: () => Date.now(),
    mayAsk: () => mayAsk,
    random: () => 0,
    upload: (async (_http: unknown, _bytes: unknown, name: string) =>
      (more.upload ?? (async () => ({ ok: true, value: { id: `up_${name}` } })))(name)) as never,
  });
}

function message(files: OutFile[] = [], id = "msg_1"): OutMessage {
  return newMessage({ id, chatId: "cht_1", agentId: "agt_1", text: "hi", when: "idle", onDraft: "wait", files }, Date.now());
}

async function until(box: Outbox, kind: string, id = "msg_1"): Promise<void> {
  await vi.waitFor(() => expect(box.messages.value.get(id)?.state.kind).toBe(kind), { timeout: 5000 });
}

test("a message goes out and is known as accepted", async () => {
  const box = outbox();
  await box.start();
  await box.add(message());
  await until(box, "accepted");
  expect(hub.asked).toEqual([["POST", "/chats/cht_1/messages", { id: "msg_1", text: "hi" }]]);
  box.stop();
});

test("what was written offline survives the page and goes out once with its id", async () => {
  mayAsk = false;
  const first = outbox();
  await first.start();
  await first.add(message());
  first.stop();
  expect(hub.asked).toEqual([]);
  mayAsk = true;
  const second = outbox();
  await second.start();
  await until(second, "accepted");
  expect(hub.asked.map(([, , body]) => (body as { id: string }).id)).toEqual(["msg_1"]);
  second.stop();
});

test("a page that dies while it sends leaves the message to the next one", async () => {
  hub.request = () => new Promise(() => undefined);
  const first = outbox();
  await first.start();
  await first.add(message());
  await until(first, "sending");
  await vi.waitFor(async () => {
    const found = await new Database(factory).get<OutMessage>("outbox", "msg_1");
    expect(found.ok && found.value?.state.kind).toBe("sending");
  });
  first.stop();
  hub = new Hub();
  const second = outbox();
  await second.start();
  await until(second, "accepted");
  second.stop();
});

test("a lost answer is asked for again, and two of a chat keep their order", async () => {
  hub.replies = [no("unreachable")];
  const box = outbox();
  await box.start();
  await box.add(message());
  await until(box, "saved");
  await box.add({ ...message([], "msg_2"), madeMs: Date.now() + 1 });
  box.linkIsBack();
  await until(box, "accepted", "msg_2");
  expect(hub.asked.map(([, , body]) => (body as { id: string }).id)).toEqual(["msg_1", "msg_1", "msg_2"]);
  box.stop();
});

test("files go first, and only those that the hub does not have", async () => {
  const names: string[] = [];
  const box = outbox({ upload: async (name) => { names.push(name); return { ok: true, value: { id: `up_${name}` } }; } });
  await box.start();
  box.hold("file_1", new Blob(["a"]));
  const files = [{ id: "file_1", name: "a", size: 1, type: "" }, { id: "hub_x", name: "b", size: 1, type: "", uploadId: "up_b" }];
  await box.add(message(files));
  await until(box, "accepted");
  expect(names).toEqual(["a"]);
  expect((hub.asked[0]?.[2] as { attachments: string[] }).attachments).toEqual(["up_a", "up_b"]);
  box.stop();
});

test("bytes that are gone are said, and a refused upload stops the message", async () => {
  const box = outbox({ upload: async () => no("too_large", "A file may have at most 1 kB.") });
  await box.start();
  await box.add(message([{ id: "file_9", name: "a.png", size: 1, type: "" }]));
  await until(box, "refused");
  expect(box.messages.value.get("msg_1")?.state).toMatchObject({ why: "a.png is not on this device any more." });
  box.hold("file_9", new Blob(["a"]));
  box.again("msg_1");
  await vi.waitFor(() => expect(box.messages.value.get("msg_1")?.state).toMatchObject({ kind: "refused", why: "A file may have at most 1 kB." }));
  expect(hub.asked).toEqual([]);
  box.stop();
});

test("a clash that is our own earlier try counts as accepted", async () => {
  hub.replies = [no("conflict"), { ok: true, value: { id: "msg_1", text: "hi" } }];
  const box = outbox();
  await box.start();
  await box.add(message());
  await until(box, "accepted");
  box.stop();
});

test("taking back asks the hub when it may have the message", async () => {
  hub.replies = [no("unreachable"), no("conflict", "It is being typed.")];
  const box = outbox();
  await box.start();
  await box.add(message());
  await vi.waitFor(() => expect(box.messages.value.get("msg_1")?.state).toMatchObject({ kind: "saved", why: "x" }));
  // The failed try is seen before it is on disk; until then the hub is not asked.
  await vi.waitFor(async () => expect(await box.takeBack("msg_1")).toBe("It is being typed."), { timeout: 5000 });
  expect(box.messages.value.has("msg_1")).toBe(true);
  hub.replies = [no("not_found")];
  expect(await box.takeBack("msg_1")).toBe("");
  expect(box.messages.value.size).toBe(0);
  box.stop();
});

test("what is being taken back is not tried again meanwhile, and does not come back from an older read", async () => {
  const box = outbox();
  hub.replies = [no("unreachable")];
  await box.start();
  await box.add(message());
  await vi.waitFor(() => expect(box.messages.value.get("msg_1")?.state).toMatchObject({ kind: "saved", why: "x" }));
  let answer: (reply: Reply) => void = () => undefined;
  const asked = new Promise<Reply>((resolve) => { answer = resolve; });
  const request = vi.spyOn(hub, "request").mockReturnValue(asked);
  let back: Promise<string> = Promise.resolve("");
  await vi.waitFor(() => { // the failed try is seen before it is on disk
    back = box.takeBack("msg_1");
    expect(request).toHaveBeenCalled();
  });
  box.linkIsBack();
  for (let turn = 0; turn < 3; turn++) await new Database(factory).entries("outbox"); // a next try is written down before it goes out
  answer(no("not_found"));
  expect(await back).toBe("");
  expect(request.mock.calls.map(([method]) => method)).toEqual(["DELETE"]);
  expect(box.messages.value.size).toBe(0);
  box.stop();
});

test("without any storage a message is sent all the same, and it is said", async () => {
  const box = new Outbox({ http: hub as unknown as Http, database: new Database(undefined), nowMs: () => 1, mayAsk: () => true });
  vi.stubGlobal("indexedDB", undefined);
  const denied = new Outbox({ http: hub as unknown as Http, database: new Database(), nowMs: () => Date.now(), mayAsk: () => true });
  await denied.start();
  await denied.add(message());
  await until(denied, "accepted");
  expect(denied.trouble.value?.kind).toBe("denied");
  expect(denied.isKept("msg_1")).toBe(false);
  denied.stop();
  box.stop();
  vi.unstubAllGlobals();
});

test("two tabs: the message of one is sent once", async () => {
  const [one, other] = [outbox(), outbox()];
  await one.start();
  await other.start();
  await other.add(message());
  await until(other, "accepted");
  await until(one, "accepted");
  expect(hub.asked.length).toBe(1);
  one.stop();
  other.stop();
});
