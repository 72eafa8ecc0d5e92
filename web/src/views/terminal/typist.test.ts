import { signal } from "@preact/signals";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Ack } from "../../api/types";
import type { Room } from "../../live/room";
import type { Sight } from "./gate";
import { asKeys, Typist, type Note } from "./typist";

interface Sent {
  keys: readonly string[];
  seen: string | undefined;
  answer(code?: string, text?: string): void;
}

let sight: Sight;
let sent: Sent[];
let notes: (Note | null)[];
let typist: Typist;

beforeEach(() => {
  sight = { revision: "r1", dialog: null, dialogShownMs: 0 };
  sent = [];
  notes = [];
  const room = {
    now: signal(0),
    keys: (_agent: string, keys: readonly string[], seen?: string) => new Promise<Ack>((resolve) => {
      sent.push({ keys, seen, answer: (code, text) => resolve({ type: "ack", request_id: "r", ...(code === undefined ? {} : { code, text: text ?? null }) } as Ack) });
    }),
    http: {
      request: (_method: string, _path: string, { body }: { body: { paste: string; seen_revision?: string } }) => new Promise((resolve) => {
        sent.push({ keys: [`paste ${body.paste}`], seen: body.seen_revision, answer: (code, text) =>
          resolve(code === undefined ? { ok: true, value: {} } : { ok: false, refusal: { code, text: text ?? "", status: 409 } }) });
      }),
    },
  } as unknown as Room;
  typist = new Typist(room, "agt_1", () => sight, (note) => notes.push(note));
});

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe("typing", () => {
  it("sends the first key at once and the rest together behind it", async () => {
    const all = ["a", "b", "c"].map((key) => typist.press([key]));
    expect(sent.map(({ keys }) => keys)).toEqual([["a"]]);
    sent[0]?.answer();
    await settled();
    expect(sent.map(({ keys }) => keys)).toEqual([["a"], ["b", "c"]]);
    sent[1]?.answer();
    expect(await Promise.all(all)).toEqual([true, true, true]);
    void typist.press(["d"]);
    expect(sent).toHaveLength(3);
  });

  it("says a refusal and drops what was typed behind it", async () => {
    const all = [typist.press(["a"]), typist.press(["b"])];
    sent[0]?.answer("changed", "It asks something by now. No key was pressed.");
    expect(await Promise.all(all)).toEqual([false, false]);
    expect(sent).toHaveLength(1);
    expect(notes).toEqual([{ code: "changed", text: "It asks something by now. No key was pressed." }]);
  });

  it("does not carry keys into a prompt that appeared meanwhile", async () => {
    const all = [typist.press(["a"]), typist.press(["Enter"])];
    sight = { revision: "r2", dialog: "d", dialogShownMs: 0 };
    sent[0]?.answer();
    expect(await Promise.all(all)).toEqual([false, false]);
    expect(sent.map(({ keys }) => keys)).toEqual([["a"]]);
  });

  it("names the screen of each key while something is asked", () => {
    sight = { revision: "r1", dialog: "d", dialogShownMs: 0 };
    void typist.press(["Down"]);
    sight = { ...sight, revision: "r2" };
    void typist.press(["Down"]);
    expect(sent.map(({ keys, seen }) => [keys, seen])).toEqual([[["Down"], "r1"], [["Down"], "r2"]]);
  });

  it("presses nothing on an old screen", async () => {
    sight = { ...sight, revision: null };
    expect(await typist.press(["a"])).toBe(false);
    expect(sent).toEqual([]);
    expect(notes[0]?.text).toContain("not live");
  });
});

describe("a line", () => {
  it("is pasted, and submitted when it stands there", async () => {
    const done = typist.type("make test", true);
    await settled();
    expect(sent.map(({ keys }) => keys)).toEqual([["paste make test"]]);
    sent[0]?.answer();
    await settled();
    typist.painted();
    await vi.waitFor(() => expect(sent.map(({ keys }) => keys)).toEqual([["paste make test"], ["Enter"]]));
    sent[1]?.answer();
    expect(await done).toBe(true);
  });

  it("is not submitted when a prompt appeared behind it, and that is said", async () => {
    const done = typist.type("x", true);
    await settled();
    sent[0]?.answer();
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    sent[1]?.answer("changed", "It asks something by now. No key was pressed.");
    expect(await done).toBe(false);
    expect(notes.at(-1)?.text).toContain("Enter was not pressed");
  });

  it("alone is Enter", async () => {
    void typist.type("", true);
    await settled();
    expect(sent.map(({ keys }) => keys)).toEqual([["Enter"]]);
  });
});

describe("what an input method brings", () => {
  it.each([["ab ", ["a", "b", "Space"]], ["漢字", ["漢", "字"]]])("%s is keys", (text, keys) => expect(asKeys(text)).toEqual(keys));
  it.each(["e\u0301", "👨‍👩‍👧", "two\nlines", "x".repeat(17)])("%s is a paste", (text) => expect(asKeys(text)).toBeNull());
});
