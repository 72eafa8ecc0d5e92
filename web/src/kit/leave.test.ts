import { afterEach, describe, expect, it, vi } from "vitest";

import { beforeLeaving, watchForLeaving, writeDown } from "./leave";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
});

describe("what is written down before the page goes", () => {
  it("is everything that asked for it, and tells whether it was", async () => {
    const work = vi.fn(() => Promise.resolve());
    stops.push(beforeLeaving(work));
    expect(await writeDown()).toBe(true);
    stops.push(beforeLeaving(() => Promise.reject(new Error("full"))));
    expect(await writeDown()).toBe(false);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it("does not wait for ever", async () => {
    vi.useFakeTimers();
    stops.push(beforeLeaving(() => new Promise(() => undefined)));
    const done = writeDown();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await done).toBe(false);
  });

  it("is asked for when the page is hidden, not when it is shown", () => {
    const work = vi.fn(() => Promise.resolve());
    stops.push(beforeLeaving(work));
    watchForLeaving(document, window);
    const state = vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
    document.dispatchEvent(new Event("visibilitychange"));
    expect(work).not.toHaveBeenCalled();
    state.mockReturnValue("hidden");
    document.dispatchEvent(new Event("visibilitychange"));
    expect(work).toHaveBeenCalledOnce();
  });
});
