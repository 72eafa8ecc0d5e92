/**
 * The page's side of the service worker: registers it where the browser allows one, and offers a new version.
 *
 * Nothing here loads the page by itself. `loadNew` does, after the drafts are written down.
 */
import { signal, type ReadonlySignal } from "@preact/signals";

import { writeDown } from "../kit/leave";

/** `ready`: a new version waits. `running`: another tab has started it; this page is still the old one. */
export type Update = "none" | "ready" | "running";

const update = signal<Update>("none");
let registration: ServiceWorkerRegistration | null = null;
let askedMs = 0; // own clock

export const newVersion: ReadonlySignal<Update> = update;

/** The list comes first: the worker fetches every file of its version. */
const REGISTER_AFTER_MS = 2_000;
const ASK_EVERY_MS = 30 * 60_000;
/** A version is some hundred kilobytes; slower than this, the page is loaded anew without it. */
const INSTALL_WITHIN_MS = 15_000;
const SCRIPT = "/app/sw.js";
const PAGE_LOCK = "controlroom.page ";

/**
 * Starts it: what other windows do is heard from the first moment on, the files are fetched after the page has what
 * it needs. Without a secure context, or where it is denied, the app just works without.
 */
export function startWorker(): void {
  if (!import.meta.env.PROD || !isSecureContext || !("serviceWorker" in navigator)) return;
  const workers = navigator.serviceWorker;
  holdVersion();
  const hadOne = workers.controller !== null;
  workers.addEventListener("controllerchange", () => {
    if (hadOne || update.value !== "none") update.value = "running";
  });
  workers.addEventListener("message", (event: MessageEvent<{ type?: unknown } | null>) => {
    if (event.data?.type === "older") update.value = "running";
  });
  addEventListener("load", () => setTimeout(() => void keepUp(), REGISTER_AFTER_MS), { once: true });
}

async function keepUp(): Promise<void> {
  registration = await registered();
  if (registration === null) return; // denied (private mode, a setting): Settings says what is missing
  askedMs = Date.now();
  follow(registration);
  // The page before this one is gone by now, and its version may be too; and another window may have been quicker.
  registration.active?.postMessage({ type: "here", script: ownScript() });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void lookForNew(ASK_EVERY_MS);
  });
}

async function registered(): Promise<ServiceWorkerRegistration | null> {
  try {
    return (await navigator.serviceWorker.register(SCRIPT, { scope: "/app/", updateViaCache: "none" })) ?? null;
  } catch {
    return null;
  }
}

/** Ask the hub whether it has a newer app, unless that was just asked. */
export async function lookForNew(atMostEveryMs = 0): Promise<void> {
  if (Date.now() - askedMs < atMostEveryMs) return;
  askedMs = Date.now();
  await registration?.update().catch(() => undefined);
}

let next: { atMs: number; timer: ReturnType<typeof setTimeout> } | null = null;

/** The same, and when that was just asked, as soon as it may be asked again: what is new since then is not missed. */
export function lookForNewSoon(atMostEveryMs: number): void {
  const atMs = askedMs + atMostEveryMs;
  if (next !== null && next.atMs <= atMs) return;
  if (next !== null) clearTimeout(next.timer);
  const look = (): void => {
    next = null;
    void lookForNew();
  };
  next = { atMs, timer: setTimeout(look, Math.max(0, atMs - Date.now())) };
}

/** Writes the drafts down and loads the newest version. False: they could not be kept, nothing happened. */
export async function loadNew(force = false): Promise<boolean> {
  if (!(await writeDown()) && !force) return false;
  const worker = registration === null ? null : await waiting(registration);
  if (worker === null) {
    location.reload();
    return true;
  }
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  worker.postMessage({ type: "activate" });
  return true;
}

function follow(one: ServiceWorkerRegistration): void {
  const look = () => {
    if (one.waiting !== null && one.active !== null) update.value = "ready";
  };
  look();
  one.addEventListener("updatefound", () => one.installing?.addEventListener("statechange", look));
}

/** The worker of the newest version; null when there is none that waits. */
async function waiting(one: ServiceWorkerRegistration): Promise<ServiceWorker | null> {
  if (one.waiting === null && update.value !== "running") await lookForNew();
  const installing = one.installing;
  if (one.waiting === null && installing !== null) {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, INSTALL_WITHIN_MS);
      installing.addEventListener("statechange", () => resolve());
    });
  }
  return one.waiting;
}

/** Tells the worker which version this page runs, as long as it lives: its files must not be dropped. */
function holdVersion(): void {
  const script = ownScript();
  if (script === null || !("locks" in navigator)) return;
  void navigator.locks.request(PAGE_LOCK + script, { mode: "shared" }, () => new Promise(() => undefined)).catch(() => undefined);
}

/** The script that this page began with: its name holds a digest, so it stands for the version. */
function ownScript(): string | null {
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]");
  return script === null ? null : new URL(script.src).pathname;
}
