import { IDBFactory } from "fake-indexeddb";
import { describe, expect, it } from "vitest";

import { Database } from "./idb";
import { keepShared, MOST_FILES, MOST_SHARED, sharedOf, sharedThings } from "./shared";

function form(fields: Record<string, string>, files: File[] = []): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  for (const file of files) made.append("files", file);
  return made;
}

describe("what is shared to the app", () => {
  it("is its words and files", () => {
    const file = new File(["hello"], "notes.txt", { type: "text/plain" });
    expect(sharedOf(form({ title: "A", text: "b", url: "https://c.test" }, [file]), "shr_1", 5)).toEqual({
      id: "shr_1", atMs: 5, title: "A", text: "b", url: "https://c.test", dropped: [],
      files: [{ name: "notes.txt", type: "text/plain", bytes: file }],
    });
  });

  it("may lack everything, and names what it cannot keep", () => {
    const files = Array.from({ length: MOST_FILES + 2 }, (_, at) => new File(["x"], `${at}.txt`));
    const thing = sharedOf(form({}, files), "shr_1", 5);
    expect(thing).toMatchObject({ title: "", text: "", url: "", dropped: ["20.txt", "21.txt"] });
    expect(sharedOf(form({ files: "text" }), "shr_2", 5).files).toEqual([]);
  });

  it("is kept until it is picked up, the newest few", async () => {
    const database = new Database(new IDBFactory());
    for (let at = 0; at < MOST_SHARED + 3; at++) await keepShared(database, sharedOf(form({ text: `${at}` }), `shr_${at}`, at));
    const kept = await sharedThings(database);
    expect(kept.ok && kept.value.map((thing) => thing.text)).toEqual(["12", "11", "10", "9", "8", "7", "6", "5", "4", "3"]);
    await database.close();
  });
});
