import { describe, expect, it } from "vitest";

import type { Operation } from "../api/types";
import {
  actsFor, askedBy, endMs, folderName, isWaiting, listed, lossesOf, noUndoWords, operationWords, planNote, planOf, stepViews, underWayOf, undoUntil, waitsForAnswer,
} from "./operations";
import { agent, operation } from "./samples";

const steps = (...states: [Operation["steps"][number]["name"], Operation["steps"][number]["state"], string?][]): Operation["steps"] =>
  states.map(([name, state, detail], at) => ({ name, state, at_ms: state === "waiting" ? 0 : 1_000 + at, detail: detail ?? null }));
const said = (one: Operation, away: string | null = null): string => {
  const { state, what, more } = operationWords(one, away);
  return [`${state}: ${what}`, more].filter((part) => part !== "").join(" | ");
};

describe("what is said of an operation", () => {
  it.each<[string, Partial<Operation>, string]>([
    ["queued", { state: "queued", steps: steps(["wait", "waiting"], ["stop", "waiting"]) }, "Queued: restart"],
    ["waiting", { steps: steps(["wait", "running", "Its turn runs."], ["stop", "waiting"]) }, "Waiting: restart | Its turn runs."],
    ["queued until the person answers", { state: "queued", steps: steps(["wait", "waiting", "It waits for your answer in the Inbox."], ["stop", "waiting"]) }, "Queued: restart | It waits for your answer in the Inbox."],
    ["running", { steps: steps(["wait", "done"], ["stop", "running"]) }, "Running: Restarting, same session"],
    ["delivered", { state: "delivered", steps: steps(["stop", "done", "It had ended."], ["start", "done"]) }, "Delivered: restarted, same session | It had ended."],
    ["failed", { state: "failed", steps: steps(["stop", "done"], ["start", "failed"]), error: { code: "startup_prompt", text: "It asks something." } },
      "Failed: restart, at “Resume the session” | It asks something."],
    ["refused before any step", { state: "failed", steps: steps(["wait", "waiting"]), error: { code: "busy", text: "A turn runs." } }, "Failed: restart | A turn runs."],
    ["taken back", { state: "failed", error: { code: "cancelled", text: "It was taken back." } }, "Taken back: restart | Nothing was done to the agent."],
    ["renamed", { kind: "rename", state: "delivered", args: { name: "pear tree" } }, "Delivered: renamed to “pear tree”"],
    ["moved", { kind: "move", state: "delivered", args: { profile: "/home/one/.claude-two/" } }, "Delivered: moved to .claude-two, same session"],
    ["moved to a profile that has a name", { kind: "move", state: "delivered", args: { profile: "prf_2" }, profile_name: "two" }, "Delivered: moved to two, same session"],
    ["of a kind that is newer", { kind: "clone" as Operation["kind"], state: "delivered" }, "Delivered: clone"],
  ])("%s", (_, change, words) => expect(said(operation("op_1", change))).toBe(words));

  it("names the machine that is away", () => {
    const one = operation("op_1", { state: "queued", steps: steps(["wait", "waiting"]) });
    expect(said(one, "attic")).toBe("Queued: restart | attic is not reachable. It goes on when the machine is back.");
  });

  it("tells each step in its tense, and leaves out what was skipped", () => {
    const one = operation("op_1", { steps: steps(["wait", "done"], ["open", "skipped"], ["stop", "failed", "It does not quit."], ["start", "waiting"]) });
    expect(stepViews(one).map((step) => [step.look, step.text, step.detail, step.atMs])).toEqual([
      ["done", "It may begin", "", 1_000], ["failed", "Quit the program", "It does not quit.", 1_002], ["todo", "Resume the session", "", null],
    ]);
  });

  it("knows the person on whatever device", () => {
    expect(["device:dev_1", "host", "policy", "chief", "agent:agt_1", "robot"].map(askedBy)).toEqual(["you", "you", "the policy", "the chief", "agent agt_1", "robot"]);
  });
});

