import { render } from "preact";
import { signal } from "@preact/signals";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { RoomContext, type LinkState, type Room } from "../live/room";
import { EMPTY } from "../store/state";
import { Strips } from "./strips";

const link = signal<LinkState>({ kind: "live" });
const isOld = signal(false);
const prove = vi.fn();
let place: HTMLElement;

beforeEach(() => {
  vi.useFakeTimers();
  link.value = { kind: "live" };
  isOld.value = false;
  const room = {
    link, isOld, prove, state: signal({ ...EMPTY, seq: 1, serverVersion: __APP_VERSION__ }), now: signal(1_000_000), clockOffMs: signal(0),
  } as unknown as Room;
  place = document.createElement("div");
  void act(() => render(<RoomContext.Provider value={room}><Strips /></RoomContext.Provider>, place));
});

afterEach(() => {
  void act(() => render(null, place));
  vi.useRealTimers();
});

describe("strips", () => {
  it("are a status that is there before it says anything", () => {
    expect(place.querySelector("[role=status]")?.textContent).toBe("");
  });

  it("tell the break with what to do, then for two seconds that it is over", () => {
    void act(() => {
      link.value = { kind: "connecting", sinceMs: 990_000 };
      isOld.value = true;
    });
    expect(place.textContent).toMatch(/^Reconnecting\. What you see is from/);
    place.querySelector("button")?.click();
    expect(prove).toHaveBeenCalledOnce();
    void act(() => {
      link.value = { kind: "live" };
      isOld.value = false;
    });
    expect(place.textContent).toBe("Up to date");
    void act(() => void vi.advanceTimersByTime(2_000));
    expect(place.textContent).toBe("");
  });
});
