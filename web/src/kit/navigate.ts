/**
 * Where the app is, and how it gets elsewhere. One signal, the browser's own history: Back works on phones.
 *
 * Links are plain `<a href={addressOf(route)}>`: a click on one stays in the page, a modified click opens a tab.
 */
import { signal, type ReadonlySignal } from "@preact/signals";

import { addressOf, BASE, parseRoute, type Route, type Tab } from "../store/routes";

const current = signal<Route>({ at: "agents" });

export const route: ReadonlySignal<Route> = current;

/** `?window=1`: this window shows one chat, terminal or tab without the navigation around it. */
export const isPopOut: boolean = new URLSearchParams(location.search).get("window") === "1";

/** How many steps of the history are this page's own: Back inside the app must not leave it. */
let depth = 0;

export interface GoOptions {
  /** Takes the place of the present entry of the history. */
  replace?: boolean;
}

export function go(to: Route, options: GoOptions = {}): void {
  const address = addressOf(to) + (isPopOut ? "?window=1" : "");
  if (address === location.pathname + location.search) {
    current.value = to; // the same place again: no second entry for Back to stumble over
    return;
  }
  if (options.replace) {
    history.replaceState({ depth }, "", address);
  } else {
    depth += 1;
    history.pushState({ depth }, "", address);
  }
  current.value = to;
}

/** Whether Back stays inside of the app. */
export function hasPast(): boolean {
  return depth > 0;
}

/** One step back: what the person came from, or the place above it when the app was opened here by a link. */
export function back(): void {
  if (depth > 0) history.back();
  else go(above(route.value), { replace: true });
}

/** The list that a detail belongs to. */
export function above(place: Route): Route {
  switch (place.at) {
    case "terminal":
      return { at: "agent", agentId: place.agentId };
    case "question":
      return { at: "inbox" };
    case "settings":
    case "pair":
      return { at: "settings" };
    case "chief":
    case "inbox":
    case "usage":
      return place;
    default:
      return { at: "agents" };
  }
}

/** The tab that a place stands under. */
export function tabOf(place: Route): Tab {
  switch (place.at) {
    case "chief":
    case "usage":
    case "inbox":
      return place.at;
    case "question":
      return "inbox";
    case "settings":
    case "pair":
      return "settings";
    default:
      return "agents";
  }
}

/** Whether a place is one thing of a list: on a phone it hides the tab bar. */
export function isDetail(place: Route): boolean {
  switch (place.at) {
    case "agents":
    case "inbox":
    case "chief":
    case "usage":
    case "shared":
    case "lost":
      return false;
    case "settings":
      return place.page !== undefined;
    default:
      return true;
  }
}

/** Opens a place in a window of its own, without the navigation. A second call brings the same window to the front. */
export function popOut(to: Route): void {
  const address = `${addressOf(to)}?window=1`;
  const opened = window.open(address, `controlroom:${addressOf(to)}`, "popup,width=560,height=820");
  if (opened === null) go(to); // a browser that forbids windows still shows it
  else opened.focus();
}

/** Reads the address, and follows Back, Forward and clicks on links from now on. */
export function startNavigation(): void {
  const read = (): void => {
    const state: unknown = history.state;
    const kept = typeof state === "object" && state !== null ? (state as { depth?: unknown }).depth : undefined;
    depth = typeof kept === "number" ? kept : 0;
    current.value = parseRoute(location.pathname, location.hash);
  };
  read();
  addEventListener("popstate", read);
  document.addEventListener("click", onClick);
}

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download")) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || !to.pathname.startsWith(BASE) || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  go(parseRoute(to.pathname, to.hash));
}
