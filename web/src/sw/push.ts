/** What the worker does with pushes, and with taps on what it showed. */
import { API, KEY_HEADER } from "../api/http";
import { Database } from "../kit/idb";
import { readWorkerKey } from "../kit/worker-login";
import { answerOf, noticeOf, refusedWords, type Notice } from "../store/notice";
import { SCOPE } from "./plan";

declare const self: ServiceWorkerGlobalScope;

const ANSWER_WITHIN_MS = 15_000; // a browser ends a worker that takes half a minute
/** Workers have no `navigator.vendor`. */
const IS_SAFARI = /AppleWebKit/u.test(navigator.userAgent) && !/Chrom|Edg|Android/u.test(navigator.userAgent);
const TAKEN_WITHIN_MS = 3_000; // on a busy machine; a page that hangs must not swallow it
/** What pages and worker tell each other. */
export type ToPage = { type: "notice"; notice: Notice } | { type: "open"; place: string };

export async function onPush(text: string): Promise<void> {
  const notice = noticeOf(text);
  // Whatever of this fails, it is shown: a push that shows nothing is a question that nobody sees.
  await Promise.allSettled([takeAway(notice.gone), badge(notice.badge)]);
  // A page that is looked at says it itself. Safari counts a push that showed nothing against the app.
  if (notice.kind !== "test" && !IS_SAFARI && (await isTold(notice).catch(() => false))) return;
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

/** Whether a page that the person looks at has taken it. */
async function isTold(notice: Notice): Promise<boolean> {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const asked = pages.filter((page) => page.visibilityState === "visible").map((page) =>
    new Promise<boolean>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = (event) => resolve(event.data === true);
      setTimeout(() => resolve(false), TAKEN_WITHIN_MS);
      page.postMessage({ type: "notice", notice } satisfies ToPage, [port2]);
    }));
  return (await Promise.all(asked)).includes(true);
}

async function takeAway(tags: readonly string[]): Promise<void> {
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
