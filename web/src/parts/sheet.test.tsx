import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Sheet } from "./sheet";

const onPress = vi.fn();
const onClose = vi.fn();

function open(): HTMLElement {
  act(() => render(<Sheet title="Stop?" onClose={onClose}><button type="button" onClick={onPress}>Stop</button></Sheet>, document.body));
  return [...document.querySelectorAll("button")].find((button) => button.textContent === "Stop") as HTMLElement;
}

const click = (on: Element, detail: number) => act(() => { on.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail })); });
const pointer = (type: string, button = 0) => act(() => { window.dispatchEvent(new PointerEvent(type, { pointerId: 7, button })); });

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => {
  act(() => render(null, document.body));
  vi.useRealTimers();
  onPress.mockReset();
  onClose.mockReset();
});

describe("a sheet", () => {
  it("is open before the next key can come", () => {
    render(<Sheet title="Stop?" onClose={onClose}><button type="button">Stop</button></Sheet>, document.body); // no act: no effects after the paint
    expect(document.querySelector("dialog[open]")).not.toBeNull();
  });

  it("ignores the end of the long press that opened it", () => {
    pointer("pointerdown");
    const button = open();
    vi.advanceTimersByTime(5000);
    click(button, 1);
    pointer("pointerup");
    click(button, 1);
    vi.advanceTimersByTime(599);
    click(button, 1);
    expect(onPress).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    click(button, 1);
    expect(onPress).toHaveBeenCalledOnce();
  });

  it("takes a click at once that follows the right button's", () => {
    pointer("pointerdown", 2);
    const button = open();
    pointer("pointerup", 2);
    click(button, 1);
    expect(onPress).toHaveBeenCalledOnce();
  });

  it("ignores the second half of a double tap, and takes keys at once", () => {
    const button = open();
    click(button, 2);
    expect(onPress).not.toHaveBeenCalled();
    click(button, 0);
    click(button, 1);
    expect(onPress).toHaveBeenCalledTimes(2);
  });

  it("is modal, has a name, closes with its button, and gives the focus back", () => {
    document.body.innerHTML = '<button id="before">x</button><div id="place"></div>';
    document.getElementById("before")?.focus();
    const place = document.getElementById("place") as HTMLElement;
    act(() => render(<Sheet title="Why" onClose={onClose}>text</Sheet>, place));
    const dialog = document.querySelector("dialog");
    expect([dialog?.open, document.getElementById(dialog?.getAttribute("aria-labelledby") ?? "")?.textContent]).toEqual([true, "Why"]);
    click(document.querySelector('[aria-label="Close"]') as HTMLElement, 1);
    expect(onClose).toHaveBeenCalledOnce();
    act(() => render(null, place));
    expect(document.activeElement?.id).toBe("before");
  });
});
