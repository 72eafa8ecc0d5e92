import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Room } from "./room";

const KEPT = JSON.stringify({ app: true, idleMs: 300_000 });

/** The module keeps the state of one page: each test opens a page of its own. */
async function page(kept: Record<string, string>, hasOtherWindow = false) {
  vi.resetModules();
  localStorage.clear();
  for (const [name, text] of Object.entries(kept)) localStorage.setItem(`controlroom.${name}`, text);
  vi.stubGlobal("navigator", {
    locks: {
      query: () => Promise.resolve({ held: hasOtherWindow ? [{ name: "controlroom.window" }] : [] }),
      request: () => new Promise(() => undefined),
    },
  });
  const lock = await import("./lock");
  const asked: string[] = [];
  const link = signal({ kind: "live" });
  const room = {
    http: { request: (method: string, path: string) => { asked.push(`${method} ${path}`); return Promise.resolve({ ok: false, refusal: {} }); } },
    link,
  } as unknown as Room;
  lock.keepLock(room);
  await lock.openLock();
  return { lock, asked, link };
}

/** What another window of this device did. */
function others(name: string, text: string | null): void {
  if (text === null) localStorage.removeItem(name);
  else localStorage.setItem(name, text);
  window.dispatchEvent(new StorageEvent("storage", { key: name, newValue: text }));
}

/** Pages of tests before must not go on as other windows of the same device. */
const heard: (() => void)[] = [];

beforeEach(() => {
  sessionStorage.clear();
  for (const target of [window, document]) {
    const add = target.addEventListener.bind(target);
    vi.spyOn(target, "addEventListener").mockImplementation((name: string, listener: EventListenerOrEventListenerObject) => {
      add(name, listener);
      heard.push(() => target.removeEventListener(name, listener));
    });
  }
});
afterEach(() => {
  for (const stop of heard.splice(0)) stop();
  vi.clearAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the lock of a page", () => {
  it("is shut by an opening, and tells the hub", async () => {
    const { lock, asked } = await page({ lock: KEPT, acted: String(Date.now()) });
    expect(lock.isShut.value).toBe(true);
    expect(asked).toContain("POST /lock");
    expect(localStorage.getItem("controlroom.shut")).toBe("1");
  });

  it("is not shut by a second window, nor by a reload", async () => {
    expect((await page({ lock: KEPT, acted: String(Date.now()) }, true)).lock.isShut.value).toBe(false);
    const again = await page({ lock: KEPT, acted: String(Date.now()) });
    expect(again.lock.isShut.value).toBe(false);
    expect(again.asked).toEqual([]);
  });

  it("stays shut through a reload", async () => {
    sessionStorage.setItem("controlroom.open", "1");
    expect((await page({ lock: KEPT, acted: String(Date.now()), shut: "1" })).lock.isShut.value).toBe(true);
  });

  it("is never shut while it is off", async () => {
    const { lock, asked, link } = await page({});
    link.value = { kind: "locked" };
    lock.lockNow();
    expect(lock.isShut.value).toBe(false);
    expect(asked).toEqual([]);
  });

  it("shuts when nobody acts, at the moment that it was told", async () => {
    sessionStorage.setItem("controlroom.open", "1");
    vi.useFakeTimers({ now: 1_796_000_000_000 });
    const { lock, asked } = await page({ lock: KEPT, acted: "1796000000000" });
    vi.advanceTimersByTime(200_000);
    window.dispatchEvent(new Event("pointerdown"));
    vi.advanceTimersByTime(299_000);
    expect(lock.isShut.value).toBe(false);
    vi.advanceTimersByTime(2_000);
    expect(lock.isShut.value).toBe(true);
    expect(asked.at(-1)).toBe("POST /lock");
    window.dispatchEvent(new Event("pointerdown"));
    expect(lock.isShut.value).toBe(true);
    lock.unlocked();
    expect(lock.isShut.value).toBe(false);
    expect(localStorage.getItem("controlroom.shut")).toBeNull();
    vi.advanceTimersByTime(301_000);
    expect(lock.isShut.value).toBe(true);
  });

  it("tells the hub that somebody reads, now and then", async () => {
    sessionStorage.setItem("controlroom.open", "1");
    vi.useFakeTimers({ now: 1_796_000_000_000 });
    const { asked } = await page({ lock: KEPT, acted: "1796000000000" });
    for (let second = 0; second < 120; second += 1) {
      vi.advanceTimersByTime(1_000);
      window.dispatchEvent(new Event("wheel"));
    }
    expect(asked.filter((what) => what === "GET /devices")).toHaveLength(2);
  });

  it("shuts and opens with the other windows, and does not tell the hub what they have told", async () => {
    sessionStorage.setItem("controlroom.open", "1");
    const { lock, asked } = await page({ lock: KEPT, acted: String(Date.now()) });
    others("controlroom.shut", "1");
    expect(lock.isShut.value).toBe(true);
    others("controlroom.shut", null);
    expect(lock.isShut.value).toBe(false);
    expect(asked).toEqual([]);
  });

  it("believes what is now, not what was while it slept", async () => {
    sessionStorage.setItem("controlroom.open", "1");
    const { lock } = await page({ lock: KEPT, acted: String(Date.now()) });
    // Locked and unlocked elsewhere: the old event comes late.
    window.dispatchEvent(new StorageEvent("storage", { key: "controlroom.shut", newValue: "1" }));
    expect(lock.isShut.value).toBe(false);
  });

  it("finds out that it was locked while it was frozen and heard nothing", async () => {
    sessionStorage.setItem("controlroom.open", "1");
    const { lock, asked } = await page({ lock: KEPT, acted: String(Date.now()) });
    localStorage.setItem("controlroom.shut", "1");
    window.dispatchEvent(new Event("pageshow"));
    expect(lock.isShut.value).toBe(true);
    expect(asked).toEqual([]);
    lock.unlocked();
    expect(lock.isShut.value).toBe(false);
  });

  it("is shut by the hub, without an answer to it", async () => {
    sessionStorage.setItem("controlroom.open", "1");
    const { lock, asked, link } = await page({ lock: KEPT, acted: String(Date.now()) });
    link.value = { kind: "locked" };
    expect(lock.isShut.value).toBe(true);
    expect(asked).toEqual([]);
  });

  it("takes over what the hub says of this device", async () => {
    const { lock } = await page({});
    lock.setLock({ lock: { app: true, idle_s: 60 }, passkeys: 1 } as never);
    expect(lock.isShut.value).toBe(false);
    expect(JSON.parse(localStorage.getItem("controlroom.lock") ?? "")).toEqual({ app: true, idleMs: 60_000 });
    lock.lockNow();
    expect(lock.isShut.value).toBe(true);
    lock.setLock({ lock: {}, passkeys: 0 } as never);
    expect(lock.isShut.value).toBe(true); // nothing but the passkey opens
    lock.forgetLock();
    expect(lock.isShut.value).toBe(false);
  });
});
