import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Agent } from "../../api/types";
import { RoomContext, type Room } from "../../live/room";
import { EMPTY } from "../../store/state";
import { Row } from ".";
import { AgentSheets } from "./sheet";

const agent: Agent = {
  id: "a", chat_id: "c", name: "a", kind: "claude", machine_id: "m", activity: "idle", since_ms: 1, helpers: 0, unread: 0,
  evidence: { rule: "idle", source: "registry", detail: "", at_ms: 1 },
};
const http = { request: () => Promise.resolve({ ok: false, refusal: { code: "unreachable", text: "", status: 0 } }) };
const room = { state: signal({ ...EMPTY, agents: new Map([["a", agent]]) }), now: signal(2), http } as unknown as Room;

const link = () => document.querySelector(".row-link") as HTMLElement;
const hasSheet = () => document.querySelector("dialog") !== null;

function send(event: Event, timeStamp: number): boolean {
  Object.defineProperty(event, "timeStamp", { value: timeStamp });
  act(() => { link().dispatchEvent(event); });
  return event.defaultPrevented;
}
const pointer = (type: string, timeStamp: number, part: PointerEventInit = {}) => send(new PointerEvent(type, { bubbles: true, pointerType: "touch", ...part }), timeStamp);
const click = (timeStamp: number) => send(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }), timeStamp);

beforeEach(() => {
  vi.useFakeTimers();
  act(() => render(
    <RoomContext.Provider value={room}>
      <ul><Row agent={agent} machineName="m" awaySinceMs={null} isCurrent={false} isSettling={false} /></ul><AgentSheets />
    </RoomContext.Provider>, document.body));
  document.addEventListener("click", stay);
});
afterEach(() => {
  document.removeEventListener("click", stay);
  act(() => document.querySelector<HTMLElement>('[aria-label="Close"]')?.click());
  act(() => render(null, document.body));
  vi.useRealTimers();
});
const taken: boolean[] = [];
function stay(event: Event): void {
  taken.push(event.defaultPrevented);
  event.preventDefault();
}
const wasTaken = () => taken.pop();

describe("a row", () => {
  it("opens by a tap, a click and a key", () => {
    for (const start of [() => pointer("pointerdown", 1000), () => pointer("pointerdown", 1000, { pointerType: "mouse" }), () => false]) {
      start();
      pointer("pointerup", 1100);
      click(1100);
      expect([wasTaken(), hasSheet()]).toEqual([false, false]);
    }
    click(99_000);
    expect([wasTaken(), hasSheet()]).toEqual([false, false]);
  });

  it("opens its sheet by a finger that rests", () => {
    pointer("pointerdown", 1000);
    act(() => { vi.advanceTimersByTime(500); });
    expect(hasSheet()).toBe(true);
    pointer("pointerup", 1900);
    click(1900);
    expect(wasTaken()).toBe(true);
  });

  it("knows it by its length when the page was busy", () => {
    pointer("pointerdown", 1000);
    pointer("pointerup", 1900);
    click(1900);
    expect([wasTaken(), hasSheet()]).toEqual([true, true]);
  });

  it("takes a scroll for nothing", () => {
    pointer("pointerdown", 1000, { clientY: 100 });
    pointer("pointermove", 1100, { clientY: 111 });
    act(() => { vi.advanceTimersByTime(2000); });
    pointer("pointercancel", 3000);
    expect(hasSheet()).toBe(false);
    click(9000);
    expect([wasTaken(), hasSheet()]).toEqual([false, false]);
  });

  it("opens its sheet by the right button, and by its lamp", () => {
    expect(send(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }), 1000)).toBe(true);
    expect(hasSheet()).toBe(true);
    act(() => document.querySelector<HTMLElement>('[aria-label="Close"]')?.click());
    click(9000);
    expect(wasTaken()).toBe(false);
    act(() => document.querySelector<HTMLElement>(".row-why")?.click());
    expect(hasSheet()).toBe(true);
  });
});
