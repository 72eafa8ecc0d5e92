import { describe, expect, it } from "vitest";

import { readFrame } from "./shell-link";
import { changed, freeName, NO_SHELLS, type ShellAct, type Shells } from "./shells";

const play = (...acts: ShellAct[]): Shells => acts.reduce(changed, NO_SHELLS);

describe("frames of the socket", () => {
  it.each([
    ['{"type":"ready","protocol":1}', { type: "ready" }],
    ['{"type":"error","code":"locked","text":"Locked."}', { type: "refused", code: "locked", text: "Locked." }],
    ['{"type":"terminal.output","payload":{"session_name":"a","data":"x"}}', { type: "output", name: "a", data: "x" }],
    ['{"type":"terminal.attached","payload":{"session_name":"a","reattach":true,"replay":"old"}}', { type: "attached", name: "a", isOld: true, replay: "old" }],
    ['{"type":"terminal.detached","payload":{"session_name":"a","reason":"eof"}}', { type: "detached", name: "a", reason: "eof" }],
    ['{"type":"terminal.error","payload":{"message":"no"}}', { type: "error", name: "", text: "no" }],
    ['{"type":"terminal.sessions","payload":{"sessions":[{"name":"a","attached":1,"created_at":5},{"nonsense":1},7],"tmux_available":true}}',
      { type: "list", hasTmux: true, rows: [{ name: "a", attached: 1, createdS: 5, isHere: false }] }],
  ])("%s", (frame, event) => expect(readFrame(frame)).toEqual(event));
  it.each(["", "{", "null", "[]", "7", '{"type":"news"}', '{"type":null,"payload":[]}'])("%s is nothing", (frame) => expect(readFrame(frame)).toBeNull());
});

describe("tabs", () => {
  it("open, attach, end and say why", () => {
    const shells = play({ type: "ready" }, { type: "opened", name: "a" }, { type: "attached", name: "a", isOld: false, replay: "" });
    expect(shells).toMatchObject({ shown: "a", tabs: [{ name: "a", state: "attached" }] });
    expect(changed(shells, { type: "detached", name: "a", reason: "eof" }).tabs[0]).toEqual({ name: "a", state: "ended", why: "The shell has ended." });
  });
  it("are attached again after a break, those that ended are not", () => {
    const shells = play(
      { type: "ready" }, { type: "opened", name: "a" }, { type: "opened", name: "b" }, { type: "attached", name: "a", isOld: false, replay: "" },
      { type: "attached", name: "b", isOld: false, replay: "" }, { type: "detached", name: "b", reason: "client kill" },
      { type: "closed", againMs: 500 }, { type: "ready" },
    );
    expect(shells.tabs.map(({ state }) => state)).toEqual(["attaching", "ended"]);
    expect(shells.link).toBe("ready");
  });
  it("close to their neighbour", () => {
    const shells = play({ type: "opened", name: "a" }, { type: "opened", name: "b" }, { type: "tab closed", name: "b" });
    expect(shells).toMatchObject({ shown: "a", tabs: [{ name: "a" }] });
    expect(changed(shells, { type: "tab closed", name: "a" }).shown).toBeNull();
  });
  it("that are opened twice are one", () => expect(play({ type: "opened", name: "a" }, { type: "opened", name: "a" }).tabs).toHaveLength(1));
  it("show what they could not attach", () =>
    expect(play({ type: "opened", name: "a" }, { type: "error", name: "a", text: "Session cap reached" }).tabs[0]).toMatchObject({ state: "ended", why: "Session cap reached" }));
  it("stop at a refusal that does not go by itself", () =>
    expect(play({ type: "refused", code: "locked", text: "Locked." }, { type: "closed", againMs: null })).toMatchObject({ link: "refused", refusal: { code: "locked" } }));
});

it("a new shell has a name of its own", () => {
  expect(freeName(null, [])).toBe("shell-1");
  expect(freeName([{ name: "shell-1", attached: 0, createdS: 0, isHere: false }], [{ name: "shell-2", state: "ended", why: "" }])).toBe("shell-3");
});
