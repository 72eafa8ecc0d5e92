/** What the page itself shows of the app: its height, its theme, its title, its badge. */
import { computed, effect } from "@preact/signals";

import { line } from "../kit/text";
import { isShut } from "../live/lock";
import type { Room } from "../live/room";
import { countsOf } from "../store/agents";
import type { State } from "../store/state";
import { taste } from "../store/taste";
import { route } from "../kit/navigate";
import type { Route } from "../store/routes";

/** Follows the room and the browser until the page is closed. */
export function keepPage(room: Room): void {
  followHeight();
  effect(() => showTheme(taste.value.theme));
  const counts = computed(() => {
    const { agents, machines, questions } = room.state.value;
    return countsOf(agents, machines, questions);
  });
  const isPaired = computed(() => room.link.value.kind !== "not_paired");
  const waiting = computed(() => (isPaired.value ? counts.value.waiting : 0));
  const needs = computed(() => (isPaired.value ? counts.value.needs : 0));
  effect(() => {
    const { kind } = room.link.value;
    const isHidden = isShut.value || kind === "locked" || kind === "not_paired";
    const place = isHidden ? "" : titleOf(route.value, room.state.value);
    document.title = `${waiting.value > 0 ? `(${waiting.value}) ` : ""}${place === "" ? "" : `${place} · `}Control Room`;
  });
  const isKnown = computed(() => !isPaired.value || (room.state.value.epoch > 0 && room.state.value.questions.isKnown));
  const show = (): void => { if (isKnown.value) showBadge(needs.value); };
  effect(show);
  document.addEventListener("visibilitychange", () => {
    badge = null;
    if (document.visibilityState === "visible") show();
  });
}

const TITLES: Partial<Record<Route["at"], string>> = {
  agents: "Agents",
  chief: "Chief",
  inbox: "Inbox",
  question: "Inbox",
  usage: "Usage",
  settings: "Settings",
  shells: "Shells",
  pair: "Pair this device",
  shared: "Shared",
  chat: "Chat",
  lost: "Not found",
};

/** What a place is called. */
export function titleOf(place: Route, state: State): string {
  if (place.at === "agent" || place.at === "terminal") {
    const name = line(state.agents.get(place.agentId)?.name ?? "Agent", 80);
    return place.at === "terminal" ? `Terminal of ${name}` : name;
  }
  if (place.at === "chat") {
    const agent = [...state.agents.values()].find(({ chat_id }) => chat_id === place.chatId);
    if (agent !== undefined) return line(agent.name, 80);
  }
  return TITLES[place.at] ?? "";
}

/** What stands at the icon; null: whatever the worker was told by a push. */
let badge: number | null = null;

function showBadge(count: number): void {
  if (count === badge || !("setAppBadge" in navigator)) return;
  badge = count;
  const done = count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge();
  done.catch(() => undefined); // not installed, or not allowed
}

function showTheme(theme: "system" | "light" | "dark"): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const isDark = theme === "system" ? meta.media.includes("dark") : theme === "dark";
    meta.content = isDark ? "#0e1114" : "#f2f4f6";
  }
}

/** The app is as high as what can be seen of the page: a keyboard on a phone makes it lower. */
function followHeight(): void {
  const view = window.visualViewport;
  if (view === null) return;
  const follow = (): void => {
    if (Math.abs(view.scale - 1) > 0.01) return; // pinched: the page stays as it is
    const { style } = document.documentElement;
    const isWhole = Math.abs(view.height - window.innerHeight) < 2;
    if (isWhole) style.removeProperty("--app-height");
    else style.setProperty("--app-height", `${Math.round(view.height)}px`);
    style.setProperty("--app-top", `${Math.max(0, Math.round(view.offsetTop))}px`);
  };
  view.addEventListener("resize", follow);
  view.addEventListener("scroll", follow);
  follow();
}
