/** What the worker does with pushes, and with taps on what it showed. */
import { API, KEY_HEADER } from "../api/http";
import { Database } from "../kit/idb";
import { readWorkerKey } from "../kit/worker-login";
import { answerOf, noticeOf, refusedWords, type Notice } from "../store/notice";
import { SCOPE } from "./plan";

declare const self: ServiceWorkerGlobalScope;

const ANSWER_WITHIN_MS = 15_000; // a browser ends a worker that takes half a minute
/** What pages and worker tell each other. */
export type ToPage = { type: "notice"; notice: Notice } | { type: "open"; place: string };

export async function onPush(text: string): Promise<void> {
  const notice = noticeOf(text);
  await Promise.all([takeAway(notice.gone), badge(notice.badge)]);
  const page = await visiblePage();
  // The app is looked at: it says so itself. Safari counts a push that showed nothing against the app.
  if (page !== null && notice.kind !== "test" && !navigator.vendor.startsWith("Apple")) {
    page.postMessage({ type: "notice", notice } satisfies ToPage);
    return;
  }
  await show(notice);
}

async function show(notice: Notice, isQuiet = false): Promise<void> {
  const options: NotificationOptions & { renotify?: boolean; timestamp?: number; actions?: unknown } = {
    body: notice.body,
    tag: notice.tag,
    renotify: !isQuiet,
    silent: isQuiet,
    icon: `${SCOPE}icon-192.png`,
    requireInteraction: notice.isUrgent,
    data: notice,
    actions: notice.actions,
    ...(notice.atMs > 0 ? { timestamp: notice.atMs } : {}),
  };
  await self.registration.showNotification(notice.title, options);
}

export async function onTap(notification: Notification, action: string): Promise<void> {
  notification.close();
  const notice = notification.data as Notice | null;
  if (notice === null) return open("");
  const answer = action === "" ? null : answerOf(notice, action);
  if (answer === null) return open(notice.open);
  const code = await sent(answer.path, answer.body);
  if (code === "ok") return;
  await show({ ...notice, body: refusedWords(code), actions: [], isUrgent: false }, true);
}

/** `ok`, the hub's code, or null when it did not answer. */
async function sent(path: string, body: unknown): Promise<string | null> {
  const key = await readWorkerKey(new Database());
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ANSWER_WITHIN_MS);
  try {
    const response = await fetch(API + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key === null ? {} : { [KEY_HEADER]: key }) },
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      signal: controller.signal,
      body: JSON.stringify(body),
    });
    if (response.ok) return "ok";
    const said = (await response.json()) as { code?: unknown } | null;
    return typeof said?.code === "string" ? said.code : "failed";
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

async function open(place: string): Promise<void> {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => one.focused) ?? pages.find((one) => one.visibilityState === "visible") ?? pages[0];
  if (page !== undefined) {
    const focused = await page.focus().catch(() => null);
    if (focused !== null) {
      focused.postMessage({ type: "open", place } satisfies ToPage);
      return;
    }
  }
  await self.clients.openWindow(SCOPE + place);
}

async function visiblePage(): Promise<WindowClient | null> {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return pages.find((page) => page.visibilityState === "visible" && page.focused) ?? null;
}

export async function takeAway(tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  for (const shown of await self.registration.getNotifications()) if (tags.includes(shown.tag)) shown.close();
}

async function badge(count: number): Promise<void> {
  if (!("setAppBadge" in navigator)) return;
  await (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => undefined);
}

/** The browser changed the subscription: the hub is told the new one with the login of this device. */
export async function onMoved(key: BufferSource | null): Promise<void> {
  if (key === null) return;
  const subscription = await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = subscription.toJSON();
  await sent("/push/subscriptions", { channel: "webpush", endpoint, keys });
}
