import { afterEach, describe, expect, it, vi } from "vitest";

import { beforeLeaving } from "../kit/leave";
import { loadNew, lookForNew, lookForNewSoon, newVersion } from "./register";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

describe("a new version", () => {
  it("is loaded only after everything was written down", async () => {
    const reload = vi.spyOn(location, "reload").mockReturnValue();
    const written = vi.fn();
    stops.push(beforeLeaving(() => Promise.resolve().then(written)));
    reload.mockImplementation(() => expect(written).toHaveBeenCalledOnce());
    expect(await loadNew()).toBe(true);
    expect(reload).toHaveBeenCalledOnce();
  });

  it("is not loaded when that failed, unless the person wants it all the same", async () => {
    const reload = vi.spyOn(location, "reload").mockReturnValue();
    stops.push(beforeLeaving(() => Promise.reject(new Error("full"))));
    expect(await loadNew()).toBe(false);
    expect(reload).not.toHaveBeenCalled();
    expect(await loadNew(true)).toBe(true);
    expect(reload).toHaveBeenCalledOnce();
  });

  it("is none before anybody looked", () => expect(newVersion.value).toBe("none"));
});

describe("a look that comes too soon after the last one", () => {
  it("is made later, once, as early as one of them may be", async () => {
    vi.useFakeTimers({ now: 1_000_000 });
    await lookForNew();
    const started = vi.spyOn(globalThis, "setTimeout");
    lookForNewSoon(60_000);
    lookForNewSoon(60_000);
    lookForNewSoon(5_000);
    lookForNewSoon(60_000);
    expect(started.mock.calls.map(([, ms]) => ms)).toEqual([60_000, 5_000]);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(vi.getTimerCount()).toBe(0);
    lookForNewSoon(60_000);
    expect(started.mock.calls.at(-1)?.[1]).toBe(60_000);
    vi.useRealTimers();
  });
});
