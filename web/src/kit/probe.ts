/** Asks this browser what it gives the app. Nothing here asks the person. */
import type { Permission, Probe } from "../store/this-device";
import { isIos } from "../store/pairing";
import { isInstalled, thisBrowser } from "./browser";
import { canInstall } from "./install";
import { passkeyTrouble, PASSKEY_TROUBLE } from "./passkey";

export async function probe(passkeys: number): Promise<Probe> {
  const trouble = passkeyTrouble();
  const hasMedia = navigator.mediaDevices !== undefined;
  const [camera, microphone, isKept, usedBytes] = await Promise.all([
    hasMedia ? permission("camera") : ("missing" as const),
    hasMedia ? permission("microphone") : ("missing" as const),
    storageIsKept(),
    storageUsed(),
  ]);
  return {
    isSecure: window.isSecureContext,
    notifications: notifications(),
    camera,
    microphone,
    passkeys,
    passkeyTrouble: trouble === null ? null : PASSKEY_TROUBLE[trouble],
    isKept,
    usedBytes,
    isInstalled: isInstalled(),
    canInstall: canInstall.value,
    isIos: isIos(thisBrowser()),
  };
}

function notifications(): Probe["notifications"] {
  if (typeof Notification === "undefined") return "missing";
  return Notification.permission === "default" ? "prompt" : Notification.permission;
}

async function permission(name: "camera" | "microphone"): Promise<Permission> {
  try {
    return (await navigator.permissions.query({ name: name as PermissionName })).state;
  } catch {
    return "unknown";
  }
}

async function storageIsKept(): Promise<boolean | null> {
  try {
    return await navigator.storage.persisted();
  } catch {
    return null;
  }
}

async function storageUsed(): Promise<number | null> {
  try {
    return (await navigator.storage.estimate()).usage ?? null;
  } catch {
    return null;
  }
}
