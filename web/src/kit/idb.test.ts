import { IDBFactory } from "fake-indexeddb";
import { beforeEach, describe, expect, it } from "vitest";

import { Database, type StoreName } from "./idb";

describe("what the device keeps", () => {
  let factory: IDBFactory;
  let database: Database;

  beforeEach(() => {
    factory = new IDBFactory();
    database = new Database(factory);
    return () => database.close();
  });

  it("gives back what was put, drops it, and lists by key", async () => {
    await database.put("drafts", "b", { text: "two" });
    await database.put("drafts", "a", { text: "one" });
    expect(await database.get("drafts", "b")).toEqual({ ok: true, value: { text: "two" } });
    expect(await database.entries("drafts")).toEqual({ ok: true, value: [["a", { text: "one" }], ["b", { text: "two" }]] });
    await database.drop("drafts", "b");
    expect(await database.get("drafts", "b")).toEqual({ ok: true, value: undefined });
  });

  it("does all steps of a change or none", async () => {
    const answer = await database.change([
      { store: "drafts", put: "a", value: 1 },
      { store: "bytes", put: "a", value: () => "a function cannot be kept" },
    ]);
    expect(answer.ok).toBe(false);
    expect(await database.get("drafts", "a")).toEqual({ ok: true, value: undefined });
  });

  it("is the same in the next tab, which hears of changes", async () => {
    const other = new Database(factory);
    const heard = new Promise<readonly StoreName[]>((resolve) => other.onChange(resolve));
    await database.put("outbox", "msg_1", "hello");
    expect(await heard).toEqual(["outbox"]);
    expect(await other.get("outbox", "msg_1")).toEqual({ ok: true, value: "hello" });
    await other.close();
  });

  it("lets a newer version change the stores, and opens anew", async () => {
    await database.put("meta", "a", 1);
    const newer = factory.open("controlroom", 2);
    await new Promise((resolve, reject) => {
      newer.onsuccess = resolve;
      newer.onblocked = reject;
    });
    newer.result.close();
    const answer = await database.get("meta", "a");
    expect(answer).toMatchObject({ ok: false, trouble: { kind: "blocked" } });
  });

  it("opens anew when the browser dropped the connection", async () => {
    await database.put("meta", "a", 1);
    const opened = await (database as unknown as { opening: Promise<{ value: IDBDatabase }> }).opening;
    opened.value.close();
    expect(await database.get("meta", "a")).toEqual({ ok: true, value: 1 });
  });

  it.each([
    ["QuotaExceededError", "full"],
    ["SecurityError", "denied"],
    ["UnknownError", "broken"],
  ])("says %s as %s", async (name, kind) => {
    const failing = { open: () => { throw new DOMException("no", name); } } as unknown as IDBFactory;
    expect(await new Database(failing).put("meta", "a", 1)).toMatchObject({ ok: false, trouble: { kind } });
  });

  it("says that nothing is kept where there is no storage", async () => {
    const none = new Database(undefined);
    expect(await none.get("meta", "a")).toMatchObject({ ok: false, trouble: { kind: "denied" } });
  });
});
