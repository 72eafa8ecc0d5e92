/** Keys that count everywhere, and what lies over the page. */
import { isWide } from "../kit/media";
import { useRoom } from "../live/room";
import { takeToast } from "../parts/toast";
import { waiting } from "../store/agents";
import { SEARCH_FIELD, searchWanted, showAgent } from "../views/agents";
import { useKeys } from "../kit/keys";
import { changeLayout, layout } from "../kit/layout";
import { above, back, go, hasPast, isDetail, isPopOut, route, tabOf } from "../kit/navigate";
import { overlay } from "../kit/overlay";
import { openOf } from "../store/questions";
import { addressOf, parseRoute, type Route } from "../store/routes";
import { AllKeys, Palette } from "./views";

export function Shortcuts() {
  const room = useRoom();
  useKeys({
    "mod+k": { label: "Go to or do", group: "Go", inDialogs: true, run: () => { overlay.value = overlay.value === "palette" ? null : "palette"; } },
    "/": { label: "Search", group: "Go", run: searchAgents },
    "?": { label: "All keys", group: "Go", run: () => { overlay.value = "keys"; } },
    "g c": { label: "Chief", group: "Go", run: () => go({ at: "chief" }) },
    "g a": { label: "Agents", group: "Go", run: () => go({ at: "agents" }) },
    "g i": { label: "Inbox", group: "Go", run: () => go({ at: "inbox" }) },
    "g u": { label: "Usage", group: "Go", run: () => go({ at: "usage" }) },
    "g s": { label: "Settings", group: "Go", run: () => go({ at: "settings" }) },
    j: { label: "Next in the list", group: "List", run: () => step(1) },
    k: { label: "Previous in the list", group: "List", run: () => step(-1) },
    n: { label: "Next that needs you", group: "List", run: () => nextWaiting() },
    Enter: { label: "Open", group: "List", run: () => false },
    "[": { label: "Hide or show the list", group: "List", run: () => changeLayout({ isListHidden: !layout.value.isListHidden }) },
    t: { label: "Terminal", group: "Agent", run: () => toTerminal() },
    m: { label: "Why, and actions", group: "Agent", run: () => openMenu() },
    z: { label: "Undo", group: "Agent", run: () => takeToast() },
    Escape: { label: "Back", group: "Go", always: true, run: leave },
  });

  function nextWaiting(): boolean {
    const { agents, machines, questions } = room.state.value;
    const stopped = waiting(agents, machines, questions);
    const seen = new Set(stopped.map((agent) => agent.id));
    // Agents first; then questions of those that go on working meanwhile.
    const all: Route[] = [
      ...stopped.map((agent): Route => ({ at: "agent", agentId: agent.id })),
      ...openOf(questions).filter((question) => !seen.has(question.agent_id)).map((question): Route => ({ at: "question", questionId: question.id })),
    ];
    const here = route.value.at === "question" ? addressOf(route.value) : addressOf({ at: "agent", agentId: ("agentId" in route.value ? route.value.agentId : currentAgentId()) ?? "" });
    const next = all[(all.findIndex((place) => addressOf(place) === here) + 1) % all.length];
    if (next === undefined) return false;
    go(next);
    // The row that had the focus is not what is open any more: the next key means the new one.
    if ("agentId" in next && document.activeElement?.classList.contains("row-link")) rowOf(next.agentId)?.focus({ preventScroll: true });
    return true;
  }

  return overlay.value === "palette" ? <Palette onClose={close} /> : overlay.value === "keys" ? <AllKeys onClose={close} /> : null;
}

function close(): void {
  overlay.value = null;
}

/** The agent that is open, or whose row has the focus. */
export function currentAgentId(): string | null {
  const row = document.activeElement?.closest(".row-link");
  if (row instanceof HTMLElement && row.dataset["agent"] !== undefined) return row.dataset["agent"];
  return "agentId" in route.value ? route.value.agentId : null;
}

function searchAgents(): void {
  if (isDetail(route.value) ? !isWide.value : tabOf(route.value) !== "agents") go({ at: "agents" });
  const field = document.getElementById(SEARCH_FIELD);
  if (field?.checkVisibility()) field.focus(); // at once: what is typed next is searched for
  else searchWanted.value += 1;
}

/** The row of an agent in the list that is shown. */
export function rowOf(agentId: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.row-link[data-agent="${CSS.escape(agentId)}"]`);
}

/** Moves the focus in the list that is shown. */
function step(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(".pane-list .row-link")].filter((row) => row.checkVisibility());
  const focused = rows.findIndex((row) => row === document.activeElement);
  const at = focused >= 0 ? focused : rows.findIndex((row) => row.getAttribute("aria-current") !== null);
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  if (next === undefined) return rows.length > 0;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
  // Beside the Inbox stand answers, and number keys answer: what has the focus is what is open.
  if (tabOf(route.value) === "inbox" && isWide.value && next instanceof HTMLAnchorElement) {
    go(parseRoute(new URL(next.href).pathname), { replace: true });
  }
  return true;
}

function toTerminal(): boolean {
  const agentId = currentAgentId();
  if (agentId === null) return false;
  go({ at: "terminal", agentId });
  return true;
}

function openMenu(): boolean {
  const agentId = currentAgentId();
  if (agentId === null) return false;
  showAgent(agentId);
  return true;
}

/** Out of a field first, then out of the detail. */
function leave(event: KeyboardEvent): boolean {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && event.target === activeElement && activeElement.matches("input, textarea, select, [contenteditable]")) {
    activeElement.blur();
    return true;
  }
  if (isPopOut) {
    if (!hasPast()) return false;
    back(); // a window without the browser's buttons
    return true;
  }
  if (!isDetail(route.value)) return false;
  go(above(route.value));
  return true;
}
