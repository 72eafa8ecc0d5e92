import { describe, expect, it } from "vitest";

import { worstOf } from "./trouble";

const item = (code: string, since_ms: number) => ({ code, title: `${code} fails`, since_ms, do: "Look." });

describe("what troubles the control room", () => {
  it("shows the oldest of what people should see", () => {
    expect(worstOf([item("vitals:memory", 20), item("database:hub", 10), item("usage:claude", 1)])).toEqual({ title: "database:hub fails", sinceMs: 10 });
  });

  it("is silent about what stands in Settings only", () => {
    expect(worstOf([item("usage:claude", 1), item("push:sub_1", 2)])).toBeNull();
    expect(worstOf([])).toBeNull();
  });
});
