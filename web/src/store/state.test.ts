import { describe, expect, it } from "vitest";

import { account, accountWindow, agent, device, event, fleet, machine, message, operation, receipt } from "./samples";
import { apply, applyAll, EMPTY, isReadable, MOST_MESSAGES, MOST_OPERATIONS, MOST_RECEIPTS, type State, type StoreEvent } from "./state";

const START = apply(EMPTY, { type: "fleet", fleet: fleet(10, [agent("agt_1")], [machine("mac_1")]) });

function after(...events: readonly [string, unknown][]): State {
  return applyAll(START, events.map(([name, data], at) => event(11 + at, name, data)));
}

describe("a fleet", () => {
  it("is what there is", () => {
    expect(START).toMatchObject({ seq: 10, epoch: 1, freshness: { kind: "never" } });
    expect([...START.agents.keys()]).toEqual(["agt_1"]);
    expect([...START.machines.keys()]).toEqual(["mac_1"]);
  });

  it("drops whatever may have changed unseen, and begins an epoch", () => {
    const known = after(
      ["message.changed", message("msg_1")],
      ["receipt.added", receipt(12)],
      ["chat.items", { chat_id: "cht_1", agent_id: "agt_1", after: null, count: 1, last: "hello" }],
      ["chat.hidden", { chat_id: "cht_1", agent_id: "agt_1", is_hidden: true, item_id: "itm_1" }],
    );
    const anew = applyAll(known, [
      { type: "devices", devices: [device("dev_1")] },
      { type: "welcome", version: "1.2.3" },
      { type: "freshness", freshness: { kind: "live" } },
      { type: "fleet", fleet: fleet(3, [agent("agt_2")], []), skipped: 2 },
    ]);
    expect(anew).toEqual({
      ...EMPTY, seq: 3, epoch: 2, unknown: 2, agents: new Map([["agt_2", agent("agt_2")]]), serverVersion: "1.2.3",
      freshness: { kind: "live" },
    });
  });
});

describe("an event", () => {
  it.each<[string, unknown, (state: State) => unknown, unknown]>([
    ["agent.changed", agent("agt_1", { activity: "idle" }), (s) => s.agents.get("agt_1")?.activity, "idle"],
    ["agent.changed", agent("agt_2"), (s) => [...s.agents.keys()], ["agt_1", "agt_2"]],
    ["agent.changed", { ...agent("agt_1"), activity: "dreaming" }, (s) => s.agents.get("agt_1")?.activity, "unknown"],
    ["agent.gone", { id: "agt_1", chat_id: "cht_1" }, (s) => s.agents.size, 0],
    ["machine.changed", machine("mac_1", { online: false }), (s) => s.machines.get("mac_1")?.online, false],
    ["message.changed", message("msg_1", { state: "delivered" }), (s) => s.messages.get("msg_1")?.state, "delivered"],
    ["chat.items", { chat_id: "cht_1", agent_id: "agt_1", after: "c", count: 3, last: "…" }, (s) => s.hints.get("cht_1")?.count, 3],
    ["receipt.added", receipt(11), (s) => s.receipts.map((one) => one.seq), [11]],
    ["device.changed", device("dev_1"), (s) => s.devices, null],
    ["thing.later", { id: "x" }, (s) => s.unknown, 1],
    ["toString", {}, (s) => s.unknown, 1],
    ["agent.changed", { id: "agt_1" }, (s) => [s.unknown, s.agents.get("agt_1")?.activity], [1, "working"]],
    ["agent.changed", null, (s) => s.unknown, 1],
  ])("%s", (name, data, look, expected) => {
    const state = after([name, data]);
    expect(look(state)).toEqual(expected);
    expect(state.seq).toBe(11);
  });

  it("of an account changes what was asked for, and tells that answers on their way may be older", () => {
    const one = account("acc_1", { windows: [accountWindow(300, 40)] });
    const unasked = after(["account.changed", one]);
    expect(unasked.accounts).toEqual({ byId: null, told: 1 });
    const asked = apply(unasked, { type: "accounts", accounts: [one, account("acc_2")] });
    const later = applyAll(asked, [event(12, "account.changed", { ...one, login: "out" }), event(13, "account.gone", { id: "acc_2" })]);
    expect(later.accounts).toEqual({ byId: new Map([["acc_1", { ...one, login: "out" }]]), told: 3 });
    expect(asked.accounts.byId?.size).toBe(2);
    expect(apply(later, event(14, "account.changed", { ...one, windows: [{ name: "week" }] }))).toMatchObject({ unknown: 1, accounts: later.accounts });
  });

  it.each([9, 10, 12, 500, Number.NaN])("that does not follow is not taken: %i", (seq) => {
    expect(apply(START, event(seq, "agent.gone", { id: "agt_1", chat_id: "cht_1" }))).toEqual(START);
  });

  it("before any fleet is not taken", () => {
    expect(apply(EMPTY, event(1, "agent.changed", agent("agt_1")))).toEqual(EMPTY);
  });

  it("leaves the state it came from as it was", () => {
    const before = structuredClone(START);
    after(["agent.changed", agent("agt_9")], ["agent.gone", { id: "agt_1", chat_id: "c" }], ["machine.changed", machine("mac_2")]);
    expect(START).toEqual(before);
  });

  it("leaves the maps that it does not concern the very same", () => {
    const state = after(["receipt.added", receipt(11)]);
    expect(state.agents).toBe(START.agents);
    expect(state.messages).toBe(START.messages);
  });

  it("changes devices only when they were asked for", () => {
    const asked = apply(START, { type: "devices", devices: [device("dev_1")] });
    const changed = applyAll(asked, [event(11, "device.changed", device("dev_2")), event(12, "device.gone", { id: "dev_1" })]);
    expect([...(changed.devices ?? [])].map(([id]) => id)).toEqual(["dev_2"]);
  });
});

