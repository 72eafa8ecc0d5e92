import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Question } from "../../api/types";
import { startKeys } from "../../kit/keys";
import { RoomContext, type Room } from "../../live/room";
import { Toasts } from "../../parts/toast";
import { closed, machine, agent, question } from "../../store/samples";
import { applyAll, EMPTY, type State, type StoreEvent } from "../../store/state";

const wide = vi.hoisted(() => ({ isWide: { value: false } }));
vi.mock("../../kit/media", () => wide);
const { Inbox } = await import(".");

const NOW = 10_000_000;
const state = signal<State>(EMPTY);
const isOld = signal(false);
const link = signal<{ kind: string }>({ kind: "live" });
const request = vi.fn();
const room = {
  state, now: signal(NOW), nowMs: () => NOW, isOld, link, http: { request },
  tell: (event: StoreEvent) => { state.value = applyAll(state.value, [event]); },
} as unknown as Room;

const ios = question("q_ios", {
  question: "Publish 4.2.0 now?", blocking: true, blocking_why: "It publishes.", asked_at_ms: NOW - 60_000, default: { text: "Wait", due_at_ms: NOW + 60_000 },
  options: [{ key: "1", label: "Wait for the fix", what: "I finish the tests.", recommended: true }, { key: "2", label: "Publish now" }],
});
const api = question("q_api", { asked_at_ms: NOW - 120_000, default: { text: "I count per tenant", due_at_ms: NOW + 600_000 } });
let seq = 0;

function know(...questions: Question[]): void {
  act(() => {
    state.value = applyAll(EMPTY, [
      { type: "fleet", fleet: { seq: 1, agents: [agent("agt_1", { name: "api-gateway" })], machines: [machine("mac_1", { name: "studio" })] } },
      { type: "questions", questions, isWhole: true },
    ]);
    seq = 1;
  });
}
function hear(name: string, data: unknown): void {
  seq += 1;
  act(() => { state.value = applyAll(state.value, [{ type: "event", seq, atMs: NOW, name, data }]); });
}
const show = (props: { questionId?: string; isClosed?: boolean } = {}) => act(() => render(
  <RoomContext.Provider value={room}><Inbox {...props} /><Toasts /></RoomContext.Provider>, document.body));
const cards = () => [...document.querySelectorAll(".question-card .card-q")].map((title) => title.textContent);
const button = (name: string) => [...document.querySelectorAll("button")].find((one) => one.textContent.includes(name) || one.getAttribute("aria-label")?.includes(name));
const ok = (value: unknown) => ({ ok: true, value });
const refuse = (code: string, text: string) => ({ ok: false, refusal: { code, text, status: 409 } });
const sent = () => request.mock.calls.filter(([method]) => method === "POST").map(([, path, options]) => [path, (options as { body: Record<string, unknown> }).body]);
const flush = () => act(async () => { await vi.advanceTimersByTimeAsync(50); });
/** A press of the keyboard or of assistive technology, once the card stands still. */
const press = async (name: string): Promise<void> => {
  await act(async () => { await vi.advanceTimersByTimeAsync(1_000); });
  act(() => button(name)?.click());
  await flush();
};

startKeys();
beforeEach(() => {
  vi.useFakeTimers();
  wide.isWide.value = false;
  isOld.value = false;
  request.mockReset().mockResolvedValue(refuse("internal", ""));
});
afterEach(() => {
  act(() => render(null, document.body));
  vi.useRealTimers();
});

