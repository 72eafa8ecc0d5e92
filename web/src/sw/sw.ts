/**
 * The service worker: keeps the files of one version of the app, so that it opens at once and without a network.
 *
 * It never keeps anything else, answers of the API least of all. A new version waits until the person wants it:
 * the page then says `activate`. Versions do not mix: files come from the cache of the version that asks.
 */
import { Database } from "../kit/idb";
import { keepShared, sharedOf } from "../kit/shared";
import { onMoved, onPush, onTap } from "./push";
import { plan, SCOPE, SHARED, unneeded } from "./plan";

declare const self: ServiceWorkerGlobalScope;
/** Put in by the build: every file of this version below the origin, and the digest of all of them. */
declare const __FILES__: readonly string[];
declare const __BUILD__: string;

const PREFIX = "controlroom.app ";
const OWN = PREFIX + __BUILD__;
const FILES: ReadonlySet<string> = new Set(__FILES__);
/** Held by every page, with the script that it runs (sw/register.ts). */
const PAGE_LOCK = "controlroom.page ";

self.addEventListener("install", (event) => event.waitUntil(keepFiles()));

self.addEventListener("activate", (event) => event.waitUntil(Promise.all([self.clients.claim(), tidy()])));

self.addEventListener("message", (event: ExtendableMessageEvent) => {
  const said = event.data as { type?: unknown; script?: unknown } | null;
  switch (said?.type) {
    case "activate":
      event.waitUntil(self.skipWaiting());
      return;
    case "here": // a page began, with this script
      if (typeof said.script === "string" && !FILES.has(said.script)) event.source?.postMessage({ type: "older" });
      event.waitUntil(tidy());
      return;
  }
});

self.addEventListener("fetch", (event) => {
  switch (plan(event.request, self.location.origin, FILES)) {
    case "shell":
      event.respondWith(kept(SCOPE, event.request));
      return;
    case "file":
      event.respondWith(kept(new URL(event.request.url).pathname, event.request));
      return;
    case "share":
      event.respondWith(share(event.request));
      return;
    case "network":
      return; // as if there were no worker
  }
});

self.addEventListener("push", (event) => event.waitUntil(onPush(event.data?.text() ?? "")));

self.addEventListener("notificationclick", (event) => event.waitUntil(onTap(event.notification, event.action)));

self.addEventListener("pushsubscriptionchange", (event) => {
  const change = event as ExtendableEvent & { oldSubscription?: PushSubscription | null };
  change.waitUntil(onMoved(change.oldSubscription?.options.applicationServerKey ?? null));
});

/** All files or none: half a version is none. The browser's own cache is not asked, it may be older. */
async function keepFiles(): Promise<void> {
  const cache = await caches.open(OWN);
  await Promise.all(__FILES__.map(async (path) => {
    const response = await fetch(path, { cache: "reload", redirect: "error", credentials: "omit" });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    await cache.put(path, response);
  }));
}

async function kept(path: string, request: Request): Promise<Response> {
  const own = await (await caches.open(OWN)).match(path, { ignoreVary: true });
  return own ?? await olderFile(path) ?? fetch(request);
}

/** A file of an older version, for a tab that still runs it. Names of such files hold a digest: they are never another's. */
async function olderFile(path: string): Promise<Response | undefined> {
  return path.startsWith(`${SCOPE}assets/`) ? caches.match(path, { ignoreVary: true }) : undefined;
}

async function share(request: Request): Promise<Response> {
  try {
    const thing = sharedOf(await request.formData(), `shr_${crypto.randomUUID()}`, Date.now());
    const done = await keepShared(new Database(), thing);
    return Response.redirect(done.ok ? SHARED : `${SHARED}?trouble=${done.trouble.kind}`, 303);
  } catch {
    return Response.redirect(`${SHARED}?trouble=broken`, 303);
  }
}

/** Drops the caches of versions that no tab runs. */
async function tidy(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  if (names.length < 2) return;
  const all = await Promise.all(names.map(async (name) => ({ name, files: await filesOf(name) })));
  const held = (await navigator.locks.query()).held ?? [];
  const inUse = held.flatMap(({ name }) => (name?.startsWith(PAGE_LOCK) ? [name.slice(PAGE_LOCK.length)] : []));
  await Promise.all(unneeded(all, OWN, inUse).map((name) => caches.delete(name)));
}

async function filesOf(name: string): Promise<Set<string>> {
  const requests = await (await caches.open(name)).keys();
  return new Set(requests.map((request) => new URL(request.url).pathname));
}
