/** What this page knows of the host's shells, and how each word of the socket changes it. Pure. */
import type { ShellEvent, ShellRow } from "./shell-link";

export interface Tab {
  name: string;
  /** `attaching` is also what a broken link leaves: it is attached again. */
  state: "attaching" | "attached" | "ended";
  /** Why it ended, for people. */
  why: string;
}

export interface Shells {
  link: "connecting" | "ready" | "waiting" | "refused";
  /** When the next try is, in ms of the page's clock; 0: none is. */
  refusal: { code: string; text: string } | null;
  rows: readonly ShellRow[] | null;
  hasTmux: boolean;
  tabs: readonly Tab[];
  /** The tab that is shown; null: the list is. */
  shown: string | null;
  /** What went wrong last, for people. */
  trouble: string;
}

export const NO_SHELLS: Shells = {
  link: "connecting", refusal: null, rows: null, hasTmux: true, tabs: [], shown: null, trouble: "",
};

/** As many as the hub lets one page hold. */
export const MOST_TABS = 4;

export type ShellAct =
  | ShellEvent
  | { type: "opened"; name: string }
  | { type: "showed"; name: string | null }
  | { type: "tab closed"; name: string }
  | { type: "again" };

const REASONS: Readonly<Record<string, string>> = {
  "client detach": "Detached. The shell goes on.",
  "client kill": "The shell was ended.",
  eof: "The shell has ended.",
  "grant expired": "This device may not use shells any more. The shell goes on.",
  "server shutdown": "The control room stops. The shell goes on.",
  "write failed": "The shell has ended.",
};

export function changed(shells: Shells, act: ShellAct): Shells {
  switch (act.type) {
    case "ready":
      return { ...shells, link: "ready", refusal: null, trouble: "", tabs: shells.tabs.map((tab) => (tab.state === "ended" ? tab : { ...tab, state: "attaching" })) };
    case "list":
      return { ...shells, rows: act.rows, hasTmux: act.hasTmux };
    case "attached":
      return withTab(shells, act.name, (tab) => ({ ...tab, state: "attached", why: "" }));
    case "detached":
      return withTab(shells, act.name, (tab) => ({ ...tab, state: "ended", why: REASONS[act.reason] ?? "It ended." }));
    case "error":
      return { ...withTab(shells, act.name, (tab) => (tab.state === "attaching" ? { ...tab, state: "ended", why: act.text } : tab)), trouble: act.text };
    case "refused":
      return { ...shells, refusal: { code: act.code, text: act.text }, trouble: act.text };
    case "closed":
      return { ...shells, link: act.againMs === null ? "refused" : "waiting", tabs: shells.tabs.map((tab) => (tab.state === "attached" ? { ...tab, state: "attaching" } : tab)) };
    case "opened": {
      const rest = shells.tabs.filter(({ name }) => name !== act.name);
      const isOld = rest.length < shells.tabs.length;
      const tab: Tab = { name: act.name, state: "attaching", why: "" };
      return { ...shells, shown: act.name, trouble: "", tabs: isOld ? shells.tabs.map((one) => (one.name === act.name ? tab : one)) : [...rest, tab] };
    }
    case "showed":
      return { ...shells, shown: act.name, trouble: "" };
    case "tab closed": {
      const at = shells.tabs.findIndex(({ name }) => name === act.name);
      const tabs = shells.tabs.filter(({ name }) => name !== act.name);
      const shown = shells.shown === act.name ? (tabs[Math.min(at, tabs.length - 1)]?.name ?? null) : shells.shown;
      return { ...shells, tabs, shown };
    }
    case "again":
      return { ...shells, link: "connecting", refusal: null, trouble: "" };
    case "output":
      return shells;
    default:
      return act satisfies never;
  }
}

function withTab(shells: Shells, name: string, change: (tab: Tab) => Tab): Shells {
  return { ...shells, tabs: shells.tabs.map((tab) => (tab.name === name ? change(tab) : tab)) };
}

/** A name for a new shell that no other has. */
export function freeName(rows: readonly ShellRow[] | null, tabs: readonly Tab[]): string {
  const taken = new Set([...(rows ?? []), ...tabs].map(({ name }) => name));
  for (let number = 1; ; number++) {
    if (!taken.has(`shell-${number}`)) return `shell-${number}`;
  }
}
