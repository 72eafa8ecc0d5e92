import { expect, it } from "vitest";

import { bytesOf, textOf } from "./push";

it("keys are the same there and back", () => {
  const text = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
  const bytes = bytesOf(text);
  expect(bytes.length).toBe(65);
  expect(textOf(bytes.buffer)).toBe(text);
  expect(textOf(null)).toBe("");
});
