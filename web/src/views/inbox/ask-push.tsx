/** Where something waits, the offer to be told of it: the browser is asked only when the person wants that. */
import { useSignal } from "@preact/signals";

import { line } from "../../kit/text";
import { impossible, push, turnOn } from "../../live/push";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";

const NAME = "controlroom.push.later";

/** Stands below what waits, so that nothing moves when it goes. */
export function AskPush() {
  const room = useRoom();
  const isLater = useSignal(wasPutOff());
  const trouble = useSignal("");
  const isBusy = useSignal(false);
  if (isLater.value || impossible() !== null) return null;
  if (push.value.at === "on" || (Notification.permission !== "default" && trouble.value === "")) return null;
  const on = async (): Promise<void> => {
    isBusy.value = true;
    trouble.value = (await turnOn(room.http))?.text ?? "";
    isBusy.value = false;
  };
  const later = (): void => {
    putOff();
    isLater.value = true;
  };
  return (
    <section class="group" aria-label="Notifications">
      <div class="callout">
        <Icon name="bell" />
        <div class="grow">
          <p><b>Be told when something waits for you.</b> A question, an agent at a prompt, finished work, trouble. Each once, none for what you read elsewhere.</p>
          {trouble.value === "" ? null : <p role="alert">{line(trouble.value)}</p>}
          <p class="ask-push">
            <button class="btn btn-primary" type="button" disabled={isBusy.value} onClick={() => void on()}>Turn on</button>
            <button class="btn btn-plain" type="button" onClick={later}>Not now</button>
          </p>
        </div>
      </div>
    </section>
  );
}

/** Said once, it is said: Settings has the switch. */
function wasPutOff(): boolean {
  try {
    return localStorage.getItem(NAME) !== null;
  } catch {
    return false;
  }
}

function putOff(): void {
  try {
    localStorage.setItem(NAME, "1");
  } catch {
    // Nothing is kept here: it is offered again with the next page.
  }
}
