import { signal } from "@preact/signals";
import { expect, it, vi } from "vitest";

import { operation } from "../store/samples";
import { EMPTY } from "../store/state";
import { takeBack } from "./operations";
import type { Room } from "./room";

it("takes back with the same request after a lost answer, with a new one after any other", async () => {
  const request = vi.fn();
  const room = { state: signal(EMPTY), http: { request }, tell: vi.fn() } as unknown as Room;
  const over = operation("op_1", { state: "delivered" });
  request.mockResolvedValueOnce({ ok: false, refusal: { code: "unreachable", text: "No answer.", status: 0 } });
  request.mockResolvedValueOnce({ ok: true, value: operation("op_2", { undoes: "op_1", state: "queued" }) });
  request.mockResolvedValueOnce({ ok: false, refusal: { code: "conflict", text: "It was taken back already.", status: 409 } });
  expect((await takeBack(room, over))?.code).toBe("unreachable");
  expect(await takeBack(room, over)).toBeNull();
  expect((await takeBack(room, over))?.code).toBe("conflict"); // what took it back may fail, and then its Undo is there again
  const [lost, again, anew] = request.mock.calls.map(([, , options]) => (options as { body: { request_id: string } }).body.request_id);
  expect(again).toBe(lost);
  expect(anew).not.toBe(lost);
});
