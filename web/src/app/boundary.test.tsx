import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, expect, it } from "vitest";

import { Boundary } from "./boundary";

afterEach(() => act(() => render(null, document.body)));

function Part(props: { breaks: boolean }) {
  if (props.breaks) throw new Error("no such thing\u202e");
  return <p>whole</p>;
}

const show = (place: string, breaks: boolean) => act(() => render(<main>beside<Boundary place={place}><Part breaks={breaks} /></Boundary></main>, document.body));

it("says what broke, leaves what is beside, and tries again", () => {
  show("a", true);
  expect(document.body.textContent).toContain("beside");
  expect(document.body.textContent).toContain("It said: no such thing");
  show("a", false);
  expect(document.body.textContent).not.toContain("whole");
  act(() => document.querySelector("button")?.click());
  expect(document.body.textContent).toBe("besidewhole");
});

it("tries again in another place", () => {
  show("a", true);
  show("b", false);
  expect(document.body.textContent).toBe("besidewhole");
});
