/** Typing needs the passkey; watching goes on meanwhile. */
import { useState } from "preact/hooks";

import { passkeyTrouble, PASSKEY_TROUBLE, unlock } from "../../kit/passkey";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";

export function UnlockHere({ what, onUnlocked }: { what: string; onUnlocked(): void }) {
  const { http } = useRoom();
  const [said, setSaid] = useState("");
  const [isBusy, setBusy] = useState(false);
  const trouble = passkeyTrouble();
  const open = async (): Promise<void> => {
    setBusy(true);
    const answer = await unlock(http);
    setBusy(false);
    if (answer.ok) onUnlocked();
    else setSaid(answer.refusal.text);
  };
  return (
    <div class="term-note" role="status">
      <Icon name="lock" small />
      <span class="grow">{said !== "" ? said : trouble !== null ? PASSKEY_TROUBLE[trouble] : what}</span>
      {trouble === null ? <button class="btn btn-line" type="button" disabled={isBusy} onClick={() => void open()}>Unlock</button> : null}
    </div>
  );
}
