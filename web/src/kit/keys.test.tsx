import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { changeTaste } from "../store/taste";
import { overlay } from "./overlay";
import { isInput, knownKeys, nameOf, startKeys, useKeys, type Shortcuts } from "./keys";

function Keys(props: { keys: Shortcuts }) {
  useKeys(props.keys);
  return null;
}

let pressed: string[] = [];
const note = (label: string, more: Partial<Shortcuts[string]> = {}) => ({ label, run: () => { pressed.push(label); }, ...more });

function show(...all: Shortcuts[]): void {
  act(() => render(<>{all.map((keys, at) => <Keys key={at} keys={keys} />)}</>, document.body));
}

function press(key: string, options: KeyboardEventInit = {}, on: Element = document.body): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options });
  on.dispatchEvent(event);
  return event;
}

beforeAll(startKeys);
beforeEach(() => {
  pressed = [];
  changeTaste({ singleKeys: true });
});
afterEach(() => {
  act(() => render(null, document.body));
  document.body.innerHTML = "";
});

describe("keys", () => {
  it("names what was pressed", () => {
    const event = (key: string, part = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...part });
    expect(nameOf(event("J"))).toBe("j");
    expect(nameOf(event("k", { metaKey: true }))).toBe("mod+k");
    expect(nameOf(event("Enter"))).toBe("Enter");
    expect(nameOf(event("a", { altKey: true }))).toBeNull();
    expect(nameOf(event("Shift"))).toBeNull();
  });

  it("asks what was registered last first, and goes on when it passes", () => {
    show({ j: note("outer") }, { j: note("inner", { run: () => { pressed.push("inner"); return false; } }) });
    expect(press("j").defaultPrevented).toBe(true);
    expect(pressed).toEqual(["inner", "outer"]);
  });

  it("takes sequences, whose second key does nothing of its own", () => {
    show({ "g c": note("chief"), c: note("c") });
    press("g");
    press("c");
    press("c");
    press("g");
    press("x");
    press("c");
    expect(pressed).toEqual(["chief", "c", "c"]);
  });

  it("leaves text to inputs, and takes what counts always", () => {
    show({ j: note("j"), "mod+k": note("palette"), Escape: note("leave", { always: true }) });
    for (const tag of ["input", "textarea", "select"]) {
      const field = document.createElement(tag);
      document.body.append(field);
      expect(isInput(field)).toBe(true);
      expect(press("j", {}, field).defaultPrevented).toBe(false);
      press("k", { ctrlKey: true }, field);
      press("Escape", {}, field);
    }
    expect(pressed).toEqual(["palette", "leave", "palette", "leave", "palette", "leave"]);
  });

  it("takes no single keys when they are off", () => {
    show({ j: note("j"), "g c": note("chief"), "mod+k": note("palette") });
    changeTaste({ singleKeys: false });
    press("j");
    press("g");
    press("c");
    press("k", { metaKey: true });
    expect(pressed).toEqual(["palette"]);
  });

  it("takes nothing in a terminal", () => {
    show({ j: note("j"), "mod+k": note("palette"), Escape: note("leave", { always: true }) });
    const terminal = document.createElement("div");
    terminal.dataset["keys"] = "own";
    document.body.append(terminal);
    press("j", {}, terminal);
    press("k", { ctrlKey: true }, terminal);
    press("Escape", {}, terminal);
    expect(pressed).toEqual([]);
  });

  it("does not act on the page below a dialog that is still loading", () => {
    show({ n: note("next"), "mod+k": note("palette", { inDialogs: true }) });
    overlay.value = "palette";
    press("n");
    press("k", { ctrlKey: true });
    overlay.value = null;
    press("n");
    expect(pressed).toEqual(["palette", "next"]);
  });

  it("takes only what is for it while a dialog is open", () => {
    show({ j: note("j"), x: note("x", { inDialogs: true }) });
    document.body.append(Object.assign(document.createElement("dialog"), { open: true }));
    press("j");
    press("x");
    expect(pressed).toEqual(["x"]);
  });

  it("does nothing while a character is composed, or when somebody took the key", () => {
    show({ j: note("j") });
    press("j", { isComposing: true });
    document.body.addEventListener("keydown", (event) => event.preventDefault(), { once: true });
    press("j");
    expect(pressed).toEqual([]);
  });

  it("forgets keys of what is not shown any more", () => {
    show({ j: note("j") });
    expect(knownKeys()).toEqual([{ keys: "j", label: "j", group: "Here" }]);
    act(() => render(null, document.body));
    press("j");
    expect([pressed, knownKeys()]).toEqual([[], []]);
  });
});
