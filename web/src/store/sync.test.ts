/** The same story as in tests/unit/hub/sync_case.py: what the hub makes of its events, this page makes of them. */
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import type { Fleet } from "../api/types";
import { readFleet, readFrame } from "./read";
import { apply, EMPTY, type State } from "./state";

interface Story {
  start: Fleet;
  events: string[];
  end: Fleet;
  frames: string[];
}

const story = JSON.parse(readFileSync("../tests/fixtures/live/sync.json", "utf8")) as Story;

function told(): State {
  const start = apply(EMPTY, { type: "fleet", fleet: readFleet(story.start)?.fleet ?? story.end });
  return story.events.reduce((state, text) => {
    const frame = readFrame(text);
    if (frame?.type !== "event") throw new Error(`no event: ${text}`);
    return apply(state, { type: "event", seq: frame.seq, atMs: frame.at_ms, name: frame.name, data: frame.data });
  }, start);
}

describe("the hub's own story", () => {
  it("ends here as it does there", () => {
    const state = told();
    expect(state.seq).toBe(story.end.seq);
    expect([...state.agents.values()]).toEqual(story.end.agents);
    expect([...state.machines.values()]).toEqual(story.end.machines);
  });

  it("has no name and no row that this page cannot read", () => {
    const state = told();
    expect(state.unknown).toBe(0);
    expect(readFleet(story.start)?.skipped).toBe(0);
    expect([...state.messages.keys(), ...state.hints.keys(), ...state.hides.keys()]).toEqual(["msg_1", "cht_1", "cht_1"]);
    expect(state.receipts).toHaveLength(1);
  });

  it("is told in frames that can be read", () => {
    expect(story.frames.map((text) => readFrame(text)?.type)).toEqual(["welcome", "resync", "items", "frame", "ack", "ping", "proof", "error"]);
  });

  it.each([
    "", "null", "7", "[]", "{}", '{"type":7}', '{"type":"event"}', '{"type":"event","seq":"1","at_ms":1,"name":"x"}',
    '{"type":"welcome","seq":1}', '{"type":"proof"}', '{"type":"resync"}', "{\"type\":\"event\"", new ArrayBuffer(4),
  ])("is not told in %j", (text) => expect(readFrame(text)).toBeNull());

  it("leaves room for frames of a newer hub", () => {
    expect(readFrame('{"type":"presence","who":[]}')).toEqual({ type: "presence", who: [] });
    expect(readFrame('{"type":"toString"}')).toEqual({ type: "toString" });
  });
});
