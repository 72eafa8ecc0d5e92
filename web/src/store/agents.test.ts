import { describe, expect, it } from "vitest";

import type { Agent, Machine, Question } from "../api/types";
import {
  ALL, arrange, asks, countsOf, filtersOf, held, isSameOrder, matches, movesBetween, passes, profileName, SAY_LIMIT, standingOf, waiting, waits,
} from "./agents";
import { changed, listed, NO_QUESTIONS } from "./questions";
import { closed, question } from "./samples";

let made = 0;

function agent(part: Partial<Agent> = {}): Agent {
  made += 1;
  return {
    id: `agent-${made}`, chat_id: `chat-${made}`, name: `name-${made}`, kind: "claude", machine_id: "studio", activity: "idle",
    since_ms: 1000, evidence: { rule: "idle", source: "registry", detail: "at its prompt", at_ms: 1000 }, helpers: 0, unread: 0, ...part,
  };
}

function machine(id: string, online = true): Machine {
  return { id, name: id, primary: true, online, last_seen_ms: 5000, version: "1", capabilities: [] };
}

const mapOf = (agents: readonly Agent[]) => new Map(agents.map((each) => [each.id, each]));
const STUDIO = new Map([["studio", machine("studio")]]);
const prompt = (kind: string, text = "Run it?") => ({ id: "wait-1", kind, text, since_ms: 700 });
const fault = { code: "signed_out", text: "Sign in on studio.", since_ms: 600 };
const finished = { at_ms: 900, busy_ms: 60_000, text: "Result: done" };

describe("the state of an agent", () => {
  it.each<[string, Partial<Agent>, string, string, string, number]>([
    ["a fault", { fault, activity: "working" }, "fault", "Fault", "needs", 600],
    ["a fault before a prompt", { fault, activity: "blocked", waiting_for: prompt("permission") }, "fault", "Fault", "needs", 600],
    ["a fault of one that is gone", { fault, activity: "gone" }, "fault", "Fault", "needs", 600],
    ["a permission", { activity: "blocked", waiting_for: prompt("permission") }, "blocked", "Permission needed", "needs", 700],
    ["a picker", { activity: "blocked", waiting_for: prompt("picker") }, "blocked", "Choice needed", "needs", 700],
    ["a plan", { activity: "blocked", waiting_for: prompt("plan") }, "blocked", "Plan to approve", "needs", 700],
    ["a start-up prompt", { activity: "blocked", waiting_for: prompt("startup") }, "blocked", "Start-up prompt", "needs", 700],
    ["a prompt of a kind that is not known", { activity: "blocked", waiting_for: prompt("later") }, "blocked", "Waits for you", "needs", 700],
    ["blocked without a dialog", { activity: "blocked" }, "blocked", "Waits for you", "needs", 1000],
    ["a question", { activity: "question" }, "question", "Question for you", "needs", 1000],
    ["work", { activity: "working" }, "working", "Working", "working", 1000],
    ["work goes before what was finished", { activity: "working", finished }, "working", "Working", "working", 1000],
    ["helpers", { activity: "helpers", helpers: 2 }, "helpers", "Waiting on helpers", "working", 1000],
    ["a finished stretch", { activity: "idle", finished }, "done", "Finished", "finished", 900],
    ["a finished stretch, activity not known", { activity: "unknown", finished }, "done", "Finished", "finished", 900],
    ["a start", { activity: "starting" }, "starting", "Starting", "working", 1000],
    ["idle", { activity: "idle" }, "idle", "Idle", "idle", 1000],
    ["not known", { activity: "unknown" }, "unknown", "Not known", "unknown", 1000],
    ["gone", { activity: "gone" }, "gone", "Gone", "gone", 1000],
    ["gone after it finished", { activity: "gone", finished }, "gone", "Gone", "gone", 1000],
    ["an activity of a newer hub", { activity: "dreaming" as Agent["activity"] }, "unknown", "Not known", "unknown", 1000],
  ])("%s", (_name, part, lamp, word, group, sinceMs) => {
    expect(standingOf(agent(part))).toMatchObject({ lamp, word, group, sinceMs });
  });

  it.each<[string, Partial<Agent>, string]>([
    ["what to do about a fault", { fault }, "Sign in on studio."],
    ["what it wants", { activity: "blocked", waiting_for: prompt("permission", "Bash\n\n  psql  now\nthen") }, "Bash · psql now then"],
    ["what it asks", { activity: "question", evidence: { rule: "question", source: "transcript", detail: "Now or later?", at_ms: 1 } }, "Now or later?"],
    ["its status line", { activity: "working", header: "41 of 58 tests pass", last: { author: "assistant", text: "no", at_ms: 1 } }, "41 of 58 tests pass"],
    ["its last words without one", { activity: "working", last: { author: "assistant", text: "I look", at_ms: 1 } }, "I look"],
    ["whom it waits on", { activity: "helpers", helpers: 4, header: "renaming" }, "Waiting on 4 helpers: renaming"],
    ["one helper", { activity: "helpers", helpers: 1 }, "Waiting on 1 helper"],
    ["what it made", { finished }, "Result: done"],
    ["your words as yours", { last: { author: "user", text: "leave it", at_ms: 1 } }, "You: leave it"],
    ["nothing", {}, ""],
    ["why nothing is known", { activity: "unknown" }, "At its prompt"],
  ])("says %s", (_name, part, say) => {
    expect(standingOf(agent(part)).say).toBe(say);
  });

  it("says what it did while that is not known now", () => {
    expect(standingOf(agent({ activity: "unknown", was: { activity: "helpers", at_ms: 50 } })).was).toEqual({ word: "waiting on helpers", atMs: 50 });
  });

  it("cuts what is long", () => {
    const { say } = standingOf(agent({ header: "x".repeat(1_000_000), activity: "working" }));
    expect(say).toHaveLength(SAY_LIMIT);
    expect(say.endsWith("…")).toBe(true);
  });
});

