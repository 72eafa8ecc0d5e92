import { describe, expect, it } from "vitest";

import type { FromServer } from "../api/types";
import {
  CHECK_EVERY_MS, GRACE_MS, linkState, PROOF_WITHIN_MS, START, step, waitMs, type Effect, type Link, type LinkEvent,
} from "./link";
import { agent, fleet } from "./samples";

/** Plays events one after the other; `at` moves time. What was to be done since the last look is in `did`. */
class Play {
  link: Link = START;
  did: Effect[] = [];
  atMs = 1_000;

  on(event: LinkEvent): this {
    const [link, effects] = step(this.link, event, { atMs: this.atMs, roll: 0.5 });
    this.link = link;
    this.did.push(...effects);
    return this;
  }

  later(ms: number): this {
    this.atMs += ms;
    return this;
  }

  hear(frame: FromServer | null): this {
    return this.on({ type: "frame", socket: this.link.socket, frame });
  }

  close(code = 1006, reason = ""): this {
    return this.on({ type: "closed", socket: this.link.socket, code, reason });
  }

  forget(): this {
    this.did = [];
    return this;
  }

  get kinds(): string[] {
    return this.did.map((one) => ("timer" in one ? `${one.do} ${one.timer}` : one.do === "store" ? `store ${one.event.type}` : one.do));
  }

  get freshness(): unknown {
    return this.did.flatMap((one) => (one.do === "store" && one.event.type === "freshness" ? [one.event.freshness] : [])).at(-1);
  }
}

const welcome = (seq: number, protocol = 1): FromServer => ({ type: "welcome", seq, protocol, server_time_ms: 1, version: "1.0.0" });
const resync = (seq: number): FromServer => ({ type: "resync", fleet: fleet(seq, [agent("agt_1")]) });
const event = (seq: number, name = "agent.changed", data: unknown = agent("agt_1")): FromServer =>
  ({ type: "event", seq, at_ms: 1, name, data });
const proof = (seq: number): FromServer => ({ type: "proof", seq, server_time_ms: 1 });

function begun(): Play {
  const play = new Play().on({ type: "start", hasNetwork: true, isVisible: true });
  return play.on({ type: "opened", socket: play.link.socket });
}

function live(seq = 10): Play {
  return begun().hear(welcome(seq)).hear(resync(seq)).forget();
}

describe("a link", () => {
  it("opens, greets without a past, takes the fleet and is live", () => {
    const play = begun();
    expect(play.did).toContainEqual({ do: "hello", socket: 1, after: null });
    play.forget().hear(welcome(10));
    expect(linkState(play.link)).toMatchObject({ kind: "catching" });
    expect(play.freshness).toBeUndefined();
    play.hear(resync(10));
    expect(linkState(play.link)).toEqual({ kind: "live" });
    expect(play.kinds).toContain("resume");
    expect(play.freshness).toEqual({ kind: "live" });
  });

  it("resumes behind the last event, and is live only when it has them all", () => {
    const play = live().close().on({ type: "timer", name: "retry" });
    play.on({ type: "opened", socket: play.link.socket });
    expect(play.did).toContainEqual({ do: "hello", socket: 2, after: 10 });
    play.forget().hear(welcome(12)).hear(event(11));
    expect(linkState(play.link)).toMatchObject({ kind: "catching", left: 1 });
    expect(play.freshness).toBeUndefined();
    play.hear(event(12));
    expect(play.freshness).toEqual({ kind: "live" });
  });

  it("is live at once when nothing was missed", () => {
    const play = live().close().on({ type: "timer", name: "retry" });
    play.on({ type: "opened", socket: 2 }).hear(welcome(10));
    expect(linkState(play.link)).toEqual({ kind: "live" });
  });

  it("takes a whole fleet in place of the events when the hub says so", () => {
    const play = live().close().on({ type: "timer", name: "retry" });
    play.on({ type: "opened", socket: 2 }).hear(welcome(3)).hear(resync(3));
    expect(play.link).toMatchObject({ phase: "live", seq: 3 });
  });

  it("ignores what an older socket says", () => {
    const play = live().close().on({ type: "timer", name: "retry" }).forget();
    play.on({ type: "frame", socket: 1, frame: event(11) }).on({ type: "closed", socket: 1, code: 1006, reason: "" });
    expect(play.did).toEqual([]);
  });

  it("ignores an event that it has, and frames that it does not know", () => {
    const play = live().hear(event(10)).hear({ type: "dance" } as unknown as FromServer);
    expect(play.did).toEqual([]);
  });

  it("answers pings and gives out items, frames and acks", () => {
    const items: FromServer = { type: "items", chat_id: "cht_1", items: [] };
    const play = live().hear({ type: "ping" }).hear(items);
    expect(play.did).toEqual([{ do: "send", socket: 1, frame: { type: "pong" } }, { do: "deliver", frame: items }]);
  });
});

