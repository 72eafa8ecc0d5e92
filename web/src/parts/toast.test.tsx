import { expect, it, vi } from "vitest";

import { showToast, takeToast } from "./toast";

it("is taken by the key for Undo only when it offers that, and once", () => {
  const run = vi.fn();
  showToast({ text: "Asked for: restart", act: { label: "Show", run } });
  expect(takeToast()).toBe(false);
  showToast({ text: "Archived", act: { label: "Undo", run } });
  expect([takeToast(), takeToast()]).toEqual([true, false]);
  expect(run).toHaveBeenCalledTimes(1);
});