describe("the name of a profile", () => {
  it.each<[string | null, string]>([
    [null, ""], ["work-1", "work-1"], ["/home/mo/.claude", ""], ["/home/mo/.claude-work/", "work"], ["/home/mo/.claude/home", ""],
    ["/srv/accounts/team", "team"], ["/tmp/x/config", ""], ["home", "home"], ["/", ""],
  ])("%j is %j", (profile, name) => expect(profileName(agent({ profile }))).toBe(name));
});

describe("counts", () => {
  it("counts each waiting thing once", () => {
    const all = [
      agent({ activity: "blocked", waiting_for: prompt("permission") }),
      agent({ activity: "blocked", waiting_for: prompt("picker") }),
      agent({ activity: "question", unread: 2 }),
      agent({ fault, activity: "question" }),
      agent({ activity: "working", unread: 1 }),
      agent({ activity: "blocked", archived: true, unread: 5 }),
      agent({ activity: "blocked", machine_id: "attic" }),
    ];
    const machines = new Map([...STUDIO, ["attic", machine("attic", false)]]);
    expect(countsOf(mapOf(all), machines)).toEqual({ stopped: 2, questions: 2, waiting: 4, needs: 3, longestSinceMs: 600, unread: 2 });
  });

  it("counts nothing of a machine that is not known", () => {
    expect(waits(agent({ activity: "blocked", machine_id: "nowhere" }), STUDIO)).toBe(false);
  });

  it("lists the longest waiting first", () => {
    const late = agent({ activity: "question", since_ms: 900 });
    const early = agent({ activity: "question", since_ms: 100 });
    expect(waiting(mapOf([late, agent(), early]), STUDIO)).toEqual([early, late]);
  });
});

describe("groups", () => {
  it("stand in their order, empty ones left out", () => {
    const all = [
      agent({ activity: "gone" }), agent({ machine_id: "attic", activity: "blocked" }), agent(), agent({ activity: "unknown" }),
      agent({ activity: "working" }), agent({ finished }), agent({ activity: "question" }),
    ];
    const machines = new Map([...STUDIO, ["attic", machine("attic", false)]]);
    expect(arrange(all, machines).map((group) => group.title)).toEqual([
      "Needs you", "Finished, not looked at", "Working", "Not known", "Idle", "Gone", "attic is not reachable",
    ]);
  });

  it("put pinned ones first, then the longest waiting, elsewhere the newest", () => {
    const ids = (part: Partial<Agent>) => {
      const [a, b, c] = [agent({ ...part, since_ms: 1 }), agent({ ...part, since_ms: 3 }), agent({ ...part, since_ms: 2, pinned: true })];
      return arrange([a, b, c], STUDIO)[0]?.agents.map(({ since_ms }) => since_ms);
    };
    expect(ids({ activity: "question" })).toEqual([2, 1, 3]);
    expect(ids({ activity: "idle" })).toEqual([2, 3, 1]);
  });

  it("keep archived ones apart", () => {
    const hidden = agent({ archived: true, activity: "blocked" });
    expect(arrange([hidden], STUDIO)).toEqual([]);
    expect(arrange([hidden], STUDIO, { by: "archived" })).toMatchObject([{ title: "Archived", agents: [hidden] }]);
  });

  it("name an agent whose machine is not known", () => {
    expect(arrange([agent({ machine_id: "x" })], STUDIO)[0]?.title).toBe("Its machine is not reachable");
  });
});

