import { afterEach, describe, expect, it, vi } from "vitest";

import { forgetKey, keepKey, onKeyChanged, readKey } from "./login";

afterEach(() => {
  forgetKey();
  vi.unstubAllGlobals();
});

describe("the page's half of its login", () => {
  it("is kept, and forgotten when the device signs out", () => {
    expect(readKey()).toBeNull();
    expect(keepKey("secret")).toBe(true);
    expect(readKey()).toBe("secret");
    forgetKey();
    expect(readKey()).toBeNull();
  });

  it("lives as long as the page where the browser keeps nothing", () => {
    const full = () => { throw new DOMException("full", "QuotaExceededError"); };
    vi.stubGlobal("localStorage", { setItem: full, getItem: () => "the key of an older pairing", removeItem: full });
    expect(keepKey("secret")).toBe(false);
    expect(readKey()).toBe("secret");
  });

  it("is followed when another tab of this device changes it", () => {
    const changed = vi.fn();
    onKeyChanged(changed);
    window.dispatchEvent(Object.assign(new Event("storage"), { key: "controlroom.taste" }));
    window.dispatchEvent(Object.assign(new Event("storage"), { key: "controlroom.key" }));
    expect(changed).toHaveBeenCalledOnce();
  });
});
