/** Where an agent can be moved by hand, and what each place has left. Pure. */
import type { Account, Agent, PolicyAdvice, Profile } from "../api/types";
import { listed } from "./operations";
import { heldUntil, loginOf, percent, usedOf, type Times } from "./usage";

const DAY_MINUTES = 1_440;

export interface Target {
  profile: Profile;
  isSuggested: boolean;
  isPossible: boolean;
  /** What it has left, and what is the matter with it. */
  words: string;
}

/** The other profiles of its kind on its machine: the suggested one first, those that cannot be last. */
export function targetsOf(
  agent: Agent, profiles: readonly Profile[], accounts: ReadonlyMap<string, Account>, advice: PolicyAdvice | null, machine: string, times: Times,
): Target[] {
  const here = profiles.find((profile) => isAt(profile, agent));
  const others = profiles.filter((profile) => profile.machine_id === agent.machine_id && profile.kind === agent.kind && profile !== here);
  const rank = (target: Target): number => (target.isSuggested ? 0 : target.isPossible ? 1 : 2);
  return others.map((profile): Target => {
    const account = profile.account == null ? undefined : accounts.get(profile.account);
    const isOut = loginOf(profile) === "out";
    const isSame = account !== undefined && account.id === here?.account;
    const words = isOut ? `Signed out on ${machine}. Sign in first` : [
      isSame ? "The account that it has now" : account?.name ?? "Its account is not known",
      ...(account === undefined || isSame ? [] : leftWords(account, times)),
      loginOf(profile) === "idle" ? "Idle login, may ask for sign-in" : "",
    ].filter((part) => part !== "").join(". ");
    return { profile, isSuggested: !isOut && advice?.to_profile === profile.id, isPossible: !isOut, words };
  }).sort((one, other) => rank(one) - rank(other) || (one.profile.name < other.profile.name ? -1 : 1));
}

/** Whether the agent runs in this profile. */
export function isAt(profile: Profile, agent: Agent): boolean {
  return profile.machine_id === agent.machine_id && profile.kind === agent.kind && profile.folder === agent.profile;
}

/** `69 % of 5 hours and 52 % of the week left`, and why it may not be used. */
export function leftWords(account: Account, times: Times): string[] {
  const until = heldUntil(account, times.nowMs);
  const windows = account.windows.filter((win) => (win.scope ?? "") === "").map((win) => {
    const used = usedOf(win, times.nowMs);
    const name = win.length_minutes >= DAY_MINUTES ? `the ${win.name}` : win.name;
    return used === null ? `an unknown part of ${name}` : `${percent(Math.max(0, 100 - used))} of ${name}`;
  });
  const reserve = account.reserve_pct ?? 0;
  return [
    windows.length === 0 ? "What it has left is not known" : `${listed(windows)} left`,
    until === null ? "" : `At its limit, held until ${times.clock(until)}`,
    reserve > 0 ? `${percent(reserve)} of its week is kept in reserve` : "",
  ].filter((part) => part !== "");
}
