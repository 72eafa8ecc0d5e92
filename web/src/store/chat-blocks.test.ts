import { describe, expect, it } from "vitest";

import type { Item, Operation, Receipt } from "../api/types";
import { operation } from "./samples";
import { blocksOf, changesOf, editsBefore, foldedText, helpersSummary, inChat, leadOf, quoted, workSummary, type BlockOptions, type ChatBlock } from "./chat-blocks";

let count = 0;
const item = (kind: Item["kind"], more: Partial<Item> = {}): Item => ({ id: `x${count++}`, at_ms: count * 1000, kind, text: kind, ...more });
const tool = (name: string, title: string, state: "running" | "done" | "failed" | "refused" = "done",
  changes?: { path: string; added: number; removed: number }[]): Item =>
  item("tool", { tool: { name, title, state, ...(changes ? { changes } : {}) } });

const options = (more: Partial<BlockOptions> = {}): BlockOptions => ({
  tools: "compact", reasoning: "folded", unreadId: null, isSameDay: () => true, receipts: [], isRunning: false, ...more,
});
const outline = (blocks: readonly ChatBlock[]): string =>
  blocks.map((block) => block.t + ("items" in block && block.items.length > 1 ? block.items.length : "")).join(" ");

describe("blocks", () => {
  const chat = [
    item("user"), item("thinking"), tool("Read", "Read a"), tool("Bash", "Bash: x", "failed"), item("assistant"),
    tool("Edit", "Edit b", "done", [{ path: "b", added: 2, removed: 1 }]), item("helper", { tool: { name: "Agent", title: "Agent: y", state: "done" } }),
    item("result"), item("notice"), item("question"),
  ];

  it("makes one quiet line of the work between two bubbles", () => {
    expect(outline(blocksOf(chat, options()))).toBe("day mine work3 theirs work helpers result notice question");
  });

  it("shows failures and file changes even when tool activity is off", () => {
    expect(outline(blocksOf(chat, options({ tools: "off", reasoning: "off" })))).toBe("day mine work theirs work result notice question");
  });

  it("gives a result what changed since the person spoke", () => {
    const result = blocksOf(chat, options()).find((block) => block.t === "result");
    expect(result?.t === "result" ? result.changes : null).toEqual([{ path: "b", added: 2, removed: 1 }]);
  });

  it("opens reasoning that is being written when that is wanted", () => {
    const writing = [item("user"), item("thinking")];
    expect(outline(blocksOf(writing, options({ reasoning: "live", isRunning: true })))).toBe("day mine thought");
    expect(outline(blocksOf(writing, options({ reasoning: "live" })))).toBe("day mine work");
    expect(outline(blocksOf(writing, options({ reasoning: "off", isRunning: true })))).toBe("day mine");
  });

  it("puts the line before the first unread item, also inside of work", () => {
    const line = chat[4];
    expect(outline(blocksOf(chat, options({ unreadId: line?.id ?? "" })))).toBe("day mine work3 unread theirs work helpers result notice question");
  });

  it("begins each day with its line", () => {
    const far = [item("user", { at_ms: 0 }), item("assistant", { at_ms: 90_000_000 }), item("assistant", { at_ms: 90_000_001 })];
    expect(outline(blocksOf(far, options({ isSameDay: (one, other) => Math.abs(one - other) < 1000 })))).toBe("day mine day theirs theirs");
  });

  it("shows operations that are over where they ended; what began the chat stands before it", () => {
    const [first, last] = [item("user", { at_ms: 1000 }), item("assistant", { at_ms: 9000 })];
    const over = (id: string, kind: Operation["kind"], atMs: number): Operation =>
      operation(id, { kind, state: "delivered", created_at_ms: 1, steps: [{ name: "stop", state: "done", at_ms: atMs }] });
    const operations = [over("old", "restart", 100), over("began", "fresh", 500), over("here", "restart", 5000), operation("runs")];
    const keys = (more: Partial<BlockOptions>): string[] => blocksOf([first, last], options({ operations, ...more })).flatMap((block) => (block.t === "operation" ? [block.operation.id] : []));
    expect(keys({ hasStart: true })).toEqual(["began", "here"]);
    expect(keys({})).toEqual(["here"]);
    expect(blocksOf([], options({ operations, hasStart: true })).map((block) => block.key)).toEqual(["day:500", "operation:began", "operation:here"]);
    expect(blocksOf([], options({ operations: [over("old", "restart", 100)], hasStart: true }))).toEqual([]);
  });

  it("of an agent that has left shows nothing that was done after the chat ended", () => {
    const over = (id: string, kind: Operation["kind"], atMs: number): Operation =>
      operation(id, { kind, state: "delivered", created_at_ms: 1, steps: [{ name: "stop", state: "done", at_ms: atMs }] });
    const operations = [over("began", "fresh", 500), over("here", "restart", 5000), over("next", "fresh", 6000), over("closed", "close", 7000)];
    expect(inChat(operations, 5500).map((one) => one.id)).toEqual(["began", "here"]);
    expect(inChat(operations, 6500).map((one) => one.id)).toEqual(["began", "here", "next", "closed"]);
    expect(inChat(operations, undefined)).toHaveLength(4);
  });

  it("shows what people did among it, and leaves typing to the receipts", () => {
    const [first, last] = [item("user", { at_ms: 1000 }), item("assistant", { at_ms: 9000 })];
    const receipt = (id: string, at_ms: number, what: string): Receipt => ({ seq: 1, id, at_ms, by: "host", what, code: "ok", text: "" }) as Receipt;
    const receipts = [receipt("a", 500, "answer"), receipt("b", 5000, "answer"), receipt("c", 6000, "keys"), receipt("d", 9500, "interrupt")];
    expect(outline(blocksOf([first, last], options({ receipts })))).toBe("day mine receipt theirs receipt");
  });

  it("keeps the blocks that did not change as the same objects", () => {
    const before = blocksOf(chat, options());
    const after = blocksOf([...chat, item("assistant")], options(), before);
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, before.length - 1));
    for (const [at, block] of before.entries()) expect(after[at]).toBe(block);
  });

  it("shows every item once in seeded random chats, and keys are unique", () => {
    let seed = 9;
    const next = (): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
    const kinds = ["user", "assistant", "thinking", "tool", "helper", "notice", "question", "result"] as const;
    for (let round = 0; round < 150; round++) {
      const items = Array.from({ length: 30 }, () => {
        const kind = kinds[Math.floor(next() * kinds.length)] ?? "user";
        return kind === "tool" ? tool("Bash", "Bash: x") : item(kind);
      });
      const unreadId = items[Math.floor(next() * 30)]?.id ?? null;
      const blocks = blocksOf(items, options({ unreadId, isSameDay: (a, b) => Math.floor(a / 9000) === Math.floor(b / 9000) }));
      expect(blocks.flatMap((block) => ("items" in block ? block.items.map((one) => one.id) : []))).toEqual(items.map((one) => one.id));
      expect(new Set(blocks.map((block) => block.key)).size).toBe(blocks.length);
      expect(blocks.filter((block) => block.t === "unread")).toHaveLength(1);
    }
  });
});

