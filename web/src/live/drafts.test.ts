import "fake-indexeddb/auto";

import { IDBFactory } from "fake-indexeddb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Database } from "../kit/idb";
import { writeDown } from "../kit/leave";
import { MOST_DRAFTS, type Draft } from "../store/drafts";
import { Drafts } from "./drafts";

let factory: IDBFactory;
beforeEach(() => {
  factory = new IDBFactory();
  localStorage.clear();
});
afterEach(() => vi.restoreAllMocks());

async function drafts(): Promise<Drafts> {
  const made = new Drafts(new Database(factory));
  await made.start();
  return made;
}

function draft(chatId: string, text: string, changedMs = 5): Draft {
  return { chatId, agentId: "agt_1", text, quote: null, files: [], changedMs };
}

test("a draft is there after the page was closed", async () => {
  const first = await drafts();
  first.change(draft("cht_1", "half"));
  await first.flush();
  expect((await drafts()).of("cht_1", "agt_1").text).toBe("half");
});

test("what was typed right before the page ended is there too", async () => {
  const first = await drafts();
  first.change(draft("cht_1", "old", 5));
  await first.flush();
  first.change(draft("cht_1", "new", 6));
  vi.spyOn(first, "flush").mockResolvedValue(undefined); // the database was not quick enough
  await writeDown();
  expect((await drafts()).of("cht_1", "agt_1").text).toBe("new");
});

test("what was typed before the disk answered stands behind what lay there", async () => {
  const first = await drafts();
  first.change(draft("cht_1", "kept", 50));
  await first.flush();
  const second = new Drafts(new Database(factory));
  second.change(draft("cht_1", "typed", 5));
  await second.start();
  expect(second.of("cht_1", "agt_1").text).toBe("kept\ntyped");
  await second.flush();
  expect((await drafts()).of("cht_1", "agt_1").text).toBe("kept\ntyped");
});

test("an emptied draft is gone", async () => {
  const first = await drafts();
  first.change(draft("cht_1", "half"));
  await first.flush();
  first.change(draft("cht_1", "", 6));
  await first.flush();
  expect((await drafts()).drafts.value.size).toBe(0);
});

test("the draft too many is said, lives in the page, and is kept when a person makes room", async () => {
  const all = await drafts();
  for (let at = 0; at < MOST_DRAFTS; at += 1) all.change(draft(`cht_${at}`, "x", at + 1));
  await all.flush();
  all.change(draft("cht_new", "mine", 999));
  await all.flush();
  expect(all.unkept.value.get("cht_new")).toMatchObject({ why: "count", oldest: { chatId: "cht_0" } });
  expect(all.of("cht_new", "agt_1").text).toBe("mine");
  await all.drop(draft("cht_0", "x", 1));
  expect(all.unkept.value.size).toBe(0);
  expect((await drafts()).of("cht_new", "agt_1").text).toBe("mine");
});

test("without storage a draft lives in the page, and it is said", async () => {
  vi.stubGlobal("indexedDB", undefined);
  const all = new Drafts(new Database());
  await all.start();
  all.change(draft("cht_1", "half"));
  await all.flush();
  expect([all.trouble.value?.kind, all.of("cht_1", "agt_1").text]).toEqual(["denied", "half"]);
  vi.unstubAllGlobals();
});

test("bytes that nothing names are tidied up after a day, and no others", async () => {
  const database = new Database(factory);
  const day = 24 * 3600 * 1000;
  const ids = ["named", "old", "new"].map((name, at) => `file_${(Date.now() - (at === 2 ? 0 : 2 * day)).toString(36)}_${name}`);
  for (const id of ids) await database.put("bytes", id, new Blob(["x"]));
  const all = await drafts();
  all.change({ ...draft("cht_1", "x"), files: [{ id: ids[0] ?? "", name: "a", size: 1, type: "" }] });
  await all.tidy([]);
  const left = await database.entries("bytes");
  expect(left.ok && left.value.map(([id]) => id.split("_")[2]).sort()).toEqual(["named", "new"]);
});
