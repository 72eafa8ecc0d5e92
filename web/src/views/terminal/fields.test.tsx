import { render } from "preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Catch, TWICE_MS, type CatchProps } from "./catch";
import { KeyRow } from "./key-row";
import { KEY_ROW } from "./keys";
import { TextField, type TextFieldProps } from "./text-field";

let place: HTMLElement;
beforeEach(() => {
  place = document.createElement("div");
  document.body.append(place);
});
afterEach(() => {
  render(null, place);
  place.remove();
});

describe("the field that takes all keys", () => {
  const told = { onKeys: vi.fn(), onText: vi.fn(), onLeave: vi.fn(), onCopy: vi.fn(() => false), onFocus: vi.fn() };
  const show = (more: Partial<CatchProps> = {}): HTMLTextAreaElement => {
    for (const call of Object.values(told)) call.mockClear();
    render(<Catch field={null} label="Keys" left={0} top={0} {...told} {...more} />, place);
    return place.querySelector("textarea") as HTMLTextAreaElement;
  };
  const key = (field: HTMLElement, name: string, at: number, more: KeyboardEventInit = {}): KeyboardEvent => {
    const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more });
    Object.defineProperty(event, "timeStamp", { value: at });
    field.dispatchEvent(event);
    return event;
  };

  it("passes each key on and keeps it from the page", () => {
    const field = show();
    expect(key(field, "a", 0).defaultPrevented).toBe(true);
    expect(key(field, "Tab", 5, { shiftKey: true }).defaultPrevented).toBe(true);
    expect(told.onKeys.mock.calls).toEqual([[["a"]], [["BTab"]]]);
  });
  it("leaves at the second Escape in a row, and not later", () => {
    const field = show();
    key(field, "Escape", 0);
    key(field, "Escape", TWICE_MS + 1);
    expect(told.onLeave).not.toHaveBeenCalled();
    key(field, "x", TWICE_MS + 2);
    key(field, "Escape", TWICE_MS + 3);
    expect(told.onLeave).not.toHaveBeenCalled();
    key(field, "Escape", TWICE_MS + 4);
    expect(told.onLeave).toHaveBeenCalledOnce();
    expect(told.onKeys).toHaveBeenCalledTimes(4);
  });
  it("leaves the browser what is the browser's", () => {
    const field = show();
    for (const event of [key(field, "v", 0, { ctrlKey: true }), key(field, "I", 0, { ctrlKey: true, shiftKey: true }), key(field, "r", 0, { metaKey: true }), key(field, "Process", 0)]) {
      expect(event.defaultPrevented).toBe(false);
    }
    expect(told.onKeys).not.toHaveBeenCalled();
  });
  it("takes what an input method composed, once, and is empty again", () => {
    const field = show();
    field.value = "漢字";
    field.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true }));
    expect(told.onText.mock.calls).toEqual([["漢字"]]);
    expect(field.value).toBe("");
  });
});

describe("the text field", () => {
  const told = { onValue: vi.fn(), onSubmit: vi.fn(), onKey: vi.fn() };
  const show = (more: Partial<TextFieldProps> = {}): HTMLInputElement => {
    for (const call of Object.values(told)) call.mockClear();
    render(<TextField field={null} value="" isMasked={false} isBusy={false} sticky="none" {...told} {...more} />, place);
    return place.querySelector("input") as HTMLInputElement;
  };
  it("is masked while the program does not echo, and says so", () => {
    expect(show().type).toBe("text");
    const field = show({ isMasked: true });
    expect(field.type).toBe("password");
    expect(field.getAttribute("aria-label")).toContain("not shown");
  });
  it("makes a key of a letter while Ctrl holds", () => {
    const field = show({ sticky: "ctrl", value: "ab" });
    field.value = "abc";
    const event = new InputEvent("input", { bubbles: true, data: "c" });
    field.dispatchEvent(event);
    expect(told.onKey.mock.calls).toEqual([["C-c"]]);
    expect(told.onValue).not.toHaveBeenCalled();
    expect(field.value).toBe("ab");
  });
  it("sends with one submit", () => {
    show({ value: "make" });
    place.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    expect(told.onSubmit).toHaveBeenCalledOnce();
  });
});

describe("the key row", () => {
  const told = { onSticky: vi.fn(), onKeys: vi.fn(), onNothing: vi.fn() };
  const tap = (label: string): void => [...place.querySelectorAll("button")].find((button) => button.textContent === label)?.click();
  it("presses, holds, and says when there is no such key", () => {
    render(<KeyRow rows={[KEY_ROW]} sticky="none" {...told} />, place);
    tap("←");
    tap("ctrl");
    expect(told.onKeys.mock.calls).toEqual([[["Left"]]]);
    expect(told.onSticky.mock.calls).toEqual([["ctrl"]]);
    render(<KeyRow rows={[KEY_ROW]} sticky="ctrl" {...told} />, place);
    tap("←");
    tap("tab");
    expect(told.onKeys.mock.calls.at(-1)).toEqual([["C-Left"]]);
    expect(told.onNothing).toHaveBeenCalledOnce();
  });
});