describe("the line of work", () => {
  it("counts files once and names what failed", () => {
    const items = [
      tool("Read", "Read a.py"), tool("Read", "Read a.py"), tool("Read", "Read b.py"), tool("Bash", "Bash: pytest", "failed"), tool("Bash", "Bash: ls"),
      tool("Edit", "Edit a.py", "done", [{ path: "a.py", added: 1, removed: 0 }]), tool("Edit", "Edit a.py", "done", [{ path: "a.py", added: 2, removed: 5 }]),
      tool("Bash", "Bash: rm", "refused"),
    ];
    expect(workSummary(items, false)).toEqual({
      text: "Read 2 files, ran 3 commands, edited 1 file", running: null, troubles: ["1 command failed", "1 step refused"],
      changes: [{ path: "a.py", added: 3, removed: 5 }],
    });
  });

  it("names what runs now", () => {
    expect(workSummary([tool("Bash", "Bash: make", "running")], true)).toMatchObject({ text: "", running: "Bash: make" });
    expect(workSummary([tool("Bash", "Bash: make", "running")], false)).toMatchObject({ text: "Ran 1 command", running: null });
  });

  it("speaks Codex too, and knows no tool by heart", () => {
    expect(workSummary([tool("exec_command", "Shell: ls"), tool("web_search", "Web search: x"), tool("mcp__x__y", "x: y")], false).text)
      .toBe("Ran 1 command, looked at 1 page, used 1 other tool");
    expect(workSummary([tool("Grep", "Grep: a"), tool("Glob", "Glob: b"), tool("Grep", "Grep: c")], false).text).toBe("Searched 3 times");
    expect(workSummary([item("thinking")], false).text).toBe("Reasoned");
  });

  it("tells of helpers", () => {
    const helper = (state: "running" | "done" | "failed", text: string): Item => item("helper", { text, tool: { name: "Agent", title: `Agent: ${text}`, state } });
    expect(helpersSummary([helper("done", "replay-eu")])).toEqual({ text: "Helper: replay-eu", troubles: [], running: 0 });
    expect(helpersSummary([helper("done", "a"), helper("failed", "b"), helper("running", "c")])).toEqual({ text: "3 helpers", troubles: ["1 failed"], running: 1 });
    expect(helpersSummary([item("helper", { text: 'Agent "a" ended' })]).text).toBe('Agent "a" ended');
  });
});