describe("what is hidden", () => {
  it("keeps the latest word for each item and for the chat as a whole", () => {
    const hides = after(
      ["chat.hidden", { chat_id: "cht_1", agent_id: "agt_1", is_hidden: true, item_id: "itm_1" }],
      ["chat.hidden", { chat_id: "cht_1", agent_id: "agt_1", is_hidden: true, item_id: null, before_ms: 70 }],
      ["chat.hidden", { chat_id: "cht_1", agent_id: "agt_1", is_hidden: false, item_id: "itm_1" }],
      ["chat.hidden", { chat_id: "cht_2", agent_id: "agt_1", is_hidden: false, before_ms: null }],
    ).hides;
    expect(hides.get("cht_1")).toEqual({ seq: 13, items: new Map([["itm_1", false]]), beforeMs: 70 });
    expect(hides.get("cht_2")).toEqual({ seq: 14, items: new Map(), beforeMs: null });
  });
});

describe("messages and receipts", () => {
  it("do not go back when an answer comes late", () => {
    const state = applyAll(START, [
      event(11, "message.changed", message("msg_1", { state: "delivered", changed_at_ms: 200 })),
      { type: "message", message: message("msg_1", { state: "accepted", changed_at_ms: 100 }) },
    ]);
    expect(state.messages.get("msg_1")?.state).toBe("delivered");
  });

  it("are kept to a bound, the newest of them", () => {
    const many = applyAll(START, Array.from({ length: 600 }, (_, at) => event(11 + at, "message.changed", message(`msg_${at}`))));
    expect(many.messages.size).toBe(MOST_MESSAGES);
    expect(many.messages.has("msg_599")).toBe(true);
    expect(many.messages.has("msg_0")).toBe(false);
    const read = apply(START, { type: "receipts", receipts: Array.from({ length: 300 }, (_, at) => receipt(at)) });
    expect(read.receipts).toHaveLength(MOST_RECEIPTS);
    expect(read.receipts.at(-1)?.seq).toBe(299);
  });

  it("are in the order of their events, each once, whoever told them", () => {
    const state = applyAll(START, [
      event(11, "receipt.added", receipt(11)),
      { type: "receipts", receipts: [receipt(4), receipt(7), receipt(11)] },
    ]);
    expect(state.receipts.map((one) => one.seq)).toEqual([4, 7, 11]);
  });
});

describe("operations", () => {
  it("are as they changed last, whoever told them, and only the newest stay", () => {
    const state = applyAll(START, [
      event(11, "operation.changed", operation("op_a", { seq: 11, state: "delivered" })),
      { type: "operations", operations: [operation("op_a", { seq: 9, state: "running" }), operation("op_b", { seq: 8 })] },
    ]);
    expect([...state.operations.values()].map((one) => [one.id, one.state])).toEqual([["op_a", "delivered"], ["op_b", "running"]]);
    const many = Array.from({ length: MOST_OPERATIONS }, (_, at) => operation(`op_${at}`, { seq: 20 + at }));
    const full = apply(state, { type: "operations", operations: many });
    expect([full.operations.size, full.operations.has("op_b"), full.operations.has("op_199")]).toEqual([MOST_OPERATIONS, false, true]);
    expect(apply(state, event(12, "operation.changed", { ...operation("op_c"), steps: [{}] })).unknown).toBe(1);
  });
});

describe("all at once", () => {
  it("is the same as one by one", () => {
    const events: StoreEvent[] = [
      { type: "fleet", fleet: fleet(1, [agent("agt_1")], []) },
      event(2, "agent.changed", agent("agt_2")),
      event(3, "agent.gone", { id: "agt_1", chat_id: "cht_1" }),
      { type: "fleet", fleet: fleet(7, [agent("agt_3")], []) },
      event(8, "agent.changed", agent("agt_4")),
      event(8, "agent.changed", agent("agt_5")),
      { type: "freshness", freshness: { kind: "stale", sinceMs: 5 } },
    ];
    expect(applyAll(EMPTY, events)).toEqual(events.reduce(apply, EMPTY));
  });

  it("reads what it can", () => {
    expect(isReadable("agent.changed", agent("agt_1"))).toBe(true);
    expect(isReadable("agent.changed", { ...agent("agt_1"), waiting_for: { id: "w" } })).toBe(false);
    expect(isReadable("receipt.added", [])).toBe(false);
    expect(isReadable("constructor", 1)).toBe(true);
  });
});

describe("a notification", () => {
  const told = (id: string, change: object = {}) =>
    event(2, "notification.changed", { id, kind: "question", state: "pushed", at_ms: 5, began_ms: 5, title: "limiter asks", text: "Go?", why: "It was told at once.", open: "inbox/q_1", ...change });
  const start = apply(EMPTY, { type: "fleet", fleet: fleet(1, []) });

  it("that went out is known, others are not news", () => {
    expect(apply(start, told("ntf_1")).told?.id).toBe("ntf_1");
    expect(apply(start, told("ntf_1", { state: "dropped" })).told).toBeNull();
    expect(apply(start, told("ntf_1", { told_by: "ntf_2" })).told).toBeNull();
    expect(apply(start, told("ntf_1", { title: 5 }))).toMatchObject({ told: null, unknown: 1 });
  });
});
