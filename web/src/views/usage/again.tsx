/** Has all machines read again what accounts have left. What is new comes as an event. */
import { useState } from "preact/hooks";

import type { ReadingAsked } from "../../api/types";
import { line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { showToast } from "../../parts/toast";

export function ReadAgain(props: { machineName: (id: string) => string }) {
  const room = useRoom();
  const [isAsking, setAsking] = useState(false);
  const ask = async () => {
    setAsking(true);
    const answer = await room.http.request<ReadingAsked>("POST", "/accounts/read");
    setAsking(false);
    if (!answer.ok) return showToast({ text: line(answer.refusal.text, 200) });
    const away = answer.value.missing.map(props.machineName);
    showToast({ text: away.length === 0 ? "The machines read again. A service that was just asked, or that refuses, is asked later." : `Read again, but not on ${away.join(", ")}: away.` });
  };
  return (
    <button class="icon-btn" type="button" aria-label="Read again" title="Read again" disabled={isAsking} onClick={() => void ask()}>
      <Icon name="refresh" />
    </button>
  );
}