describe("search and filters", () => {
  const one = agent({
    name: "Payments-Migration", folder: "/srv/ledger", profile: "work-1", header: "Copying rows", last: { author: "assistant", text: "48,211 rows", at_ms: 1 },
  });

  it.each([
    ["", true], ["payments", true], ["LEDGER", true], ["work-1", true], ["studio", true], ["copying", true], ["48,211", true],
    ["rows studio", true], ["claude", true], ["rows attic", false], ["nothing", false],
  ])("%j: %j", (search, found) => expect(matches(one, "studio", search)).toBe(found));

  it("finds what is written in another form of the same letters", () => {
    expect(matches(agent({ name: "ﬁle ＡＢＣ" }), "", "file abc")).toBe(true);
  });

  it("offers only what tells agents apart", () => {
    expect(filtersOf([agent(), agent()], STUDIO).map(({ label, count }) => [label, count])).toEqual([["All", 2], ["Unread", 0]]);
    const machines = new Map([...STUDIO, ["attic", machine("attic")]]);
    const all = [agent({ unread: 1 }), agent({ kind: "codex", machine_id: "attic" }), agent({ archived: true })];
    expect(filtersOf(all, machines).map(({ label, count }) => [label, count])).toEqual([
      ["All", 2], ["Unread", 1], ["studio", 1], ["attic", 1], ["Claude", 1], ["Codex", 1], ["Archived", 1],
    ]);
  });
});

describe("nothing moves by itself", () => {
  it("keeps every row in its place and tells what is known now", () => {
    const [a, b] = [agent({ since_ms: 2 }), agent({ since_ms: 1 })];
    const shown = arrange([a, b], STUDIO);
    const later = { ...b, activity: "blocked" as const };
    const kept = held(shown, new Map([[a.id, a], [b.id, later], ["new", agent()]]));
    expect(isSameOrder(kept, shown)).toBe(true);
    expect(kept[0]?.agents).toEqual([a, later]);
  });

  it("keeps a row whose agent is gone until the hand is off", () => {
    const shown = arrange([agent()], STUDIO);
    expect(held(shown, new Map())).toEqual(shown);
  });

  const movedBetween = (before: Parameters<typeof movesBetween>[0], after: Parameters<typeof movesBetween>[1]) => movesBetween(before, after).moved;

  it("knows which rows appeared or moved", () => {
    const [a, b, c] = [agent({ since_ms: 3 }), agent({ since_ms: 2 }), agent({ since_ms: 1 })];
    const before = arrange([a, b, c], STUDIO);
    expect(movedBetween(before, before)).toEqual(new Set());
    expect(movedBetween(before, arrange([a, b], STUDIO))).toEqual(new Set());
    expect(movedBetween(before, arrange([b, c], STUDIO))).toEqual(new Set([b.id, c.id]));
    const fresh = agent({ since_ms: 0 });
    expect(movedBetween(before, arrange([a, b, c, fresh], STUDIO))).toEqual(new Set([fresh.id]));
    const working = movesBetween(before, arrange([a, { ...b, activity: "working" }, c], STUDIO));
    expect(working.moved).toEqual(new Set([a.id, b.id, c.id]));
    expect(working.arrived).toEqual(new Set([b.id]));
  });
});

