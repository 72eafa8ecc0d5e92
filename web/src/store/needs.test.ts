import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import type { Agent } from "../api/types";
import { countsOf } from "./agents";
import { listed, NO_QUESTIONS } from "./questions";
import { agent, machine, question } from "./samples";

interface Case {
  name: string;
  needs: number;
  machines: Record<string, boolean>;
  agents: { machine_id: string; activity: Agent["activity"]; id: string; archived?: boolean; fault?: boolean; dialog?: string; kind?: string }[];
  questions: { id: string; agent_id: string; waiting_id?: string }[];
}

/** What the hub counts by too: tests/unit/hub/test_needs.py. */
const CASES = JSON.parse(readFileSync(join(import.meta.dirname, "../../../tests/fixtures/needs.json"), "utf-8")) as Case[];

it.each(CASES.map((one) => [one.name, one] as const))("counts as the hub does: %s", (_name, { needs, machines, agents, questions }) => {
  const known = new Map(Object.entries(machines).map(([id, online]) => [id, machine(id, { online })]));
  const shown = new Map(agents.map(({ id, machine_id, activity, archived = false, fault = false, dialog, kind = "permission" }) => [id, agent(id, {
    machine_id, activity, archived, ...(fault ? { fault: { code: "limit", text: "No more today.", since_ms: 500 } } : {}),
    ...(dialog === undefined ? {} : { waiting_for: { id: dialog, kind, text: "Run it?", since_ms: 700 } }),
  })]));
  const asked = listed(NO_QUESTIONS, questions.map(({ id, ...change }) => question(id, { ...change, ...(change.waiting_id === undefined ? {} : { source: "picker" }) })), true);
  expect(countsOf(shown, known, asked).needs).toBe(needs);
});
