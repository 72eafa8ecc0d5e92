/** Pairing: for a browser that is not a device of the hub yet, or not any more. */
import { useEffect, useId, useRef, useState } from "preact/hooks";

import type { Paired } from "../../api/types";
import { thisBrowser } from "../../kit/browser";
import { keepKey, readKey } from "../../kit/login";
import { passkeyTrouble, unlock } from "../../kit/passkey";
import { scanTrouble } from "../../kit/scan";
import { forgetLock, unlocked } from "../../live/lock";
import { useRoom } from "../../live/room";
import { ConnectionBadge } from "../../parts/connection-badge";
import { GateMark } from "../../parts/gate-mark";
import { Icon } from "../../parts/icon";
import { PlainReasons } from "../../parts/plain-reason";
import { connectionHere, type PlainReason } from "../../store/connection";
import { CODE_LENGTH, deviceName, isWholeCode, mustInstallFirst, tidyCode } from "../../store/pairing";
import { InstallFirst, PlainHttp } from "./callouts";
import { Scanner } from "./scanner";
import { againIn, pairTrouble, type PairTrouble } from "./trouble";
import "./pair.css";

export interface PairViewProps {
  /** From the link's fragment; opening it uses nothing up. */
  code?: string | undefined;
  /** This browser is a device now, and its key is kept. */
  onPaired(): void;
}

export function PairView(props: PairViewProps) {
  const room = useRoom();
  const given = props.code === undefined ? undefined : tidyCode(props.code);
  const [isHere, setHere] = useState(() => !mustInstallFirst(thisBrowser()));
  const kind = connectionHere(location.protocol, location.hostname);
  const { value: link } = room.link;
  return (
    <main class="gate" id="main">
      <div class="gate-in">
        <GateMark />
        <div class="stack-s">
          <h1>Pair this device</h1>
          <p class="second">On the hub’s machine, run <code>controlroom pair</code>, then scan or type the code.</p>
          <p><ConnectionBadge connection={{ kind, label: kind === "secure" ? "Secure" : "Plain, not encrypted" }} /></p>
        </div>
        {link.kind === "not_paired" && readKey() !== null ? (
          <div class="callout" role="status"><Icon name="info" /><p>{link.text}</p></div>
        ) : null}
        {isHere ? <PairForm key={given} code={given} isPlain={kind === "plain"} onPaired={props.onPaired} /> : <InstallFirst code={given} onHere={() => setHere(true)} />}
        {kind === "plain" || !window.isSecureContext ? <PlainHttp /> : null}
      </div>
    </main>
  );
}