describe("what is lost", () => {
  it("a gap gives the socket up and resumes behind what we have", () => {
    const play = live().hear(event(12));
    expect(play.freshness).toMatchObject({ kind: "stale" });
    expect(play.kinds).not.toContain("store event");
    play.on({ type: "timer", name: "retry" }).on({ type: "opened", socket: 2 });
    expect(play.did).toContainEqual({ do: "hello", socket: 2, after: 10 });
  });

  it("a gap while catching up asks for everything", () => {
    const play = live().hear(event(12)).on({ type: "timer", name: "retry" }).on({ type: "opened", socket: 2 });
    play.hear(welcome(13)).hear(event(13)).on({ type: "timer", name: "retry" }).on({ type: "opened", socket: 3 });
    expect(play.did).toContainEqual({ do: "hello", socket: 3, after: null });
  });

  it("a proof that counts more than we have is a gap", () => {
    const play = live().on({ type: "timer", name: "check" }).hear(proof(11));
    expect(linkState(play.link)).toMatchObject({ kind: "waiting" });
    expect(play.freshness).toMatchObject({ kind: "stale" });
  });

  it("a proof that events have overtaken is one", () => {
    const play = live().on({ type: "prove" }).hear(event(11)).hear(proof(10));
    expect(linkState(play.link)).toEqual({ kind: "live" });
  });

  it.each<[string, FromServer | null]>([
    ["rubbish", null],
    ["an agent that cannot be read", event(11, "agent.changed", { id: "agt_1" })],
    ["a fleet that cannot be read", { type: "resync", fleet: { seq: "eleven" } } as unknown as FromServer],
  ])("%s gives the socket up and asks for everything", (_what, frame) => {
    const play = live().hear(frame);
    expect(linkState(play.link)).toMatchObject({ kind: "waiting", why: "garbage" });
    play.on({ type: "timer", name: "retry" }).on({ type: "opened", socket: 2 });
    expect(play.did).toContainEqual({ do: "hello", socket: 2, after: null });
  });
});