describe("cards", () => {
  it("says that no agent asks when it is about money", () => {
    know(question("q_money", { source: "policy", question: "May it go on with paid extra usage?", blocking: true, free_text: false }));
    show();
    expect(document.querySelector(".asker")?.textContent).toBe("The usage rules, about api-gatewaystudio");
    expect(button("Answer in words")).toBeUndefined();
  });

  it("stand blocking first, and say what each answer brings, by when, and why", () => {
    know(api, ios);
    show();
    expect(cards()).toEqual(["Publish 4.2.0 now?", "Per tenant or per key?"]);
    const [first, second] = [...document.querySelectorAll(".question-card")].map((card) => card.textContent ?? "");
    for (const words of ["Blocking", "It publishes.", "Recommended", "I finish the tests.", "It is never used", "api-gateway", "studio", "1 min", "Hold"]) expect(first).toContain(words);
    for (const words of ["Default in 10 min", "If you say nothing: I count per tenant", "2 min"]) expect(second).toContain(words);
    expect(second).not.toContain("Hold");
  });
  it("show what is wrong with a block, and the block", () => {
    know({ ...api, options: [], problem: "No option was given.", raw: "Question for Founder: huh" });
    show();
    expect(document.querySelector(".callout")?.textContent).toContain("No option was given.");
    expect(document.querySelector(".raw pre")?.textContent).toBe("Question for Founder: huh");
  });
  it("say what they replaced, and what looks answered, with its proof", async () => {
    const looks = { at_ms: NOW, why: "You said so.", proof: "Per tenant, please." };
    know({ ...api, replaces: "q_old", looks_answered: looks }, closed(question("q_old", { question: "Tenant or key?" }), "superseded", 5, "agent"));
    show();
    expect(document.querySelector(".question-card")?.textContent).toContain("Replaced: Tenant or key?");
    expect(document.querySelector(".looks q")?.textContent).toBe("Per tenant, please.");
    request.mockResolvedValue(ok(closed(api, "dismissed", NOW, "device:d", { undo_until_ms: 0 })));
    await press("Close it");
    expect(sent()).toEqual([["/questions/q_api/dismiss", { request_id: expect.any(String) as string, why: "Looks answered: You said so." }]]);
    expect(cards()).toEqual([]);
    expect(document.querySelector(".toast")?.textContent).toContain("Undo");
  });
  it("never follow a link that is none", () => {
    know({ ...api, doc: "javascript:alert(1)" }, { ...ios, doc: "https://docs.example/options" });
    show();
    expect([...document.querySelectorAll<HTMLAnchorElement>("a.doc")].map((one) => one.href)).toEqual(["https://docs.example/options"]);
  });
});

