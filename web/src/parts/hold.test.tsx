import { options, render } from "preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { HoldButton } from "./hold";

let place: HTMLElement;
let answers: number;
let settled: boolean;
let now: number;
let frames: FrameRequestCallback[];

// Effects come a moment after drawing; frames belong to the press here, and none may be left when the page goes.
const hooks = options as { requestAnimationFrame?: (callback: () => void) => void };

beforeEach(() => {
  hooks.requestAnimationFrame = (callback) => void queueMicrotask(callback);
  place = document.createElement("div");
  document.body.append(place);
  answers = 0;
  settled = true;
  now = 1000;
  frames = [];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.stubGlobal("requestAnimationFrame", (frame: FrameRequestCallback) => frames.push(frame));
  vi.stubGlobal("cancelAnimationFrame", () => undefined);
});
afterEach(() => {
  render(null, place);
  place.remove();
  delete hooks.requestAnimationFrame;
  vi.unstubAllGlobals();
});

function show(isRisky: boolean): HTMLButtonElement {
  render(
    <HoldButton isRisky={isRisky} label="Yes, once" isSettled={() => settled} onAnswer={() => { answers += 1; }}>
      {(how) => how || "Hold"}
    </HoldButton>,
    place,
  );
  const button = place.querySelector("button");
  if (button === null) throw new Error("no button");
  button.setPointerCapture = () => undefined;
  return button;
}

function pointer(button: HTMLElement, type: string, more: Partial<PointerEventInit> = {}): void {
  button.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, isPrimary: true, width: 20, height: 20, pressure: 0.5, pointerId: 1, ...more }));
}

/** Time passes while frames are drawn. */
function pass(ms: number): void {
  now += ms;
  for (const frame of frames.splice(0)) frame(now);
}

/** Views are drawn a moment later; a loaded machine takes its time. */
const DEADLINE = { timeout: 4000 };

describe("a button that answers", () => {
  it("answers a tap when nothing is risky", () => {
    const button = show(false);
    pointer(button, "pointerdown");
    pointer(button, "pointerup");
    button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
    expect(answers).toBe(1);
  });

  it("only says how when a risky one is tapped", async () => {
    const button = show(true);
    pointer(button, "pointerdown");
    pass(100);
    pointer(button, "pointerup");
    button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
    await vi.waitFor(() => expect(button.textContent).toBe("Hold to answer"), DEADLINE);
    expect(answers).toBe(0);
    expect(place.querySelector("dialog")).toBeNull();
  });

  it("answers once when it was held", () => {
    const button = show(true);
    pointer(button, "pointerdown");
    pass(500);
    expect(button.style.getPropertyValue("--held")).not.toBe("0");
    pass(450);
    pass(450);
    pointer(button, "pointerup");
    button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
    expect(answers).toBe(1);
  });

  it.each(["pointermove", "pointercancel"])("is given up by %s", (type) => {
    const button = show(true);
    pointer(button, "pointerdown", { clientX: 0, clientY: 0 });
    pointer(button, type, { clientX: 0, clientY: 30 });
    pass(2000);
    pointer(button, "pointerup");
    expect(answers).toBe(0);
  });

  it.each([true, false])("ignores everything while it settles (risky: %s)", (isRisky) => {
    settled = false;
    const button = show(isRisky);
    pointer(button, "pointerdown");
    settled = true;
    pass(3000);
    pointer(button, "pointerup");
    button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
    settled = false;
    button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 0 }));
    expect(answers).toBe(0);
  });

  it("asks a keyboard or screen reader to confirm, with the focus on Cancel", async () => {
    const button = show(true);
    button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 0 }));
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Cancel"), DEADLINE);
    const dialog = place.querySelector("dialog");
    expect(dialog?.textContent).toContain("Answer “Yes, once”?");
    expect(answers).toBe(0);
    [...(dialog?.querySelectorAll("button") ?? [])].find((one) => one.textContent === "Answer")?.click();
    expect(answers).toBe(1);
    await vi.waitFor(() => expect(place.querySelector("dialog")).toBeNull(), DEADLINE);
  });

  it("does not take the focus back from whoever has gone on to the answer", async () => {
    const late: Array<() => void> = [];
    hooks.requestAnimationFrame = (callback) => void late.push(callback);
    const button = show(true);
    button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 0 }));
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Cancel"), DEADLINE);
    const answer = [...place.querySelectorAll("button")].find((one) => one.textContent === "Answer");
    answer?.focus();
    for (const effect of late.splice(0)) effect();
    expect(document.activeElement).toBe(answer);
  });

  it("lets a press that a screen reader makes ask too", async () => {
    const button = show(true);
    pointer(button, "pointerdown", { width: 0, height: 0 });
    pointer(button, "pointerup", { width: 0, height: 0 });
    button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
    await vi.waitFor(() => expect(place.querySelector("dialog")).not.toBeNull(), DEADLINE);
  });
});