it("adds up what changed", () => {
  const items = [tool("Edit", "a", "done", [{ path: "a", added: 1, removed: 1 }]), tool("Edit", "b", "done", [{ path: "b", added: 1, removed: 0 }, { path: "a", added: 2, removed: 0 }])];
  expect(changesOf(items)).toEqual([{ path: "a", added: 3, removed: 1 }, { path: "b", added: 1, removed: 0 }]);
});

it("finds the edits of a result's turn", () => {
  const old = tool("Edit", "old", "done", [{ path: "o", added: 1, removed: 0 }]);
  const edit = tool("Edit", "a", "done", [{ path: "a", added: 1, removed: 0 }]);
  const result = item("result");
  expect(editsBefore([old, item("user"), tool("Read", "Read x"), edit, result], result.id)).toEqual([edit]);
  expect(editsBefore([], "x")).toEqual([]);
});

it.each([
  ["short", null],
  ["x".repeat(7000), "x".repeat(2500)],
  [`${"x".repeat(2000)}\n${"y".repeat(6000)}`, "x".repeat(2000)],
  [`${"x".repeat(2499)}😀${"y".repeat(6000)}`, "x".repeat(2499)],
])("folds a very long text: %.10s", (text, expected) => expect(foldedText(text)).toBe(expected));

it.each([
  ["a\nb", "> a\n> b\n\n"],
  ["  a\n\nb ", "> a\n>\n> b\n\n"],
])("quotes %j", (text, expected) => expect(quoted(text)).toBe(expected));

describe("questions", () => {
  it("that no reply holds stand where they were asked", () => {
    const chat = [item("user", { at_ms: 10 }), item("assistant", { at_ms: 20 })];
    const asked = [{ id: "q_0", asked_at_ms: 5 }, { id: "q_1", asked_at_ms: 15 }, { id: "q_2", asked_at_ms: 30 }];
    const blocks = blocksOf(chat, options({ asked }));
    expect(outline(blocks)).toBe("day mine asked theirs asked");
    expect(blocksOf(chat, options({ asked }), blocks).every((block, at) => block === blocks[at])).toBe(true);
  });
  it.each([
    ["Tests pass.\n\nQuestion for Founder: ship it?\n- yes: now", "Tests pass."],
    ["Question for Founder: ship it?", ""],
    ["So.\n**Question for Kim:** ship it?", "So."],
    ["A question for you: I go on.", ""],
    ["No block here", ""],
  ])("are cut off what was said before: %j", (text, lead) => expect(leadOf(text)).toBe(lead));
});