function PairForm(props: { code: string | undefined; isPlain: boolean; onPaired(): void }) {
  const { http, link } = useRoom();
  const hint = useId();
  const input = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState(props.code ?? "");
  const [name, setName] = useState(() => deviceName(thisBrowser()));
  const [reason, setReason] = useState<PlainReason | null>(null);
  const [trouble, setTrouble] = useState<PairTrouble | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isScanning, setScanning] = useState(false);
  const [isForgetful, setForgetful] = useState(false);
  const nowMs = useSeconds(trouble?.againAtMs ?? null);
  const again = againIn(trouble, nowMs);
  const isReady = isWholeCode(code) && !isBusy && again === "" && (!props.isPlain || reason !== null);

  const pair = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isReady) {
      if (!isWholeCode(code)) input.current?.focus();
      return;
    }
    setBusy(true);
    const answer = await http.request<Paired>("POST", "/pair", { body: { code, device_name: name.trim() } });
    if (!answer.ok) {
      setTrouble(pairTrouble(answer.refusal, Date.now()));
      setBusy(false);
      if (answer.refusal.code === "not_paired") input.current?.select();
      return;
    }
    forgetLock(); // a new pairing has no passkeys yet
    const isKept = keepKey(answer.value.key ?? "");
    if (reason !== null) {
      await http.request("PATCH", `/devices/${answer.value.device.id}`, { body: { plain_reason: reason } });
    }
    setBusy(false);
    if (isKept) props.onPaired();
    else setForgetful(true);
  };

  if (isForgetful) return <Forgetful onGoOn={props.onPaired} />;
  const cannotScan = scanTrouble();
  return (
    <>
      {trouble === null ? null : (
        <div class="callout callout-fault" role="alert">
          <Icon name="warn" />
          <div><b>{trouble.title}</b><p>{trouble.text} {again}</p></div>
        </div>
      )}
      <form class="stack" onSubmit={(event) => void pair(event)} noValidate>
        <label class="field">
          <span class="field-label">Code</span>
          <input
            ref={input} class="input code-input" type="text" value={code} maxLength={CODE_LENGTH * 2} required
            autocomplete="one-time-code" autocapitalize="characters" autocorrect="off" spellcheck={false} inputMode="text"
            aria-describedby={hint} aria-invalid={trouble?.isCode === true}
            onInput={(event) => { setCode(tidyCode(event.currentTarget.value)); if (trouble?.isCode) setTrouble(null); }}
          />
          <span class="field-hint" id={hint}>6 letters and digits</span>
        </label>
        <label class="field">
          <span class="field-label">Name of this device</span>
          <input class="input" type="text" value={name} maxLength={80} autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        {props.isPlain ? <PlainReasons value={reason} onChange={setReason} /> : null}
        <button class="btn btn-primary btn-block" type="submit" aria-disabled={!isReady}>{isBusy ? "Pairing" : again === "" ? "Pair" : again}</button>
        <button class="btn btn-line btn-block" type="button" disabled={cannotScan !== null} onClick={() => setScanning(true)}>
          <Icon name="camera" small />Scan the QR code
        </button>
        {cannotScan === null ? null : <p class="sec-hint">{cannotScan}</p>}
      </form>
      {readKey() !== null && link.value.kind !== "not_paired" ? (
        <p class="sm muted">This browser is paired already. Pairing it again ends its earlier pairing, with its passkeys. <a href="/app/agents">Back to the agents</a></p>
      ) : <WithPasskey onPaired={props.onPaired} />}
      {isScanning ? (
        <Scanner onClose={() => setScanning(false)} onCode={(found) => { setScanning(false); setCode(found); setTrouble(null); }} />
      ) : null}
    </>
  );
}

/** A browser that lost its key but not its cookie: its passkey is as good as a new pairing. */
function WithPasskey(props: { onPaired(): void }) {
  const { http } = useRoom();
  const [said, setSaid] = useState("");
  if (passkeyTrouble() !== null) return null;
  const show = async (): Promise<void> => {
    const answer = await unlock(http);
    if (answer.ok) {
      unlocked();
      props.onPaired();
    } else {
      const isUnknown = answer.refusal.code === "not_paired" || answer.refusal.code === "not_found";
      setSaid(isUnknown ? "No passkey of this browser is known here. Use a code." : answer.refusal.text);
    }
  };
  return (
    <div>
      <button class="btn btn-plain btn-block" type="button" onClick={() => void show()}>Paired before? Use the passkey</button>
      <p role="status" class="sec-hint">{said}</p>
    </div>
  );
}

/** Paired, but the browser keeps nothing: it will be a stranger again after this page. */
function Forgetful(props: { onGoOn(): void }) {
  return (
    <div class="callout callout-fault" role="alert">
      <Icon name="warn" />
      <div>
        <b>Paired, but this browser keeps nothing</b>
        <p>Its storage is full or denied, for example in a private window. It works until this page is closed; then pair it again.</p>
        <button class="btn btn-line" type="button" onClick={props.onGoOn}>Go on</button>
      </div>
    </div>
  );
}

/** The device's own clock, each second until this time. */
function useSeconds(untilMs: number | null): number {
  const [nowMs, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (untilMs === null) return;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= untilMs) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [untilMs]);
  return nowMs;
}
