import { describe, expect, it } from "vitest";
import { CLOSED_LOCK, lockAfter, looksIn, parseLock, type LockEvent, type LockState } from "./lock";

const NOW = 1_796_000_000_000;
const ON = { app: true, idleMs: 300_000 };
const OFF = { app: false, idleMs: 300_000 };

function play(...events: LockEvent[]): LockState {
  return events.reduce(lockAfter, CLOSED_LOCK);
}

const opened = (isAnew: boolean, actedMs = NOW): LockEvent => ({ type: "opened", settings: ON, isAnew, actedMs, nowMs: NOW });

describe("the lock of the page", () => {
  it("is shut when it is opened anew, and not by a reload", () => {
    expect(play(opened(true)).isShut).toBe(true);
    expect(play(opened(false)).isShut).toBe(false);
    expect(play(opened(false, NOW - 300_000)).isShut).toBe(true);
  });

  it("asks for nothing while it is off", () => {
    const open = play({ type: "opened", settings: OFF, isAnew: true, actedMs: 0, nowMs: NOW });
    expect(open.isShut).toBe(false);
    expect(lockAfter(open, { type: "refused" }).isShut).toBe(false);
    expect(lockAfter(open, { type: "looked", nowMs: NOW + 1e9 }).isShut).toBe(false);
    expect(looksIn(open, NOW)).toBeNull();
  });

  it.each([
    [0, false],
    [299_999, false],
    [300_000, true],
    [86_400_000, true],
    [-60_000, false],
    [-60_001, true],
  ])("after %i ms without an act it is shut: %s", (ms, isShut) => {
    expect(play(opened(false), { type: "looked", nowMs: NOW + ms }).isShut).toBe(isShut);
  });

  it("counts from the last act", () => {
    const state = play(opened(false), { type: "acted", nowMs: NOW + 200_000 }, { type: "looked", nowMs: NOW + 400_000 });
    expect(state.isShut).toBe(false);
    expect(looksIn(state, NOW + 400_000)).toBe(100_000);
  });

  it("is not opened by an act, not even the one that comes just after the end", () => {
    const late = play(opened(false), { type: "acted", nowMs: NOW + 300_001 });
    expect(late.isShut).toBe(true);
    expect(lockAfter(late, { type: "acted", nowMs: NOW + 300_002 }).isShut).toBe(true);
  });

  it("stays open by acts in another window, and is not opened by them", () => {
    const told = play(opened(false), { type: "told", actedMs: NOW + 250_000 }, { type: "looked", nowMs: NOW + 400_000 });
    expect(told.isShut).toBe(false);
    expect(lockAfter(told, { type: "told", actedMs: NOW }).actedMs).toBe(NOW + 250_000);
    expect(play(opened(true), { type: "told", actedMs: NOW + 1 }).isShut).toBe(true);
  });

  it("is opened by the passkey alone", () => {
    const shut = play(opened(true));
    for (const event of [
      { type: "settings", settings: OFF, nowMs: NOW },
      { type: "looked", nowMs: NOW },
      { type: "acted", nowMs: NOW },
    ] as const) {
      expect(lockAfter(shut, event).isShut).toBe(true);
    }
    expect(lockAfter(shut, { type: "unlocked", nowMs: NOW + 1 })).toMatchObject({ isShut: false, actedMs: NOW + 1 });
  });

  it("is shut by the hub and by another window", () => {
    expect(play(opened(false), { type: "refused" }).isShut).toBe(true);
    expect(play(opened(false), { type: "locked" }).isShut).toBe(true);
  });

  it("takes a shorter idle time at once", () => {
    const state = play(opened(false), { type: "settings", settings: { app: true, idleMs: 15_000 }, nowMs: NOW + 20_000 });
    expect(state.isShut).toBe(true);
  });

  it.each([
    [null, { app: false, idleMs: 300_000 }],
    ['{"app":true,"idleMs":60000}', { app: true, idleMs: 60_000 }],
    ['{"app":false,"idleMs":60000}', { app: false, idleMs: 60_000 }],
    ['{"idleMs":"soon"}', { app: true, idleMs: 300_000 }],
    ["garbage", { app: true, idleMs: 300_000 }],
    ["null", { app: true, idleMs: 300_000 }],
  ])("reads %j", (text, settings) => expect(parseLock(text)).toEqual(settings));
});