describe("what can be done about it", () => {
  it("may be cancelled until a step but the wait has begun", () => {
    expect(isWaiting(operation("op_1", { steps: steps(["wait", "running"], ["stop", "waiting"]) }))).toBe(true);
    expect(isWaiting(operation("op_1", { steps: steps(["wait", "done"], ["stop", "running"]) }))).toBe(false);
    expect(isWaiting(operation("op_1", { state: "failed", steps: steps(["wait", "waiting"]) }))).toBe(false);
  });

  it("may wait for the person before its machine has it", () => {
    expect(waitsForAnswer(operation("op_1", { state: "queued", steps: steps(["wait", "running", "It waits for your answer in the Inbox."]) }))).toBe(true);
    expect(waitsForAnswer(operation("op_1", { state: "queued", steps: steps(["wait", "waiting"]) }))).toBe(false);
    expect(waitsForAnswer(operation("op_1", { steps: steps(["wait", "running", "Its turn runs."]) }))).toBe(false);
  });

  it("may be undone once, until its time is over", () => {
    const one = operation("op_1", { state: "delivered", undo: { until_ms: 5_000, what: "Start it again." } });
    expect(undoUntil(one, 4_999)).toBe(5_000);
    expect(undoUntil(one, 5_000)).toBeNull();
    expect(undoUntil({ ...one, undone_by: "op_2" }, 1)).toBeNull();
    expect(undoUntil({ ...one, state: "running" }, 1)).toBeNull();
  });

  it("speaks of an Undo only where the control room says that there is one", () => {
    const one = operation("op_1", { kind: "stop", state: "delivered" });
    expect(noUndoWords(one)).toBe("It cannot be undone.");
    expect(noUndoWords({ ...one, undo: { until_ms: 5_000, what: "Start it again." } })).toBe("");
    expect(noUndoWords({ ...one, kind: "restart" })).toBe("");
    expect(noUndoWords({ ...one, state: "running" })).toBe("");
    expect(noUndoWords({ ...one, undone_by: "op_2" })).toBe("");
    for (const kind of actsFor(agent("agt_1"))) expect(planNote(kind)).not.toMatch(/for a day|You can undo it/);
  });

  it("is over at its last step, however often it is changed afterwards", () => {
    expect(endMs(operation("op_1", { changed_at_ms: 9_000, steps: steps(["stop", "done"], ["close", "failed"]) }))).toBe(1_001);
    expect(endMs(operation("op_1", { created_at_ms: 7, steps: [] }))).toBe(7);
  });

  it("is found for its agent while it is under way, the newest first", () => {
    const all = [operation("a", { created_at_ms: 1 }), operation("b", { created_at_ms: 2 }), operation("c", { state: "failed" }), operation("d", { agent_id: "agt_2" })];
    expect(underWayOf(all, "agt_1").map((one) => one.id)).toEqual(["b", "a"]);
  });
});

describe("what an act means for the agent", () => {
  it("says what would be dropped", () => {
    expect(lossesOf(agent("agt_1", { activity: "idle" }))).toEqual([]);
    expect(lossesOf(agent("agt_1", { activity: "gone", helpers: 2 }))).toEqual([]);
    const asks = { id: "dlg_1", kind: "permission", text: "Run it?", since_ms: 1 } as NonNullable<ReturnType<typeof agent>["waiting_for"]>;
    expect(listed(lossesOf(agent("agt_1", { activity: "blocked", helpers: 2, waiting_for: asks })))).toBe("its running turn, 2 helpers and its open dialog");
    expect(lossesOf(agent("agt_1", { activity: "helpers", helpers: 1 }))).toEqual(["1 helper"]);
  });

  it("offers what makes sense", () => {
    expect(actsFor(agent("agt_1"))).toEqual(["rename", "move", "restart", "fresh", "stop", "close"]);
    expect(actsFor(agent("agt_1", { activity: "gone" }))).toEqual(["restart", "fresh", "rename", "close"]);
  });

  it("asks nothing that is gone to quit", () => {
    expect(planOf("restart", agent("agt_1"), "")[0]).toContain("quit");
    expect(planOf("restart", agent("agt_1", { activity: "gone" }), "")[0]).toContain("same session");
    expect(planOf("move", agent("agt_1"), "work-2")[1]).toContain("work-2");
  });

  it("names a folder by its last part", () => {
    expect(["/home/one/.claude-two/", "work-2", "/"].map(folderName)).toEqual([".claude-two", "work-2", "/"]);
  });
});
