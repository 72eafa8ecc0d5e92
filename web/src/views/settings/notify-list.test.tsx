import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, expect, it, vi } from "vitest";

import { RoomContext, type Room } from "../../live/room";
import { NotifyList } from "./notify-list";

const request = vi.fn();
const room = { now: signal(50_000), http: { request } } as unknown as Room;
const settle = () => act(async () => { for (let turn = 0; turn < 5; turn++) await Promise.resolve(); });
const one = (number: number) => ({ id: `ntf_${number}`, kind: "finished", state: "pushed", began_ms: 1, at_ms: 1, title: `orchard ${number}`, text: "", why: "It was told.", open: "" });
const shown = () => [...document.querySelectorAll("li b")].map((title) => title.textContent);
const older = () => document.querySelector("button");

afterEach(() => act(() => render(null, document.body)));

it("shows each page once, however often it is asked for", async () => {
  request.mockResolvedValueOnce({ ok: true, value: { notifications: [one(3), one(2)], before: "2" } });
  act(() => render(<RoomContext.Provider value={room}><NotifyList /></RoomContext.Provider>, document.body));
  await settle();
  let answer: (value: unknown) => void = () => undefined;
  request.mockReturnValue(new Promise((resolve) => { answer = resolve; }));
  act(() => { older()?.click(); older()?.click(); });
  await act(() => answer({ ok: true, value: { notifications: [one(1)], before: null } }));
  await settle();
  expect(request.mock.calls.map(([, , options]) => (options as { query: unknown }).query)).toEqual([{ limit: 20 }, { limit: 20, before: "2" }]);
  expect(shown()).toEqual(["orchard 3", "orchard 2", "orchard 1"]);
  expect(older()).toBeNull();
});
