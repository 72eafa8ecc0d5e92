import "fake-indexeddb/auto";

import { signal } from "@preact/signals";
import { beforeEach, expect, it, vi } from "vitest";

import type { Room } from "../../live/room";
import { writing } from "../../live/writing";
import { question } from "../../store/samples";
import { forgetWords, wordsFor } from "./words";

const asked = question("q_1");

/** A page that has just been loaded. */
async function page(): Promise<Room> {
  const http = { request: vi.fn(() => Promise.resolve({ ok: false, refusal: { code: "internal", text: "", status: 500 } })) };
  const room = { http, nowMs: () => 5_000, link: signal({ kind: "live" }), state: signal({}) } as unknown as Room;
  await writing(room).ready;
  return room;
}

beforeEach(() => localStorage.clear());

it("are there after a reload, until they are sent", async () => {
  const first = await page();
  const words = wordsFor(first, asked);
  expect(words.value).toBeNull();
  words.value = "";
  expect(words.value).toBe("");
  words.value = "Per tenant, but ";
  await writing(first).drafts.flush();
  const second = await page();
  expect(wordsFor(second, asked).value).toBe("Per tenant, but ");
  expect(wordsFor(second, question("q_2")).value).toBeNull();
  await forgetWords(second, asked);
  expect(wordsFor(second, asked).value).toBeNull();
  expect(wordsFor(await page(), asked).value).toBeNull();
});

it("are gone when they are thrown away", async () => {
  const first = await page();
  const words = wordsFor(first, asked);
  words.value = "half";
  await writing(first).drafts.flush();
  words.value = null;
  expect(words.value).toBeNull();
  await writing(first).drafts.flush();
  expect(wordsFor(await page(), asked).value).toBeNull();
});
