/**
 * Notifications of this browser: asked for by the person, kept up with the hub from then on.
 *
 * The hub's key may have changed, the browser may have moved its subscription, and the hub may have forgotten it:
 * so it is told again each time that the app begins, which changes nothing when nothing has changed.
 */
import { signal, type ReadonlySignal } from "@preact/signals";

import type { Answer, Http, Refusal } from "../api/http";
import { database } from "../kit/idb";
import { onKeyChanged, readKey } from "../kit/login";
import { keepWorkerKey } from "../kit/worker-login";

export type PushState =
  | { at: "looking" }
  /** Not here: plain HTTP, a browser without push, an app that is not installed yet. */
  | { at: "impossible"; why: "insecure" | "browser" | "install" | "worker" }
  | { at: "denied" }
  | { at: "off" }
  | { at: "on"; id: string };

export type PushTrouble = { text: string } | null;

interface Subscription { id: string }

const WITHIN_MS = 20_000; // a browser that cannot reach its push service may never say so
const WORKER_WITHIN_MS = 10_000;

const state = signal<PushState>({ at: "looking" });
export const push: ReadonlySignal<PushState> = state;

/** Asks the browser and tells the hub; never asks the person. */
export async function lookAtPush(http: Http): Promise<void> {
  const why = impossible();
  if (why !== null) {
    state.value = { at: "impossible", why };
  } else if (Notification.permission === "denied") {
    state.value = { at: "denied" };
  } else if (Notification.permission !== "granted") {
    state.value = { at: "off" };
  } else {
    const registration = await worker();
    if (registration === null) state.value = { at: "impossible", why: "worker" };
    else if ((await within(registration.pushManager.getSubscription(), WITHIN_MS)) === null) state.value = { at: "off" };
    else await subscribe(http, registration);
  }
}

/** The person wants them. Must be called from a tap: browsers ask only then. */
export async function turnOn(http: Http): Promise<PushTrouble> {
  const why = impossible();
  if (why !== null) {
    state.value = { at: "impossible", why };
    return null;
  }
  const said = await Notification.requestPermission();
  if (said !== "granted") {
    state.value = said === "denied" ? { at: "denied" } : { at: "off" };
    return null;
  }
  const registration = await worker();
  if (registration === null) {
    state.value = { at: "impossible", why: "worker" };
    return null;
  }
  return subscribe(http, registration);
}

export async function turnOff(http: Http): Promise<PushTrouble> {
  const now = state.value;
  const registration = await worker();
  const subscription = registration === null ? null : await within(registration.pushManager.getSubscription(), WITHIN_MS);
  await subscription?.unsubscribe().catch(() => false);
  await keepWorkerKey(database(), null);
  state.value = { at: "off" };
  if (now.at !== "on") return null;
  const answer = await http.request("DELETE", `/push/subscriptions/${encodeURIComponent(now.id)}`);
  // Even when the hub does not hear of it now: the push service tells it at the next push.
  return answer.ok || answer.refusal.code === "not_found" ? null : { text: answer.refusal.text };
}

async function subscribe(http: Http, registration: ServiceWorkerRegistration): Promise<PushTrouble> {
  const answer = await subscribed(http, registration);
  if (answer.ok) {
    await keepWorkerKey(database(), readKey());
    state.value = { at: "on", id: answer.value.id };
    return null;
  }
  state.value = { at: "off" };
  return { text: answer.refusal.text };
}

async function subscribed(http: Http, registration: ServiceWorkerRegistration): Promise<Answer<Subscription>> {
  const said = await http.request<{ key: string }>("GET", "/push/key");
  if (!said.ok) return said;
  const { key } = said.value;
  let subscription = await within(registration.pushManager.getSubscription(), WITHIN_MS);
  if (subscription !== null && textOf(subscription.options.applicationServerKey) !== key) {
    await subscription.unsubscribe().catch(() => false);
    subscription = null;
  }
  try {
    subscription ??= await within(
      registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) }), WITHIN_MS,
    );
  } catch {
    return refused("The browser could not reach its push service. Try again later.");
  }
  if (subscription === null) return refused("The browser’s push service did not answer. Try again later.");
  const { endpoint, keys } = subscription.toJSON();
  return http.request<Subscription>("POST", "/push/subscriptions", { body: { channel: "webpush", endpoint, keys, key } });
}

function refused(text: string): Answer<never> {
  return { ok: false, refusal: { code: "failed", text, status: 0 } satisfies Refusal };
}

/** Whether this browser could have notifications at all; null: it could. */
export function impossible(): "insecure" | "browser" | "install" | null {
  if (!window.isSecureContext) return "insecure";
  const isIos = /iphone|ipad/iu.test(navigator.userAgent) || (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis) || typeof Notification === "undefined") {
    return isIos && !matchMedia("(display-mode: standalone)").matches ? "install" : "browser";
  }
  return null;
}

async function worker(): Promise<ServiceWorkerRegistration | null> {
  return within(navigator.serviceWorker.ready, WORKER_WITHIN_MS);
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ms)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** URL-safe base64 without padding, as the hub says its key. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (char) => char.charCodeAt(0));
}

export function textOf(bytes: ArrayBuffer | null): string {
  if (bytes === null) return "";
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/u, "");
}

// Another tab paired anew: the worker needs the new key. Signed out: it gets none.
onKeyChanged(() => {
  if (state.value.at === "on" || readKey() === null) void keepWorkerKey(database(), readKey());
});
