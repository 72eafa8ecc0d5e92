import { afterEach, describe, expect, it, vi } from "vitest";

import { Http, type Refusal } from "./http";

const asked = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();
const refusals: Refusal[] = [];

function http(key: string | null = "the key"): Http {
  vi.stubGlobal("fetch", asked);
  refusals.length = 0;
  return new Http(() => key, (refusal) => refusals.push(refusal));
}

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  asked.mockReset();
});

/** A connection that carries nothing: it ends when it is given up. */
const silent = (_url: string, init: RequestInit) => new Promise<Response>((_, reject) => {
  init.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
});

describe("when all connections are dead", () => {
  it("reading asks again, and what idles is taken and given up", async () => {
    vi.useFakeTimers();
    asked.mockImplementation(silent);
    const own = http();
    const answer = own.request("GET", "/fleet");
    const act = own.request("POST", "/agents/a/keys");
    asked.mockClear();
    own.renew();
    asked.mockImplementation((url, init) => (url.endsWith("/fleet") ? Promise.resolve(json(200, { seq: 1 })) : silent(url, init)));
    expect(await answer).toEqual({ ok: true, value: { seq: 1 } });
    expect(asked.mock.calls.map(([url]) => url).sort()).toEqual(["/api/v1/fleet", ...Array<string>(6).fill("/api/v1/status")]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await act).toMatchObject({ refusal: { code: "unreachable" } }); // what acts is never asked twice here
    expect(refusals.map(({ code }) => code)).toEqual(["unreachable"]);
  });

  it("is asked again only once", async () => {
    asked.mockImplementation(silent);
    const own = http();
    const answer = own.request("GET", "/fleet");
    own.renew();
    await Promise.resolve();
    await vi.waitFor(() => expect(asked.mock.calls.filter(([url]) => url.endsWith("/fleet"))).toHaveLength(2));
    own.renew();
    expect(await answer).toMatchObject({ refusal: { code: "unreachable" } });
  });
});

describe("a request", () => {
  it("carries the key in a header, never in the address, and asks no cache", async () => {
    asked.mockResolvedValue(json(200, { fine: true }));
    const answer = await http().request("POST", "/agents/a/keys", { body: { keys: ["y"] }, query: { limit: 5, before: undefined } });
    expect(answer).toEqual({ ok: true, value: { fine: true } });
    const [url, init] = asked.mock.calls[0] ?? [];
    expect(url).toBe("/api/v1/agents/a/keys?limit=5");
    expect(init).toMatchObject({
      method: "POST", body: '{"keys":["y"]}', cache: "no-store", redirect: "error", credentials: "same-origin",
      headers: { "X-Control-Room-Key": "the key", "Content-Type": "application/json" },
    });
  });

  it("without a key has no header for it", async () => {
    asked.mockResolvedValue(json(200, {}));
    await http(null).request("GET", "/fleet");
    expect(asked.mock.calls[0]?.[1].headers).toEqual({ Accept: "application/json" });
  });

  it.each([
    [401, "not_paired"], [403, "locked"], [403, "not_allowed"], [404, "not_found"], [409, "changed"], [413, "too_large"], [500, "failed"], [503, "offline"],
  ])("hears %i %s, and tells who watches for it", async (status, code) => {
    asked.mockResolvedValue(json(status, { code, text: "why" }));
    const expected = { code, text: "why", status };
    expect(await http().request("GET", "/fleet")).toEqual({ ok: false, refusal: expected });
    expect(refusals).toEqual([expected]);
  });

  it("hears how long to wait", async () => {
    asked.mockResolvedValue(json(429, { code: "too_many", text: "why", retry_after_ms: 5_000 }));
    expect(await http().request("GET", "/fleet")).toMatchObject({ refusal: { code: "too_many", retryAfterMs: 5_000 } });
  });

  it.each([
    ["a page of something else", () => new Response("<html>Sign in</html>", { status: 200 })],
    ["a proxy's error", () => new Response("Bad gateway", { status: 502 })],
    ["an error that is not ours", () => json(500, { message: "x" })],
    ["half an answer", () => new Response('{"seq": 1', { status: 200 })],
  ])("calls %s garbage", async (_what, response) => {
    asked.mockResolvedValue(response());
    expect(await http().request("GET", "/fleet")).toMatchObject({ ok: false, refusal: { code: "garbage" } });
  });

  it("says that nothing came back", async () => {
    asked.mockRejectedValue(new TypeError("Failed to fetch"));
    expect(await http().request("GET", "/fleet")).toMatchObject({ ok: false, refusal: { code: "unreachable", status: 0 } });
  });

  it("ends when its time is over, or when nobody wants it any more", async () => {
    vi.useFakeTimers();
    asked.mockImplementation((_url, init) => new Promise((_resolve, reject) => {
      if (init.signal?.aborted === true) reject(new DOMException("", "AbortError"));
      init.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    }));
    const late = http().request("GET", "/fleet", { withinMs: 1_000 });
    vi.advanceTimersByTime(1_000);
    expect(await late).toMatchObject({ refusal: { code: "unreachable" } });
    const unwanted = new AbortController();
    const ended = http().request("GET", "/fleet", { signal: unwanted.signal });
    unwanted.abort();
    expect(await ended).toMatchObject({ refusal: { code: "aborted" } });
    expect(await http().request("GET", "/fleet", { signal: unwanted.signal })).toMatchObject({ refusal: { code: "aborted" } });
  });
});
