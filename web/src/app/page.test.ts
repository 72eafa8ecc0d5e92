import { signal } from "@preact/signals";
import { expect, it, vi } from "vitest";

import type { LinkState, Room } from "../live/room";
import { NO_QUESTIONS } from "../store/questions";
import { agent, machine } from "../store/samples";
import { EMPTY, type State } from "../store/state";
import { keepPage } from "./page";

it("puts the icon's number right, whatever a push said: once it is known, and when the page is seen again", () => {
  Object.assign(window, { visualViewport: null });
  const shown: number[] = [];
  const setAppBadge = vi.fn(async (count: number) => void shown.push(count));
  Object.assign(navigator, { setAppBadge, clearAppBadge: async () => void shown.push(0) });
  const state = signal<State>(EMPTY);
  keepPage({ state, link: signal<LinkState>({ kind: "live" }) } as unknown as Room);
  expect(shown).toEqual([]);
  const calm: State = { ...EMPTY, epoch: 1, machines: new Map([["mac_1", machine("mac_1")]]), questions: { ...NO_QUESTIONS, isKnown: true } };
  state.value = calm;
  expect(shown).toEqual([0]);
  state.value = { ...calm, agents: new Map([["agt_1", agent("agt_1", { activity: "blocked" })]]) };
  state.value = { ...state.value, seq: 5 };
  expect(shown).toEqual([0, 1]);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(shown).toEqual([0, 1, 1]);
});
