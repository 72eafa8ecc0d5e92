import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { Agent } from "../../api/types";
import { RoomContext, type Room } from "../../live/room";
import { agent, machine, operation } from "../../store/samples";
import { EMPTY, type State } from "../../store/state";
import { OperationSheets } from ".";
import { wish, wishFor } from "./wish";

const state = signal<State>(EMPTY);
const request = vi.fn();
const room = {
  state, now: signal(50_000), isOld: signal(false), link: signal({ kind: "live" }), nowMs: () => 50_000, http: { request }, tell: vi.fn(),
} as unknown as Room;
const settle = () => act(async () => { for (let turn = 0; turn < 5; turn++) await Promise.resolve(); });
const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
const button = (text: string) => all("button").find((one) => one.textContent === text) as HTMLButtonElement;
const sent = () => request.mock.calls.filter(([method]) => method === "POST").map(([, path, options]) => [path, (options as { body: unknown }).body]);

function type(field: HTMLInputElement | HTMLTextAreaElement | null, text: string): Promise<void> {
  return act(() => {
    if (field === null) throw new Error("no field");
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

async function show(agents: Agent[]): Promise<void> {
  state.value = { ...EMPTY, seq: 1, agents: new Map(agents.map((one) => [one.id, one])), machines: new Map([["mac_1", machine("mac_1")]]) };
  await act(() => render(<RoomContext.Provider value={room}><OperationSheets /></RoomContext.Provider>, document.body));
  await settle();
}

afterEach(async () => {
  await act(() => { wish.value = null; render(null, document.body); });
  request.mockReset();
});

describe("the sheet of an operation", () => {
  it("wants a why, and waits for an agent that is busy", async () => {
    wishFor({ kind: "restart", agentId: "agt_1" });
    await show([agent("agt_1", { name: "shop", activity: "working", helpers: 2 })]);
    expect(button("Restart").disabled).toBe(true);
    expect(document.body.textContent).toContain("This drops its running turn and 2 helpers, and any unsent text in its own input line.");
    await type(document.querySelector("textarea"), "It has lost\nits way.");
    request.mockResolvedValueOnce({ ok: true, value: operation("op_1") });
    await act(() => button("Restart").click());
    await settle();
    expect(sent()).toEqual([["/operations", { id: expect.stringMatching(/^op_/) as string, kind: "restart", agent_id: "agt_1", why: "It has lost its way.", args: { when: "idle", drop: false } }]]);
    expect(wish.value).toBeNull();
  });

  it("drops only what was agreed to: when more would be dropped the choice falls back", async () => {
    wishFor({ kind: "stop", agentId: "agt_1", why: "Enough." });
    await show([agent("agt_1", { activity: "working" })]);
    await act(() => all("input[type=radio]")[1]?.click());
    expect(button("Stop").className).toContain("btn-fault");
    act(() => { state.value = { ...state.value, agents: new Map([["agt_1", agent("agt_1", { activity: "working", helpers: 1 })]]) }; });
    expect(document.body.textContent).toContain("More would be dropped than when you chose.");
    request.mockResolvedValueOnce({ ok: true, value: operation("op_1") });
    await act(() => button("Stop").click());
    await settle();
    expect(sent()[0]?.[1]).toMatchObject({ args: { when: "idle", drop: false } });
  });

  it("asks again with the same id and the same words when the answer was lost", async () => {
    wishFor({ kind: "close", agentId: "agt_1", why: "The project is over." });
    await show([agent("agt_1", { activity: "idle" })]);
    request.mockResolvedValueOnce({ ok: false, refusal: { code: "unreachable", text: "The control room did not answer.", status: 0 } });
    await act(() => button("Close").click());
    await settle();
    expect(document.querySelector("textarea")?.disabled).toBe(true);
    request.mockResolvedValueOnce({ ok: true, value: operation("op_1") });
    await act(() => button("Try again").click());
    await settle();
    expect(sent()).toHaveLength(2);
    expect(sent()[0]).toEqual(sent()[1]);
  });

  it("asks for the same when the sheet was closed after a lost answer, and shows it as it was asked for", async () => {
    const busy = agent("agt_1", { name: "shop", activity: "working" });
    wishFor({ kind: "restart", agentId: "agt_1" });
    await show([busy]);
    await act(() => all("input[type=radio]")[1]?.click());
    await type(document.querySelector("textarea"), "It has lost its way.");
    request.mockResolvedValueOnce({ ok: false, refusal: { code: "unreachable", text: "The control room did not answer.", status: 0 } });
    await act(() => button("Restart").click());
    await settle();
    await act(() => button("Cancel").click());
    expect(wish.value).toBeNull();
    wishFor({ kind: "restart", agentId: "agt_1", why: "From another place." });
    await settle();
    expect(document.querySelector("textarea")?.value).toBe("It has lost its way.");
    expect((all("input[type=radio]")[1] as HTMLInputElement).checked).toBe(true);
    expect(document.querySelector('[role="alert"]')?.textContent).toContain("Trying again asks once.");
    request.mockResolvedValueOnce({ ok: true, value: operation("op_1") });
    await act(() => button("Try again").click());
    await settle();
    expect(sent()).toHaveLength(2);
    expect(sent()[0]).toEqual(sent()[1]);
    expect(wish.value).toBeNull();
    // It was answered: the next one is another.
    wishFor({ kind: "restart", agentId: "agt_1", why: "Once more." });
    await settle();
    request.mockResolvedValueOnce({ ok: true, value: operation("op_2") });
    await act(() => button("Restart").click());
    await settle();
    expect(sent()).toHaveLength(3);
    expect((sent()[2]?.[1] as { id: string }).id).not.toBe((sent()[0]?.[1] as { id: string }).id);
  });

  it("asks for another one when the control room shows that the lost one had arrived", async () => {
    wishFor({ kind: "stop", agentId: "agt_1", why: "Enough." });
    await show([agent("agt_1", { activity: "idle" })]);
    request.mockResolvedValueOnce({ ok: false, refusal: { code: "unreachable", text: "The control room did not answer.", status: 0 } });
    await act(() => button("Stop").click());
    await settle();
    await act(() => button("Cancel").click());
    const { id } = sent()[0]?.[1] as { id: string };
    state.value = { ...state.value, operations: new Map([[id, operation(id, { kind: "stop", state: "delivered" })]]) };
    wishFor({ kind: "stop", agentId: "agt_1", why: "Again." });
    await settle();
    expect(document.querySelector('[role="alert"]')?.textContent).toBe("");
    expect(button("Stop").disabled).toBe(false);
  });

  it("does not close another sheet when an answer comes late", async () => {
    wishFor({ kind: "stop", agentId: "agt_1", why: "Enough." });
    await show([agent("agt_1", { activity: "idle" })]);
    let answer: (value: unknown) => void = () => undefined;
    request.mockReturnValueOnce(new Promise((resolve) => { answer = resolve; }));
    await act(() => button("Stop").click());
    await act(() => button("Cancel").click());
    wishFor({ kind: "rename", agentId: "agt_1" });
    await settle();
    await act(() => answer({ ok: true, value: operation("op_1", { kind: "stop" }) }));
    await settle();
    expect(wish.value?.kind).toBe("rename");
  });

  it("says what was refused, and keeps what was typed", async () => {
    wishFor({ kind: "rename", agentId: "agt_1", why: "There are two." });
    await show([agent("agt_1", { name: "shop" })]);
    await type(document.querySelector("input"), "pear tree");
    request.mockResolvedValueOnce({ ok: false, refusal: { code: "not_allowed", text: "This device has no right to do that.", status: 403 } });
    await act(() => button("Rename").click());
    await settle();
    expect(document.querySelector('[role="alert"]')?.textContent).toContain("no right");
    expect(sent()[0]?.[1]).toMatchObject({ args: { name: "pear tree" } });
    expect(document.querySelector("input")?.value).toBe("pear tree");
  });

  it("moves to the profile that the policy suggests, with its reason", async () => {
    const here = { id: "prf_1", name: "one", machine_id: "mac_1", kind: "claude", folder: "/p/one", account: "acc_1", login: "ok" };
    const there = { ...here, id: "prf_2", name: "two", folder: "/p/two", account: "acc_2" };
    const advice = { agent_id: "agt_1", what: "move", rule: "minimum", why: "one has 3 % of its week left", sentences: [], to_profile: "prf_2" };
    request.mockImplementation((method: string, path: string) => Promise.resolve(
      method === "POST" ? { ok: true, value: operation("op_1", { kind: "move" }) }
        : { ok: true, value: path === "/profiles" ? [here, there] : path === "/policy" ? { at_ms: 1, rules: {}, advice: [advice] } : [] },
    ));
    wishFor({ kind: "move", agentId: "agt_1" });
    await show([agent("agt_1", { activity: "idle", profile: "/p/one" })]);
    expect(document.querySelector("textarea")?.value).toBe("one has 3 % of its week left");
    expect(document.querySelector(".tag-accent")?.textContent).toBe("Suggested");
    await act(() => button("Move").click());
    await settle();
    expect(sent()[0]?.[1]).toMatchObject({ kind: "move", why: "one has 3 % of its week left", args: { profile: "prf_2" } });
  });

  it("starts an agent, and shows how far it is", async () => {
    request.mockImplementation((method: string) => Promise.resolve(
      { ok: true, value: method === "POST" ? operation("op_1", { kind: "start", agent_id: null, args: { name: "pears" }, steps: [{ name: "open", state: "running", at_ms: 1 }] }) : [] },
    ));
    wishFor({ kind: "start" });
    await show([agent("agt_1", { folder: "/srv/pears" })]);
    const [folder, name] = all("input[type=text]") as HTMLInputElement[];
    expect(document.querySelector("option[value='/srv/pears']")).not.toBeNull();
    await type(folder ?? null, "work");
    await type(all("textarea").at(-1) as HTMLTextAreaElement, "Next task");
    expect(button("Start").disabled).toBe(true);
    await type(folder ?? null, "/srv/pears");
    await type(name ?? null, "pears");
    await act(() => button("Start").click());
    await settle();
    expect(sent()[0]?.[1]).toMatchObject({ kind: "start", why: "Next task", args: { kind: "claude", folder: "/srv/pears", name: "pears", machine_id: "mac_1" } });
    expect(document.querySelector(".steps")?.textContent).toContain("Opening a new window");
  });

  it("tries a start that failed again as it was asked for, whatever was typed for another one", async () => {
    const failed = operation("op_1", { kind: "start", state: "failed", agent_id: null, why: "Next task", args: { kind: "claude", folder: "/srv/pears" }, error: { code: "failed", text: "No window." } });
    request.mockImplementation((method: string) => Promise.resolve({ ok: true, value: method === "POST" ? failed : [] }));
    wishFor({ kind: "start" });
    await show([agent("agt_1")]);
    await type(all("input[type=text]")[0] as HTMLInputElement, "/srv/plums");
    await act(() => button("Cancel").click());
    wishFor({ kind: "start", why: "Next task", args: failed.args });
    await settle();
    for (const tries of [1, 2]) {
      expect((all("input[type=text]")[0] as HTMLInputElement).value).toBe("/srv/pears");
      await act(() => button("Start").click());
      await settle();
      expect(sent()).toHaveLength(tries);
      await act(() => button("Try again").click());
    }
  });
});
