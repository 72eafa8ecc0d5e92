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

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export const API = "/api/v1";
export const KEY_HEADER = "X-Control-Room-Key";
const ANSWER_WITHIN_MS = 20_000;

/** The page's half of its login; null: not paired in this browser. */
export type KeyOf = () => string | null;

export class Http {
  constructor(
    private readonly keyOf: KeyOf,
    /** Told of each refusal, so that one place reacts to `not_paired` and `locked`. */
    private readonly onRefused: (refusal: Refusal) => void = () => undefined,
  ) {}

  /** Asks; `path` starts behind `/api/v1`. */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
    const headers: Record<string, string> = { Accept: "application/json", ...this.keyHeader() };
    if (options.body !== undefined) headers["Content-Type"] = "application/json";
    const { signal, done } = limited(options.withinMs ?? ANSWER_WITHIN_MS, options.signal);
    let answer: Answer<T>;
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
      answer = await read<T>(response);
    } catch {
      answer = options.signal?.aborted
        ? refused("aborted", "Cancelled.", 0)
        : refused("unreachable", "The control room did not answer.", 0);
    } finally {
      done();
    }
    if (!answer.ok) this.onRefused(answer.refusal);
    return answer;
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
function limited(withinMs: number, outer: AbortSignal | undefined): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, withinMs);
  if (outer?.aborted === true) abort();
  outer?.addEventListener("abort", abort);
  const done = () => {
    clearTimeout(timer);
    outer?.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, done };
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

function refused<T>(code: Refusal["code"], text: string, status: number): Answer<T> {
  return { ok: false, refusal: { code, text, status } };
}