describe("a doubt", () => {
  it.each<LinkEvent>([{ type: "prove" }, { type: "visible", is: true }, { type: "network", has: false }])(
    "$type: nothing is fresh until the proof, and the deadline is 3 s",
    (doubt) => {
      const play = live().later(60_000).on(doubt);
      expect(play.freshness).toEqual({ kind: "stale", sinceMs: 1_000 });
      expect(play.did).toContainEqual({ do: "send", socket: 1, frame: { type: "prove" } });
      expect(play.did.filter((one) => one.do === "set" && one.timer === "proof").at(-1)).toMatchObject({ inMs: PROOF_WITHIN_MS });
      play.forget().hear(event(11)); // may have lain in a buffer since before the sleep
      expect(play.freshness).toBeUndefined();
      play.hear(proof(11));
      expect(play.freshness).toEqual({ kind: "live" });
    },
  );

  it("is not settled by the answer to an earlier question", () => {
    const play = live().on({ type: "timer", name: "check" }).on({ type: "visible", is: true }).forget().hear(proof(10));
    expect(linkState(play.link)).toMatchObject({ kind: "proving" });
    expect(play.hear(proof(10)).freshness).toEqual({ kind: "live" });
  });

  it("without a proof in time opens a new socket at once", () => {
    const play = live().on({ type: "visible", is: true }).forget().on({ type: "timer", name: "proof" });
    expect(play.kinds).toEqual(expect.arrayContaining(["gone", "close", "dead", "open"]));
    expect(play.link).toMatchObject({ phase: "opening", socket: 2 });
  });

  it("cuts a wait short, and a connection that was begun long ago, but not a young one", () => {
    const waiting = live().close().forget().on({ type: "visible", is: true });
    expect(waiting.kinds).toContain("open");
    expect(waiting.forget().on({ type: "prove" }).kinds).toEqual([]);
    expect(waiting.later(PROOF_WITHIN_MS).on({ type: "prove" }).kinds).toEqual(expect.arrayContaining(["close", "open"]));
  });

  it("comes now and then by itself, and one deadline stays for many questions", () => {
    const play = live().on({ type: "timer", name: "check" });
    expect(play.did).toContainEqual({ do: "send", socket: 1, frame: { type: "prove" } });
    expect(play.did).toContainEqual({ do: "set", timer: "check", inMs: CHECK_EVERY_MS });
    expect(play.forget().on({ type: "mark", name: "cht_1" }).kinds).toEqual(["send"]);
    expect(play.hear(proof(10)).forget().hear(proof(10)).did).toContainEqual({ do: "passed", name: "cht_1" });
  });
});

describe("the past tense", () => {
  it("begins after the grace and ends with the proof", () => {
    const play = live().close();
    expect(play.did).toContainEqual({ do: "set", timer: "grace", inMs: GRACE_MS });
    expect(play.link.isOld).toBe(false);
    expect(play.on({ type: "timer", name: "grace" }).link.isOld).toBe(true);
    play.on({ type: "timer", name: "retry" }).on({ type: "opened", socket: 2 }).hear(welcome(10));
    expect(play.link.isOld).toBe(false);
  });

  it("begins anew with a waking, since nobody looked before", () => {
    const play = live().on({ type: "visible", is: false }).close().on({ type: "timer", name: "grace" });
    expect(play.link.isOld).toBe(false);
    play.forget().on({ type: "visible", is: true });
    expect(play.did).toContainEqual({ do: "set", timer: "grace", inMs: GRACE_MS });
    expect(play.on({ type: "timer", name: "grace" }).link.isOld).toBe(true);
  });
});

describe("verdicts", () => {
  it.each([
    ["locked", { kind: "locked" }],
    ["not_paired", { kind: "not_paired", text: "why" }],
    ["not_allowed", { kind: "not_allowed", text: "why" }],
  ] as const)("a live link that is closed as %s rests, and says why", (code, expected) => {
    const play = live().hear({ type: "error", code, text: "why" }).close(1008, code);
    expect(linkState(play.link)).toMatchObject(expected);
    expect(play.kinds).toContain("gone");
    expect(play.freshness).toMatchObject({ kind: "stale" });
    expect(play.forget().on({ type: "timer", name: "retry" }).did).toEqual([]);
  });

  it("stays while it is looked into again, and ends with a welcome", () => {
    const play = live().close(1008, "locked").on({ type: "prove" });
    expect(linkState(play.link)).toMatchObject({ kind: "locked" });
    play.on({ type: "opened", socket: play.link.socket }).hear(welcome(10));
    expect(linkState(play.link)).toEqual({ kind: "live" });
  });

  it("without a key there is none to knock with", () => {
    const play = new Play().on({ type: "start", hasNetwork: true, isVisible: true }).on({ type: "no_key" });
    expect(linkState(play.link)).toMatchObject({ kind: "not_paired" });
  });

  it("an error that does not end the socket is none", () => {
    const play = live().hear({ type: "error", code: "locked", text: "the terminal is locked" });
    expect(linkState(play.link)).toEqual({ kind: "live" });
    expect(linkState(play.close(1006).link)).toMatchObject({ kind: "waiting" });
  });

  it("another protocol is not read", () => {
    const play = begun().hear(welcome(10, 2));
    expect(linkState(play.link)).toMatchObject({ kind: "outdated" });
    expect(play.kinds).toContain("close");
    expect(play.freshness).toBeUndefined();
  });
});

