import { describe, expect, it } from "vitest";

import { machine } from "../store/samples";
import { worstOf } from "./trouble";

const item = (code: string, since_ms: number, change: { title?: string; do?: string; machine_id?: string } = {}) => ({ code, title: `${code} fails`, since_ms, do: "Look.", ...change });
const ONE = new Map([["mac_1", machine("mac_1", { name: "studio" })]]);
const TWO = new Map([...ONE, ["mac_2", machine("mac_2", { name: "attic" })]]);

describe("what troubles the control room", () => {
  it("is told with what to do, the gravest first and of those the oldest", () => {
    const all = [item("usage:claude", 1), item("vitals:memory", 20), item("database:hub", 10), item("crashed:postman", 30)];
    expect(worstOf(all, ONE)).toEqual({ text: "database:hub fails. Look. And 3 more.", sinceMs: 10, isGrave: true });
  });

  it.each(["usage:acc_1", "clock:skew", "agents:claude:failing", "agents:codex:problem:x", "crashed:policy", "multiplexer:tmux", "vitals:disk", "database:hub",
    "push:sub_1", "kind:other", "adapter:other", "certificate", "tailscale", "checker", "of:a:newer:version"])("shows %s", (code) => {
    expect(worstOf([item(code, 5)], ONE)?.text).toBe(`${code} fails. Look.`);
  });

  it("names the machine where there are several, and says nothing twice", () => {
    const same = item("agents:codex:problem:x", 5, { title: "Its folder cannot be read.", do: "Its folder cannot be read.", machine_id: "mac_2" });
    expect(worstOf([same], TWO)?.text).toBe("attic: Its folder cannot be read.");
    expect(worstOf([same], ONE)?.text).toBe("Its folder cannot be read.");
  });

  it("is nothing when nothing is", () => expect(worstOf([], ONE)).toBeNull());
});
