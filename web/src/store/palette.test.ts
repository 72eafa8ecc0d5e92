import { describe, expect, it } from "vitest";

import type { Agent } from "../api/types";
import { fit, inCallOrder, ranked } from "./palette";

describe("the command palette", () => {
  it.each([
    ["search-reindex", "", 1], ["release-train", "re", 5], ["search-reindex", "re", 4], ["weekly-areport", "re", 3],
    ["Open the terminal", "terminal open", 2.5], ["payments-migration", "pmg", 1.5], ["payments", "xyz", 0],
  ])("%j fits %j: %d", (name, typed, rank) => expect(fit(name, typed)).toBe(rank));

  it("puts the best first, equals in their order, and stops at its limit", () => {
    const names = ["search-reindex", "ios-release-train", "release", "none", "weekly-report"];
    expect(ranked(names, (name) => name, "re", 3)).toEqual(["release", "search-reindex", "ios-release-train"]);
  });

  it("offers agents in the order of the list", () => {
    const agent = (id: string, activity: Agent["activity"], since_ms: number, archived = false): Agent => ({
      id, chat_id: id, name: id, kind: "claude", machine_id: "m", activity, since_ms, helpers: 0, unread: 0, archived,
      evidence: { rule: activity, source: "", detail: "", at_ms: 1 },
    });
    const all = [
      agent("away", "question", 1, true), agent("old", "idle", 1), agent("new", "idle", 9), agent("late", "question", 9),
      agent("long", "question", 1), agent("works", "working", 5),
    ];
    expect(inCallOrder(all).map(({ id }) => id)).toEqual(["long", "late", "works", "new", "old", "away"]);
  });
});
