import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { Operation, Receipt } from "../../api/types";
import { RoomContext, type Room } from "../../live/room";
import { operation } from "../../store/samples";
import { EMPTY, type State } from "../../store/state";
import { Chief } from ".";

const receipt = (seq: number, part: Partial<Receipt> = {}): Receipt => ({
  seq, id: `rcp-${seq}`, at_ms: 1_700_000_000_000 + seq * 60_000, by: "device:d", device: "Phone", what: "answer", code: "ok", text: `text ${seq}`, ...part,
});

const state = signal<State>(EMPTY);
const request = vi.fn();
const tell = vi.fn();
let known: Operation[] = [];
const ask = (method: string, path: string, options: unknown): unknown =>
  (path === "/operations" ? Promise.resolve({ ok: true, value: { operations: known } }) : request(method, path, options));
const room = { state, now: signal(1_700_000_500_000), http: { request: ask }, tell } as unknown as Room;
const whys = () => [...document.querySelectorAll(".receipt")].map((line) => line.querySelector(".why")?.textContent);
const settle = () => act(async () => { await Promise.resolve(); await Promise.resolve(); });

async function show(): Promise<void> {
  await act(() => render(<RoomContext.Provider value={room}><Chief /></RoomContext.Provider>, document.body));
  await settle();
}

afterEach(() => {
  act(() => render(null, document.body));
  state.value = EMPTY;
  request.mockReset();
  tell.mockReset();
  known = [];
});

describe("receipts", () => {
  it("come newest first, page by page, new ones on top, each once", async () => {
    request.mockResolvedValueOnce({ ok: true, value: { receipts: [receipt(3), receipt(4)], more: true } });
    await show();
    expect(whys()).toEqual(["text 4", "text 3"]);
    act(() => { state.value = { ...EMPTY, receipts: [receipt(4), receipt(5, { code: "changed", screen: ["❯ 1. Yes"] })] }; });
    expect(whys()).toEqual(["text 5", "text 4", "text 3"]);
    expect(document.querySelector(".tag-fault")?.textContent).toBe("Refused");
    expect(document.querySelector("pre")?.textContent).toBe("❯ 1. Yes\n");
    request.mockResolvedValueOnce({ ok: true, value: { receipts: [receipt(1), receipt(2)] } });
    await act(() => document.querySelector<HTMLElement>("button")?.click());
    await settle();
    expect(request).toHaveBeenLastCalledWith("GET", "/receipts", { query: { before: 3, limit: 100 } });
    expect(whys()).toEqual(["text 5", "text 4", "text 3", "text 2", "text 1"]);
    expect(document.querySelector("button")).toBeNull();
  });

  it("are asked for anew with a new fleet", async () => {
    request.mockResolvedValueOnce({ ok: true, value: { receipts: [receipt(1)] } });
    await show();
    request.mockResolvedValueOnce({ ok: true, value: { receipts: [receipt(1), receipt(2)] } });
    act(() => { state.value = { ...EMPTY, epoch: 1 }; });
    await settle();
    expect(whys()).toEqual(["text 2", "text 1"]);
  });

  it("say when they cannot be had, and ask again", async () => {
    request.mockResolvedValueOnce({ ok: false, refusal: { code: "not_allowed", text: "This device has no right to chat.", status: 403 } });
    await show();
    expect(document.querySelector('[role="alert"]')?.textContent).toBe("This device has no right to chat.");
    request.mockResolvedValueOnce({ ok: true, value: { receipts: [] } });
    await act(() => document.querySelector<HTMLElement>("button")?.click());
    await settle();
    expect(document.querySelector("h2")?.textContent).toBe("Nothing was done yet");
  });

  it("offer Undo at the newest receipt of an operation, and show what is under way", async () => {
    const over = operation("op_1", { kind: "stop", state: "delivered", undo: { until_ms: 1_700_009_000_000, what: "Start it again." } });
    const runs = operation("op_2", { agent_name: "shop", steps: [{ name: "wait", state: "running", at_ms: 1, detail: "Its turn runs." }] });
    state.value = { ...EMPTY, epoch: 1, operations: new Map([over, runs].map((one) => [one.id, one])) };
    const of = (seq: number, text: string): Receipt => receipt(seq, { what: "stop", text, operation_id: "op_1" });
    request.mockResolvedValueOnce({ ok: true, value: { receipts: [of(1, "Asked to stop it."), of(2, "Stopped.")] } });
    await show();
    expect(document.querySelector(".card")?.textContent).toContain("Its turn runs.");
    const undo = [...document.querySelectorAll<HTMLElement>(".receipt")].map((row) => row.querySelector("button"));
    expect(undo.map((button) => button?.textContent?.startsWith("Undo until") ?? false)).toEqual([true, false]);
    request.mockResolvedValueOnce({ ok: true, value: operation("op_3", { undoes: "op_1", state: "queued" }) });
    await act(() => undo[0]?.click());
    await settle();
    expect(request).toHaveBeenLastCalledWith("POST", "/operations/op_1/undo", expect.objectContaining({ body: expect.objectContaining({ why: expect.any(String) as string }) as object }));
    expect(tell).toHaveBeenLastCalledWith({ type: "operations", operations: [expect.objectContaining({ id: "op_3" })] });
  });
});
