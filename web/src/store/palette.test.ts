import { describe, expect, it } from "vitest";

import { fit, ranked } from "./palette";

describe("the command palette", () => {
  it.each([
    ["search-reindex", "", 1], ["release-train", "re", 5], ["search-reindex", "re", 4], ["weekly-areport", "re", 3],
    ["Open the terminal", "terminal open", 2.5], ["payments-migration", "pmg", 1.5], ["payments", "xyz", 0],
  ])("%j fits %j: %d", (name, typed, rank) => expect(fit(name, typed)).toBe(rank));

  it("puts the best first, equals in their order, and stops at its limit", () => {
    const names = ["search-reindex", "ios-release-train", "release", "none", "weekly-report"];
    expect(ranked(names, (name) => name, "re", 3)).toEqual(["release", "search-reindex", "ios-release-train"]);
  });
});
