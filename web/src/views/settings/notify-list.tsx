/** What was sent and what was not, each with the reason. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { components } from "../../api/schema";
import type { Refusal } from "../../api/http";
import { line } from "../../kit/text";
import { age, fullTime } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Section, Trouble } from "./page";

type Page = components["schemas"]["Notifications"];
type Notification = components["schemas"]["Notification"];

const PAGE = 20;

export function NotifyList() {
  const room = useRoom();
  const rows = useSignal<readonly Notification[] | null>(null);
  const before = useSignal<string | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const isLoading = useSignal(false);
  const load = async (cursor: string | null): Promise<void> => {
    if (isLoading.peek()) return; // the same page twice would show each of its rows twice
    isLoading.value = true;
    const query = { limit: PAGE, ...(cursor === null ? {} : { before: cursor }) };
    const answer = await room.http.request<Page>("GET", "/notifications", { query });
    isLoading.value = false;
    if (!answer.ok) {
      refusal.value = answer.refusal;
      return;
    }
    refusal.value = null;
    rows.value = [...(cursor === null ? [] : (rows.value ?? [])), ...answer.value.notifications];
    before.value = answer.value.before ?? null;
  };
  useEffect(() => void load(null), []);
  const shown = rows.value;
  return (
    <Section title="Sent, or not, and why" hint="The same on the hub’s machine: controlroom notifications explain.">
      <Trouble refusal={refusal.value} />
      {shown === null || shown.length > 0 ? null : <p class="second">Nothing was worth one yet.</p>}
      {shown === null || shown.length === 0 ? null : (
        <ul class="panel">
          {shown.map((one) => (
            <li key={one.id} class="set">
              <div class="grow">
                <b><bdi>{line(one.title, 120)}</bdi></b> <span class="second num" title={fullTime(one.at_ms)}>{STATES[one.state]} · {age(one.at_ms, room.now.value)}</span>
                <small><bdi>{line(one.why, 300)}</bdi></small>
                {sendsOf(one).map((text, at) => <small key={at}><bdi>{text}</bdi></small>)}
              </div>
            </li>
          ))}
        </ul>
      )}
      {before.value === null ? null : <button class="btn btn-line btn-block" type="button" disabled={isLoading.value} onClick={() => void load(before.value)}>Older</button>}
    </Section>
  );
}

const STATES: Readonly<Record<Notification["state"], string>> = {
  waiting: "Waits for its time", held: "Held back", gathered: "Told with others", pushed: "Sent", dropped: "Not sent", over: "Sent, and over",
};

function sendsOf(one: Notification): string[] {
  return (one.sends ?? []).map((send) => {
    const name = line(send.name, 60);
    if (send.state === "sent") return `${name}: handed over`;
    return `${name}: ${send.state === "waiting" ? "tried again later" : "failed"}${send.text ? `. ${line(send.text, 200)}` : ""}`;
  });
}
