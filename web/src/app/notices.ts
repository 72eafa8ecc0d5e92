/**
 * Notifications while the app is open: what a tap on one opens, what is told in the page instead, and what is taken
 * away because it needs nobody any more. Loaded after the first picture.
 */
import { effect, untracked } from "@preact/signals";

import { readKey } from "../kit/login";
import { go } from "../kit/navigate";
import { line } from "../kit/text";
import { lookAtPush } from "../live/push";
import type { Room } from "../live/room";
import { showToast } from "../parts/toast";
import { isOver, placeOf, type Notice } from "../store/notice";
import { BASE, parseRoute } from "../store/routes";

const TOAST_MS = 12_000;
const NEWS_MS = 60_000; // what was missed for longer is no news: it stands in the lists
const TIDY_AFTER_MS = 500; // one look after a burst of changes

export function keepNotices(room: Room): void {
  effect(() => sayNews(room));
  if ("serviceWorker" in navigator) keepWorkersNotices(room);
}

/** Also in a browser that has no notifications. */
function sayNews(room: Room): void {
  const { told } = room.state.value;
  if (told === null || room.nowMs() - told.at_ms > NEWS_MS || !isLookedAt()) return;
  const { id, title, text: body, open } = told;
  untracked(() => tell({ id, title, body, open }));
}

function keepWorkersNotices(room: Room): void {
  navigator.serviceWorker.addEventListener("message", (event: MessageEvent<{ type?: unknown; place?: unknown; notice?: Notice } | null>) => {
    const message = event.data;
    if (message?.type === "open" && typeof message.place === "string") openPlace(message.place);
    if (message?.type === "notice" && message.notice !== undefined) {
      event.ports[0]?.postMessage(isLookedAt());
      if (isLookedAt()) tell(message.notice);
    }
  });
  // Once for each pairing: the hub knows a subscription as that of a device, and a device that is paired anew is another.
  let lookedWith: string | null = null;
  effect(() => {
    const key = room.link.value.kind === "live" ? readKey() : null;
    if (key === null || key === lookedWith) return;
    lookedWith = key;
    if (typeof Notification !== "undefined" && Notification.permission === "granted") void lookAtPush(room.http);
  });
  let timer: ReturnType<typeof setTimeout> | null = null;
  effect(() => {
    const { agents, questions } = room.state.value;
    if (room.link.value.kind !== "live" || (agents.size === 0 && questions.byId.size === 0)) return;
    timer ??= setTimeout(() => {
      timer = null;
      void tidy(room);
    }, TIDY_AFTER_MS);
  });
}

function openPlace(place: string): void {
  go(parseRoute(BASE + placeOf(place)));
}

function isLookedAt(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}

/** What this page has said already: the same comes by push and by the live link. */
const said = new Set<string>();

/** Says it in the page, once, unless the person looks at it already. */
function tell(notice: Pick<Notice, "id" | "title" | "body" | "open">): void {
  if (said.has(notice.id)) return;
  said.add(notice.id);
  const place = BASE + placeOf(notice.open);
  if (location.pathname === place) return;
  showToast({
    text: [line(notice.title, 100), line(notice.body, 160)].filter((part) => part !== "").join(": "),
    forMs: TOAST_MS,
    act: { label: "Open", run: () => openPlace(notice.open) },
  });
}

async function tidy(room: Room): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration("/app/").catch(() => undefined);
  const shown = (await registration?.getNotifications().catch(() => [])) ?? [];
  if (room.link.peek().kind !== "live") return;
  const { agents, questions } = room.state.peek();
  for (const one of shown) {
    const notice = one.data as Notice | null;
    if (notice !== null && typeof notice.kind === "string" && isOver(notice, agents, questions)) one.close();
  }
}
