import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetKey, keepKey } from "../kit/login";
import { lookAtPush } from "../live/push";
import type { Room } from "../live/room";
import { EMPTY } from "../store/state";
import { keepNotices } from "./notices";

vi.mock("../live/push", () => ({ lookAtPush: vi.fn(() => Promise.resolve()) }));

const link = signal<{ kind: string }>({ kind: "connecting" });
const http = {};
const room = { http, link, state: signal(EMPTY), nowMs: () => 1_000 } as unknown as Room;

beforeEach(() => {
  vi.stubGlobal("Notification", { permission: "granted" });
  vi.stubGlobal("navigator", { serviceWorker: { addEventListener: vi.fn() } });
});
afterEach(() => {
  forgetKey();
  vi.unstubAllGlobals();
});

it("tells the hub of this browser's subscription with each pairing, and once with each", () => {
  keepKey("first");
  keepNotices(room);
  expect(lookAtPush).not.toHaveBeenCalled();
  link.value = { kind: "live" };
  link.value = { kind: "proving" };
  link.value = { kind: "live" };
  expect(lookAtPush).toHaveBeenCalledTimes(1);
  // Revoked, and paired anew in the same page: the hub has forgotten the subscription with the device.
  link.value = { kind: "not_paired" };
  keepKey("second");
  link.value = { kind: "live" };
  expect(lookAtPush).toHaveBeenCalledTimes(2);
  expect(lookAtPush).toHaveBeenLastCalledWith(http);
});
