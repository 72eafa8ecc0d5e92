/**
 * Requests to the hub's REST API (docs/reference/api.md). An answer is a value, never an exception:
 * what can go wrong out there is part of what every view has to show.
 */
import type { ErrorCode } from "./types";

/** Why a request did not do what it should. `unreachable`: nothing came back. `garbage`: something that is not ours. */
export interface Refusal {
  code: ErrorCode | "unreachable" | "garbage" | "aborted";
  text: string;
  /** HTTP status, 0 when nothing came back. */
  status: number;
  retryAfterMs?: number;
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

export interface RequestOptions {
  body?: unknown;
  query?: Record<string, string | number | undefined>;
  signal?: AbortSignal;
  /** How long the hub may take, in ms. */
  withinMs?: number;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export const API = "/api/v1";
export const KEY_HEADER = "X-Control-Room-Key";
const ANSWER_WITHIN_MS = 20_000;
/** Browsers keep at most so many connections to one hub. */
const CONNECTIONS = 6;
const KNOCK_WITHIN_MS = 1_500;

/** The page's half of its login; null: not paired in this browser. */
export type KeyOf = () => string | null;

export class Http {
  /** What waits for something to read. */
  private readonly reading = new Set<() => void>();

  constructor(
    private readonly keyOf: KeyOf,
    /** Told of each refusal, so that one place reacts to `not_paired` and `locked`. */
    private readonly onRefused: (refusal: Refusal) => void = () => undefined,
  ) {}

  /** Asks; `path` starts behind `/api/v1`. */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
    const answer = (await this.ask<T>(method, path, options)) ?? (await this.ask<T>(method, path, options)) ?? UNANSWERED;
    if (!answer.ok) this.onRefused(answer.refusal);
    return answer;
  }

  /**
   * Connections of before carry nothing any more, and nobody told the browser: the device slept. Those that idle are
   * taken and given up, so that nobody waits on them; whoever reads asks again on a new one.
   */
  renew(): void {
    const readers = [...this.reading];
    for (let count = 0; count < CONNECTIONS; count++) void this.ask("GET", "/status", { withinMs: KNOCK_WITHIN_MS });
    for (const again of readers) again();
  }

  /** One try; null: it has to be asked again. */
  private async ask<T>(method: Method, path: string, options: RequestOptions): Promise<Answer<T> | null> {
    const headers: Record<string, string> = { Accept: "application/json", ...this.keyHeader() };
    if (options.body !== undefined) headers["Content-Type"] = "application/json";
    const { signal, abort, done } = limited(options.withinMs ?? ANSWER_WITHIN_MS, options.signal);
    let isRenewed = false;
    const again = (): void => {
      isRenewed = true;
      abort();
    };
    if (method === "GET") this.reading.add(again);
    try {
      const response = await fetch(API + path + queryOf(options.query), {
        method,
        headers,
        signal,
        credentials: "same-origin",
        cache: "no-store",
        redirect: "error",
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      });
      return await read<T>(response);
    } catch {
      if (options.signal?.aborted) return refused("aborted", "Cancelled.", 0);
      return isRenewed ? null : UNANSWERED;
    } finally {
      this.reading.delete(again);
      done();
    }
  }

  /** Tells of a refusal that another kind of request met: uploads. */
  wasRefused(refusal: Refusal): void {
    this.onRefused(refusal);
  }

  /** The header that makes a request this device's; for uploads, which are not JSON. */
  keyHeader(): Record<string, string> {
    const key = this.keyOf();
    return key === null ? {} : { [KEY_HEADER]: key };
  }
}

/** Ends with the caller's signal or with the time. By hand: `AbortSignal.any` is younger than phones that we serve. */
function limited(withinMs: number, outer: AbortSignal | undefined): { signal: AbortSignal; abort: () => void; done: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, withinMs);
  if (outer?.aborted === true) abort();
  outer?.addEventListener("abort", abort);
  const done = () => {
    clearTimeout(timer);
    outer?.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, abort, done };
}

function queryOf(query: RequestOptions["query"]): string {
  const pairs = Object.entries(query ?? {}).filter((pair): pair is [string, string | number] => pair[1] !== undefined);
  return pairs.length === 0 ? "" : "?" + new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
}

/** The answer that a response holds. */
export async function read<T>(response: Response): Promise<Answer<T>> {
  let body: unknown;
  try {
    body = await response.json();
  } catch {
    return refused("garbage", `The answer is not the control room's (HTTP ${response.status}).`, response.status);
  }
  if (response.ok) return { ok: true, value: body as T };
  if (isApiError(body)) {
    return {
      ok: false,
      refusal: {
        code: body.code,
        text: body.text,
        status: response.status,
        ...(typeof body.retry_after_ms === "number" ? { retryAfterMs: body.retry_after_ms } : {}),
      },
    };
  }
  return refused("garbage", `The answer is not the control room's (HTTP ${response.status}).`, response.status);
}

function isApiError(body: unknown): body is { code: ErrorCode; text: string; retry_after_ms?: number } {
  return typeof body === "object" && body !== null && typeof (body as { code?: unknown }).code === "string"
    && typeof (body as { text?: unknown }).text === "string";
}

const UNANSWERED: Answer<never> = refused("unreachable", "The control room did not answer.", 0);

function refused<T>(code: Refusal["code"], text: string, status: number): Answer<T> {
  return { ok: false, refusal: { code, text, status } };
}