describe("an answer", () => {
  it("goes out once, with the note, and can be taken back", async () => {
    know(api);
    show();
    await press("Answer in words");
    const field = document.querySelector("textarea") as HTMLTextAreaElement;
    act(() => { field.value = "but soon"; field.dispatchEvent(new Event("input", { bubbles: true })); });
    expect(button("Per tenant")?.textContent).toContain("with your note");
    request.mockResolvedValue(ok(closed(api, "answered", NOW, "device:d", { undo_until_ms: 0, answer: { by: "device:d", at_ms: NOW, option: "1", text: "but soon" } })));
    await press("Per tenant");
    await press("Per tenant");
    expect(sent()).toEqual([["/questions/q_api/answer", { request_id: expect.any(String) as string, option: "1", text: "but soon" }]]);
    expect(cards()).toEqual([]);
    request.mockResolvedValue(ok(closed(closed(api, "answered", NOW, "device:d"), "open", NOW, "device:d")));
    await press("Undo");
    expect(sent()[1]?.[0]).toBe("/questions/q_api/undo");
    expect(cards()).toEqual(["Per tenant or per key?"]);
  });
  it("to a blocking one is asked for again before it counts", async () => {
    know(ios);
    show();
    await press("Publish now");
    expect(sent()).toEqual([]);
    expect(document.querySelector("dialog")?.textContent).toContain("Publish now");
  });
  it("of several options is one answer", async () => {
    know({ ...api, multi: true });
    show();
    await press("Per tenant");
    await press("Per key");
    expect(sent()).toEqual([]);
    await press("Answer with these 2");
    expect(sent()).toEqual([["/questions/q_api/answer", { request_id: expect.any(String) as string, option: ["1", "2"] }]]);
  });
  it("right after the card came is not meant", async () => {
    know(api);
    show();
    act(() => button("Per tenant")?.click());
    await flush();
    expect(sent()).toEqual([]);
  });
  it("that came second stays said, with who was first, until it was read", async () => {
    know(api, ios);
    show();
    const won = closed(api, "answered", NOW, "device:pc", { answer: { by: "device:pc", at_ms: NOW, option: "2" } });
    request.mockImplementation((method: string) => Promise.resolve(method === "POST" ? refuse("conflict", "It was answered by you already.") : ok(won)));
    await press("Per tenant");
    hear("question.changed", won);
    expect(document.querySelector('[data-question="q_api"] [role="alert"]')?.textContent).toContain("Your answer was not sent. It was answered by you already.");
    expect(document.querySelector('[data-question="q_api"]')?.textContent).toContain("Answered by you");
    await press("OK");
    expect(cards()).toEqual(["Publish 4.2.0 now?"]);
  });
  it("whose word got lost is asked for again under the same id, and counts once", async () => {
    know(api);
    show();
    request.mockResolvedValue(refuse("unreachable", ""));
    await press("Per tenant");
    expect(document.querySelector(".answers")?.textContent).toContain("asked for again by itself, and counts once");
    link.value = { kind: "connecting" };
    await act(async () => { await vi.advanceTimersByTimeAsync(60_000); });
    expect(sent()).toHaveLength(1);
    request.mockResolvedValue(ok(closed(api, "answered", NOW, "device:d")));
    await act(async () => { link.value = { kind: "live" }; await vi.advanceTimersByTimeAsync(100); });
    expect(sent()).toHaveLength(2);
    expect(sent()[0]).toEqual(sent()[1]);
    expect(cards()).toEqual([]);
  });
  it("cannot be given while nothing is proven, and that is said", () => {
    know(api);
    isOld.value = true;
    show();
    expect(document.querySelector(".question-card")?.textContent).toContain("Not connected, so this may be answered already.");
    expect(button("Per tenant")?.disabled).toBe(true);
    expect(button("Skip")?.disabled).toBe(true);
  });
});

describe("a card that closes elsewhere", () => {
  it("goes, and its end is told", () => {
    know(api, ios);
    show();
    hear("question.changed", closed(api, "default", NOW, "timer"));
    expect(cards()).toEqual(["Publish 4.2.0 now?"]);
    expect(document.querySelector('[aria-label="News"]')?.textContent).toBe("Default used: Per tenant or per key?");
    hear("question.changed", question("q_new", { question: "And now?" }));
    expect(document.querySelector('[aria-label="News"]')?.textContent).toBe("New question from api-gateway: And now?");
  });
  it("stays while words are written that were not sent", async () => {
    know(api);
    show();
    await press("Answer in words");
    const field = document.querySelector("textarea") as HTMLTextAreaElement;
    act(() => { field.value = "long thoughts"; field.dispatchEvent(new Event("input", { bubbles: true })); });
    hear("question.changed", closed(api, "skipped", NOW, "host"));
    expect(document.querySelector(".question-card")?.textContent).toContain("Your words were not sent: long thoughts");
    await press("Throw away");
    expect(cards()).toEqual([]);
  });
  it("says nothing of words that are the answer itself: the page had gone before it heard so", async () => {
    know(api);
    show();
    await press("Answer in words");
    const field = document.querySelector("textarea") as HTMLTextAreaElement;
    act(() => { field.value = "by tenant"; field.dispatchEvent(new Event("input", { bubbles: true })); });
    hear("question.changed", closed(api, "answered", NOW, "device:d", { answer: { by: "device:d", at_ms: NOW, option: null, text: "by tenant" } }));
    await flush();
    expect(document.body.textContent).not.toContain("Your words were not sent");
    expect(cards()).toEqual([]);
  });
  it("leaves the focus with the next one", async () => {
    know(api, ios);
    show();
    await act(async () => { await vi.advanceTimersByTimeAsync(1_000); });
    (document.querySelector('[data-question="q_ios"] .card-q') as HTMLElement).focus();
    hear("question.changed", closed(ios, "skipped", NOW, "host"));
    expect(document.activeElement?.textContent).toBe("Per tenant or per key?");
  });
});

