/** The locked screen: a number, nothing else (design unlock.html). */
import { useEffect, useRef, useState } from "preact/hooks";

import { span } from "../../kit/time";
import { askUnlock, passkeyTrouble, PASSKEY_TROUBLE, unlock, type PasskeyOptions } from "../../kit/passkey";
import { loadDevices, ownDevice } from "../../live/devices";
import { useRoom } from "../../live/room";
import { GateMark } from "../../parts/gate-mark";
import { Icon } from "../../parts/icon";

export interface UnlockViewProps {
  /** The passkey was shown and the hub has opened. */
  onUnlocked(): void;
}

const ASK_EVERY_MS = 60_000; // the number changes, and a challenge does not live for ever

export function UnlockView(props: UnlockViewProps) {
  const room = useRoom();
  const { http } = room;
  const button = useRef<HTMLButtonElement>(null);
  const [asked, setAsked] = useState<PasskeyOptions | null>(null);
  const [said, setSaid] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [isHelping, setHelping] = useState(false);
  const trouble = passkeyTrouble();

  const ask = async (): Promise<void> => {
    const answer = await askUnlock(http);
    if (answer.ok) setAsked(answer.value);
    else if (answer.refusal.code === "not_found" && (await isOff())) props.onUnlocked();
    else if (answer.refusal.code === "unreachable") setSaid("The control room does not answer. It stays locked until it does.");
    else setSaid(answer.refusal.text);
  };
  /** This page remembers a lock that the hub does not know: the hub decides. */
  const isOff = async (): Promise<boolean> => {
    const answer = await loadDevices(room);
    const device = answer.ok ? ownDevice(room) : null;
    return device !== null && !(device.lock?.app ?? false);
  };
  useEffect(() => {
    button.current?.focus({ preventScroll: true });
    void ask();
    const timer = setInterval(() => document.visibilityState === "visible" && void ask(), ASK_EVERY_MS);
    const seen = (): void => {
      if (document.visibilityState === "visible") void ask();
    };
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, []);

  const open = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setSaid("");
    const answer = await unlock(http, asked ?? undefined);
    setBusy(false);
    if (answer.ok) {
      props.onUnlocked();
      return;
    }
    setSaid(answer.refusal.code === "unreachable" ? "The control room does not answer. Try again when it does." : answer.refusal.text);
    void ask(); // what was asked is good for one try
  };

  return (
    <main class="gate" id="main">
      <div class="gate-in" style="text-align:center">
        <div style="display:grid;place-items:center"><GateMark /></div>
        <div class="stack-s">
          <h1>Locked</h1>
          <p class="second">{waitingWords(asked?.waiting ?? null)}</p>
        </div>
        <button
          ref={button} class="btn btn-primary btn-block" type="button" style="min-height:3.25rem"
          disabled={trouble !== null} aria-busy={isBusy} onClick={() => void open()}
        >
          <Icon name="face" />Unlock
        </button>
        <p role="status" class="second">{trouble === null ? said : PASSKEY_TROUBLE[trouble]}</p>
        <p class="sm muted">
          Uses the passkey of this device: face, fingerprint or PIN.
          {asked === null ? null : ` It locks again ${span(asked.idle_s * 1000)} after you leave.`}
        </p>
        <button class="btn btn-plain" type="button" aria-expanded={isHelping} onClick={() => setHelping(!isHelping)}>Can’t unlock?</button>
        {isHelping ? <Help /> : null}
      </div>
    </main>
  );
}

/** `7 things wait for you. …` */
export function waitingWords(waiting: number | null): string {
  const hidden = "Names and texts stay hidden until you unlock.";
  if (waiting === null) return hidden;
  if (waiting === 0) return `Nothing waits for you. ${hidden}`;
  return `${waiting === 1 ? "1 thing waits" : `${waiting} things wait`} for you. ${hidden}`;
}

function Help() {
  return (
    <div class="callout" style="text-align:start">
      <Icon name="info" />
      <div>
        <p>Is the passkey lost? Pair this device anew: run <code>controlroom pair</code> on the hub’s machine and use the code here. That ends the old pairing and its passkeys; chats and drafts stay.</p>
        <p><a class="btn btn-line" href="/app/pair">Pair this device</a></p>
      </div>
    </div>
  );
}
