/**
 * Notifications while the app is open: what a tap on one opens, what is told in the page instead, and what is taken
 * away because it needs nobody any more. Loaded after the first picture.
 */
import { effect } from "@preact/signals";

import { go } from "../kit/navigate";
import { line } from "../kit/text";
import { lookAtPush } from "../live/push";
import type { Room } from "../live/room";
import { showToast } from "../parts/toast";
import { isOver, placeOf, type Notice } from "../store/notice";
import { BASE, parseRoute } from "../store/routes";

const TOAST_MS = 12_000;
const TIDY_AFTER_MS = 500; // one look after a burst of changes

export function keepNotices(room: Room): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", (event: MessageEvent<{ type?: unknown; place?: unknown; notice?: Notice } | null>) => {
    const said = event.data;
    if (said?.type === "open" && typeof said.place === "string") openPlace(said.place);
    if (said?.type === "notice" && said.notice !== undefined) {
      const isLookedAt = document.visibilityState === "visible" && document.hasFocus();
      event.ports[0]?.postMessage(isLookedAt);
      if (isLookedAt) tell(said.notice);
    }
  });
  let hasLooked = false;
  const stop = effect(() => {
    if (room.link.value.kind !== "live" || hasLooked) return;
    hasLooked = true;
    queueMicrotask(() => stop());
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

/** Says it in the page, unless the person looks at it already. */
function tell(notice: Notice): void {
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
