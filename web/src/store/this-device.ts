/**
 * What this browser gives the app and what not: each with its state, what it is for, and how to change it. Chats and
 * answers need none of them. Pure: what the browser says comes in as a `Probe`.
 */

export type Permission = "granted" | "denied" | "prompt" | "unknown";

export interface Probe {
  isSecure: boolean;
  notifications: Permission | "missing";
  camera: Permission | "missing";
  microphone: Permission | "missing";
  passkeys: number;
  /** Why passkeys cannot be used here; null: they can. */
  passkeyTrouble: string | null;
  /** Whether the browser promised to keep what is stored; null: it does not say. */
  isKept: boolean | null;
  usedBytes: number | null;
  isInstalled: boolean;
  /** The browser offers to install now. */
  canInstall: boolean;
  isIos: boolean;
}

export type FactName = "notifications" | "camera" | "microphone" | "passkey" | "stored" | "installed";
export type FactAct = "ask" | "keep" | "install" | "passkey";

export interface Fact {
  name: FactName;
  title: string;
  icon: string;
  state: string;
  isOn: boolean;
  purpose: string;
  /** How it is changed; "" when a button does it. */
  how: string;
  act: FactAct | null;
}

const IN_BROWSER = "Change it in the browser’s settings for this page.";
const HTTPS = "Needs HTTPS: on the hub’s machine, controlroom up --tailscale.";

export function factsOf(probe: Probe): Fact[] {
  return [
    {
      ...permission(probe.notifications, probe.isSecure),
      name: "notifications", title: "Notifications", icon: "bell",
      purpose: "Tell you when an agent waits for you. See Notifications.",
    },
    {
      ...permission(probe.camera, probe.isSecure, "The browser asks when you scan a code."),
      name: "camera", title: "Camera", icon: "camera",
      purpose: "Scans pairing codes. Photos for agents are taken by the phone’s own camera app and need nothing.",
    },
    {
      ...permission(probe.microphone, probe.isSecure, "Nothing asks for it."),
      name: "microphone", title: "Microphone", icon: "mic",
      purpose: "Not used by this version. Your keyboard’s own dictation works without it.",
    },
    passkey(probe),
    stored(probe),
    installed(probe),
  ];
}

type Variable = Pick<Fact, "state" | "isOn" | "how" | "act">;

function permission(said: Probe["camera"], isSecure: boolean, whenAsked?: string): Variable {
  if (!isSecure) return { state: "Not possible over plain HTTP", isOn: false, how: HTTPS, act: null };
  switch (said) {
    case "granted":
      return { state: "Allowed", isOn: true, how: IN_BROWSER, act: null };
    case "denied":
      return { state: "Denied", isOn: false, how: IN_BROWSER, act: null };
    case "prompt":
      return { state: "Not asked yet", isOn: false, how: whenAsked ?? "", act: whenAsked === undefined ? "ask" : null };
    case "missing":
      return { state: "This browser has none", isOn: false, how: "Try another browser, or install the app.", act: null };
    case "unknown":
      return { state: "The browser does not say", isOn: false, how: whenAsked ?? IN_BROWSER, act: null };
  }
}

function passkey(probe: Probe): Fact {
  const { passkeys, passkeyTrouble } = probe;
  const base = {
    name: "passkey", title: "Passkey", icon: "face",
    purpose: "Unlocks this app with your face, finger or PIN, and brings this browser back when it lost its login.",
  } as const;
  if (passkeys > 0) return { ...base, state: passkeys === 1 ? "Made" : `${passkeys} made`, isOn: true, how: "See Lock.", act: null };
  if (passkeyTrouble !== null) return { ...base, state: "Not possible here", isOn: false, how: passkeyTrouble, act: null };
  return { ...base, state: "None yet", isOn: false, how: "", act: "passkey" };
}

function stored(probe: Probe): Fact {
  const used = probe.usedBytes === null ? "" : ` · ${bytesInWords(probe.usedBytes)} used`;
  const base = {
    name: "stored", title: "Stored data kept", icon: "doc",
    purpose: "Drafts and unsent messages stay on this device also when it runs out of space.",
  } as const;
  if (!probe.isSecure) return { ...base, state: `May be removed by the browser${used}`, isOn: false, how: HTTPS, act: null };
  if (probe.isKept === null) return { ...base, state: `The browser does not say${used}`, isOn: false, how: "", act: null };
  return probe.isKept
    ? { ...base, state: `Kept${used}`, isOn: true, how: "Signing out removes it.", act: null }
    : { ...base, state: `May be removed by the browser${used}`, isOn: false, how: "", act: "keep" };
}

function installed(probe: Probe): Fact {
  const base = {
    name: "installed", title: "Installed", icon: "phone",
    purpose: "Opens like an app, takes what other apps share, and may send notifications on iPhone.",
  } as const;
  if (probe.isInstalled) return { ...base, state: "Installed", isOn: true, how: "Remove it like any app.", act: null };
  if (!probe.isSecure) return { ...base, state: "Not possible over plain HTTP", isOn: false, how: HTTPS, act: null };
  if (probe.canInstall) return { ...base, state: "Open in the browser", isOn: false, how: "", act: "install" };
  const how = probe.isIos ? "Tap Share, then Add to Home Screen. Pair it once more there." : "Use the browser’s menu: Install, or Add to home screen.";
  return { ...base, state: "Open in the browser", isOn: false, how, act: null };
}

export function bytesInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}