describe("with keys", () => {
  const key = async (name: string): Promise<void> => {
    await act(async () => { await vi.advanceTimersByTimeAsync(1_000); });
    act(() => { (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true })); });
    await flush();
  };
  it("they mean the card with the focus", async () => {
    know(api, ios);
    show();
    await key("2");
    expect(sent()).toEqual([]);
    await key("j");
    await key("j");
    expect(document.activeElement?.textContent).toBe("Per tenant or per key?");
    await key("2");
    expect(sent()).toEqual([["/questions/q_api/answer", { request_id: expect.any(String) as string, option: "2" }]]);
  });
  it("R takes what is typed right after it", async () => {
    wide.isWide.value = true;
    know(api);
    show({ questionId: "q_api" });
    await act(async () => { await vi.advanceTimersByTimeAsync(1_000); });
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true, cancelable: true }));
    expect(document.activeElement?.tagName).toBe("TEXTAREA");
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "s", bubbles: true, cancelable: true }));
    await flush();
    expect(sent()).toEqual([]);
  });
  it("S skips, on a desktop the one that is open", async () => {
    wide.isWide.value = true;
    know(api, ios);
    show({ questionId: "q_api" });
    await key("s");
    expect(sent()).toEqual([["/questions/q_api/skip", { request_id: expect.any(String) as string }]]);
  });
});

describe("a pause", () => {
  it("is said, and ended here", async () => {
    know(api);
    hear("pause.changed", { paused: { since_ms: NOW, by: "host" } });
    show();
    expect(document.querySelector(".strip")?.textContent).toContain("Paused by you since");
    expect(document.querySelector(".question-card")?.textContent).toContain("marked late");
    request.mockResolvedValue(ok({ paused: null }));
    await press("Resume");
    expect(request).toHaveBeenCalledWith("PUT", "/pause", { body: { request_id: expect.any(String) as string, paused: false } });
    hear("pause.changed", { paused: null });
    expect(document.querySelector(".strip")).toBeNull();
  });
});

describe("closed ones", () => {
  it("say how they ended, the newest first, with their way back, page by page", async () => {
    const rows = [
      closed(question("q_1", { question: "One?", reopenable: true }), "resolved", NOW - 5_000, "checker"),
      closed(question("q_2", { question: "Two?", undo_until_ms: 0 }), "dismissed", NOW - 1_000, "device:d"),
    ];
    know(api);
    request.mockResolvedValue(ok({ questions: [...rows, api], before: "cursor" }));
    show({ isClosed: true });
    await flush();
    const said = [...document.querySelectorAll(".closed-row")].map((row) => row.textContent ?? "");
    expect(said).toHaveLength(2);
    expect(said[0]).toMatch(/Two\?Dismissed by you\..*Nothing was sent.*Undo$/);
    expect(said[1]).toMatch(/One\?Closed by the checker\. Because\..*Reopen$/);
    request.mockResolvedValue(ok({ questions: [closed(question("q_0", { question: "Zero?", asked_at_ms: 1 }), "skipped", 5, "host")] }));
    await press("Load earlier");
    expect(document.querySelectorAll(".closed-row")).toHaveLength(3);
    expect(button("Load earlier")).toBeUndefined();
  });
  it("open by their link, with their history", async () => {
    know();
    request.mockResolvedValue(ok(closed(api, "default", NOW, "timer")));
    show({ questionId: "q_api" });
    await flush();
    expect(document.querySelector(".pane-detail")?.textContent).toContain("Default used");
    expect(button("Answer after all")).toBeDefined();
  });
});
