import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Agent, Machine } from "../../api/types";
import { RoomContext, type LinkState, type Room } from "../../live/room";
import { EMPTY, type State } from "../../store/state";
import { AgentList, showAgent } from ".";
import { AgentSheets } from "./sheet";
import { search } from "./search";

const NOW = 1_000_000_000;
const MIN = 60_000;

function agent(id: string, part: Partial<Agent> = {}): Agent {
  return {
    id, chat_id: `chat-${id}`, name: id, kind: "claude", machine_id: "studio", activity: "idle", since_ms: NOW - 3 * MIN, helpers: 0, unread: 0,
    evidence: { rule: "idle", source: "registry", detail: "at its prompt", at_ms: NOW - 3 * MIN }, ...part,
  };
}

const machine = (id: string, online = true): Machine => ({ id, name: id, primary: true, online, last_seen_ms: NOW - 41 * MIN, version: "1", capabilities: [] });

const state = signal<State>(EMPTY);
const now = signal(NOW);
const link = signal<LinkState>({ kind: "live" });
const isOld = signal(false);
const request = vi.fn();
const room = { state, now, link, isOld, http: { request } } as unknown as Room;

function know(agents: readonly Agent[], machines: readonly Machine[] = [machine("studio")]): void {
  act(() => {
    state.value = { ...EMPTY, seq: 1, agents: new Map(agents.map((each) => [each.id, each])), machines: new Map(machines.map((each) => [each.id, each])) };
  });
}

const rows = () => [...document.querySelectorAll(".row")];
const text = (selector: string) => document.querySelector(selector)?.textContent ?? null;
const press = (name: RegExp) => act(() => [...document.querySelectorAll("button")].find((button) => name.test(button.textContent || button.getAttribute("aria-label") || ""))?.click());

beforeEach(() => {
  now.value = NOW;
  isOld.value = false;
  link.value = { kind: "live" };
  search.value = "";
  state.value = EMPTY;
  request.mockReset().mockResolvedValue({ ok: true, value: {} });
  act(() => render(<RoomContext.Provider value={room}><AgentList currentId="b" currentChatId={null} /><AgentSheets /></RoomContext.Provider>, document.body));
});
afterEach(() => act(() => render(null, document.body)));

describe("the list of agents", () => {
  it("says the state of each row in words, not by colour alone", () => {
    know([
      agent("a", { activity: "blocked", unread: 2, waiting_for: { id: "w", kind: "permission", text: "Run it?", since_ms: NOW - 47 * MIN } }),
      agent("b", { pinned: true, muted: true, profile: "/home/mo/.claude-work" }),
    ]);
    expect(rows().map((row) => row.querySelector(".row-link")?.textContent)).toEqual([
      "Permission needed: aunread: 247 minRun it?Claude · studio", "Idle: bpinnedmuted3 minClaude · studio · work",
    ]);
    expect(text(".head-sum")).toBe("1 waits for you, for 47 min");
    expect(rows()[1]?.querySelector("a")?.getAttribute("aria-current")).toBe("true");
  });

  it("lets only the age move with the clock", () => {
    know([agent("a")]);
    const row = rows()[0];
    act(() => { now.value = NOW + MIN; });
    expect(row?.querySelector(".row-age")?.textContent).toBe("4 min");
    expect(rows()[0]).toBe(row);
  });

  it("puts what cannot be reached at its end, with its age and no amber", () => {
    know([agent("far", { machine_id: "attic", activity: "blocked" }), agent("a")], [machine("studio"), machine("attic", false)]);
    const last = document.querySelectorAll(".group")[1];
    expect(last?.querySelector("h2")?.textContent).toMatch(/^attic is not reachable 1last seen /);
    expect(last?.querySelector(".row-age")?.textContent).toBe("seen 41 min ago");
    expect(last?.querySelector(".row")?.className).toBe("row is-stale");
    expect(text(".head-sum")).toBe("Nothing waits for you");
  });

  it("tells in the past what is not proven", () => {
    know([agent("a", { activity: "question" })]);
    act(() => {
      link.value = { kind: "offline", sinceMs: NOW };
      isOld.value = true;
    });
    expect(text(".head-sum")).toMatch(/^At .*: 1 waited for you$/);
  });

  it("says why it is empty", () => {
    act(() => { link.value = { kind: "connecting", sinceMs: NOW }; });
    expect(text(".empty h2")).toBeNull();
    act(() => { now.value = NOW + 2000; });
    expect(text(".empty h2")).toBe("Nothing was heard yet");
    know([]);
    expect(text("h2")).toBe("No agents yet");
    know([agent("a")]);
    act(() => { search.value = "zzz\u202e"; });
    expect(text(".empty h2")).toBe("No agent matches “zzz”");
    press(/Clear the search/);
    expect(rows()).toHaveLength(1);
  });

  it("keeps outside text on its line and as text", () => {
    know([agent("<img src=x onerror=alert(1)>\u202egpj.exe\n", { activity: "working", header: "<b>x</b>\u200b".repeat(100_000) })]);
    expect(document.querySelector(".row img, .row b")).toBeNull();
    expect(text(".row-name bdi")).toBe("<img src=x onerror=alert(1)>gpj.exe");
    expect((text(".row-say") ?? "").length).toBeLessThan(320);
  });

  it("archives with Undo, and brings back", async () => {
    know([agent("a"), agent("put-away", { archived: true })]);
    expect(rows()).toHaveLength(1);
    act(() => showAgent("a"));
    press(/^Archive$/);
    expect(request).toHaveBeenCalledWith("PATCH", "/agents/a", { body: { archived: true } });
    press(/^Archived/);
    expect(rows().map((row) => row.querySelector("bdi")?.textContent)).toEqual(["put-away"]);
    act(() => showAgent("put-away"));
    press(/Bring it back/);
    expect(request).toHaveBeenLastCalledWith("PATCH", "/agents/put-away", { body: { archived: false } });
    press(/^All/);
  });

  it("shows the evidence, what is not certain, and what to do about a fault", () => {
    know([agent("a", {
      fault: { code: "signed_out", text: "Sign in on studio.", since_ms: NOW - MIN }, uncertain: "Two sessions fit.",
      evidence: { rule: "working", source: "transcript", detail: "a turn is open", at_ms: NOW - MIN },
    })]);
    act(() => showAgent("a"));
    const said = text("dialog") ?? "";
    for (const words of ["Sign in on studio.", "Two sessions fit.", "Working: a turn runs", "its transcript", "a turn is open", "for 1 min"]) expect(said).toContain(words);
    press(/^Close$/);
    expect(document.querySelector("dialog")).toBeNull();
  });
});