describe("a socket that does not open", () => {
  const unopened = () => {
    const play = new Play().on({ type: "start", hasNetwork: true, isVisible: true }).close().forget();
    return { play, answer: (answer: Extract<LinkEvent, { type: "answer" }>["answer"]) => play.on({ type: "answer", socket: 1, answer }) };
  };
  const refusal = (code: string, retryAfterMs?: number) =>
    ({ ok: false, refusal: { code, text: "why", status: 0, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } }) as never;

  it("asks the hub why", () => {
    const play = new Play().on({ type: "start", hasNetwork: true, isVisible: true }).close();
    expect(play.did).toContainEqual({ do: "ask", socket: 1 });
    const silent = begun().on({ type: "timer", name: "deadline" });
    expect(silent.did).toContainEqual({ do: "ask", socket: 1 });
  });

  it.each([
    ["not_paired", { kind: "not_paired", text: "why" }],
    ["locked", { kind: "locked" }],
    ["not_allowed", { kind: "not_allowed" }],
    ["unreachable", { kind: "waiting", why: "unreachable" }],
    ["garbage", { kind: "waiting", why: "garbage", text: "why" }],
    ["failed", { kind: "waiting", why: "refused", text: "why" }],
    ["conflict", { kind: "waiting", why: "refused", text: "why" }],
  ])("hears %s", (code, expected) => {
    expect(linkState(unopened().answer(refusal(code)).link)).toMatchObject(expected);
  });

  it("waits as long as it is told", () => {
    const play = unopened().answer(refusal("too_many", 90_000));
    expect(play.did).toContainEqual({ do: "set", timer: "retry", inMs: 90_000 });
    expect(linkState(play.link)).toMatchObject({ kind: "waiting", untilMs: 91_000 });
  });

  it("shows the fleet it gets, as old as it is", () => {
    const play = unopened().answer({ ok: true, value: fleet(20, []) });
    expect(play.link).toMatchObject({ seq: 20, phase: "waiting" });
    expect(play.freshness).toEqual({ kind: "stale", sinceMs: 1_000 });
    expect(linkState(unopened().answer({ ok: true, value: { hello: 1 } }).link)).toMatchObject({ why: "garbage" });
  });

  it("does not listen to an answer that came too late", () => {
    const { play, answer } = unopened();
    play.on({ type: "timer", name: "retry" }).forget();
    expect(answer(refusal("not_paired")).did).toEqual([]);
  });

  it("is told as the device's own fault while it has no network", () => {
    const { play } = unopened();
    expect(linkState(play.on({ type: "network", has: false }).link)).toMatchObject({ kind: "offline" });
  });
});

describe("waits", () => {
  it("grow, and are never the same for all", () => {
    expect(waitMs(0, 0.99)).toBeLessThan(300);
    expect([1, 2, 3, 4, 5, 6, 7, 50].map((failures) => waitMs(failures, 1))).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(waitMs(7, 0)).toBe(15_000);
  });

  it("begin anew after a while of being live, not with each short one", () => {
    const flap = (play: Play) => {
      play.on({ type: "timer", name: "retry" }).on({ type: "opened", socket: play.link.socket });
      return play.hear(welcome(10)).close(1013);
    };
    const play = flap(flap(flap(live().close())));
    expect(play.link.failures).toBe(4);
    play.on({ type: "timer", name: "retry" }).on({ type: "opened", socket: play.link.socket }).hear(welcome(10));
    play.later(CHECK_EVERY_MS).on({ type: "timer", name: "check" }).hear(proof(10));
    expect(play.link.failures).toBe(0);
  });
});
