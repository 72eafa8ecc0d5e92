import { afterEach, describe, expect, it, vi } from "vitest";

import { beforeLeaving } from "../kit/leave";
import { loadNew, newVersion } from "./register";

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