/** A small seeded generator, so that what fails once fails again. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % sides;
  };
}

const ACTIVITIES = ["blocked", "question", "working", "helpers", "idle", "starting", "unknown", "gone"] as const;
const KINDS = ["permission", "picker", "plan", "startup", "limit", "other"];

function random(roll: (sides: number) => number, id: number): Agent {
  const activity = ACTIVITIES[roll(8)] ?? "idle";
  return agent({
    id: `a${id}`, name: `n${roll(5)}`, kind: roll(2) ? "claude" : "codex", machine_id: `m${roll(4)}`, activity, since_ms: roll(6), unread: roll(3),
    pinned: roll(4) === 0, archived: roll(5) === 0, ...(roll(6) === 0 ? { fault } : {}), ...(roll(3) === 0 ? { finished } : {}),
    ...(activity === "blocked" && roll(5) > 0 ? { waiting_for: prompt(KINDS[roll(6)] ?? "other") } : {}),
  });
}

describe("questions that have cards", () => {
  const asks1 = agent({ id: "agt_1", activity: "question", since_ms: 900 });
  const picks = agent({ id: "agt_2", activity: "blocked", waiting_for: prompt("picker") });
  const works = agent({ id: "agt_3", activity: "working" });
  const all = mapOf([asks1, picks, works]);
  const known = (...questions: Question[]) => listed(NO_QUESTIONS, questions, true);

  it("count once: as themselves, not as their agents too", () => {
    const asked = known(question("q_1"), question("q_2", { agent_id: "agt_2", source: "picker", waiting_id: "wait-1" }), question("q_3", { agent_id: "agt_3" }));
    expect(countsOf(all, STUDIO, asked)).toMatchObject({ stopped: 0, questions: 3, waiting: 3 });
  });
  it("leave what has no card where it was", () => {
    expect(countsOf(all, STUDIO, known())).toMatchObject({ stopped: 0, questions: 2, waiting: 2 });
    expect(countsOf(all, STUDIO, known(question("q_2", { agent_id: "agt_2", source: "picker", waiting_id: "another" })))).toMatchObject({ questions: 3 });
  });
  it("count although their agent cannot be reached, and beside its fault", () => {
    expect(countsOf(mapOf([asks1]), new Map([["studio", machine("studio", false)]]), known(question("q_1")))).toMatchObject({ questions: 1, waiting: 1 });
    expect(countsOf(mapOf([{ ...asks1, fault }]), STUDIO, known(question("q_1")))).toMatchObject({ stopped: 1, questions: 1 });
  });
  it("let an agent wait no more whose question was closed since", () => {
    const asked = changed(known(question("q_1")), closed(question("q_1"), "dismissed", 950, "host"));
    expect(countsOf(mapOf([asks1]), STUDIO, asked).waiting).toBe(0);
    expect(waiting(mapOf([asks1]), STUDIO, asked)).toEqual([]);
    expect(countsOf(mapOf([{ ...asks1, since_ms: 960 }]), STUDIO, asked).waiting).toBe(1);
  });
});

describe("whatever happens", () => {
  it.each(Array.from({ length: 40 }, (_, seed) => [seed + 1]))("seed %i", (seed) => {
    const roll = dice(seed * 7919);
    const machines = new Map([0, 1, 2].map((at) => [`m${at}`, machine(`m${at}`, roll(3) > 0)])); // m3 is not known
    let agents = new Map(Array.from({ length: 30 }, (_, id) => [`a${id}`, random(roll, id)]));
    let shown = arrange(agents.values(), machines);
    for (let step = 0; step < 20; step++) {
      agents = new Map(agents);
      const id = roll(34);
      if (roll(6) === 0) agents.delete(`a${id}`);
      else agents.set(`a${id}`, random(roll, id));
      const all = [...agents.values()];
      const next = arrange(all, machines);
      const listed = next.flatMap((group) => group.agents);
      // Each listed agent stands in one place, and none is lost.
      expect(new Set(listed).size).toBe(listed.length);
      expect(new Set(listed)).toEqual(new Set(all.filter((one) => passes(one, ALL))));
      // The order does not depend on how they came.
      expect(arrange([...all].reverse(), machines)).toEqual(next);
      // Nothing amber outside of "Needs you", and nothing there that cannot be reached.
      for (const group of next) {
        for (const one of group.agents) {
          expect(group.kind === "needs").toBe(waits(one, machines));
          expect(group.kind === "away").toBe(machines.get(one.machine_id)?.online !== true);
        }
        const pins = group.agents.map((one) => one.pinned === true);
        expect(pins.lastIndexOf(true)).toBeLessThan(pins.includes(false) ? Math.max(1, pins.indexOf(false)) : pins.length);
      }
      // Counted once: the badges together are what the list shows as waiting.
      const counts = countsOf(mapOf(all), machines);
      const needs = next.find((group) => group.kind === "needs")?.agents ?? [];
      expect(counts.stopped + counts.questions).toBe(counts.waiting);
      expect(counts.waiting).toBe(needs.length);
      expect(needs.filter(asks)).toHaveLength(counts.questions);
      expect(counts.longestSinceMs).toBe(needs.length === 0 ? null : Math.min(...needs.map((one) => standingOf(one).sinceMs)));
      // A held list has the same places; what did not move is where it was.
      expect(isSameOrder(held(shown, agents), shown)).toBe(true);
      const { moved, arrived } = movesBetween(shown, next);
      expect([...arrived].every((one) => moved.has(one))).toBe(true);
      const flat = (groups: typeof shown) => groups.flatMap((group) => [group.id, ...group.agents.map((one) => one.id)]);
      flat(next).forEach((name, at) => {
        if (agents.has(name) && !moved.has(name)) expect(flat(shown)[at]).toBe(name);
      });
      shown = next;
    }
  });
});
