/**
 * The page's half of its login: the key that pairing told once (house: the cookie alone is no login).
 *
 * It lies in the page's own storage. When that is denied it is kept until the page is closed, and `isKept` says so.
 */
const NAME = "controlroom.key";

/** A key that the browser did not take; it counts before whatever older one lies there. */
let memory: string | null = null;

export function readKey(): string | null {
  if (memory !== null) return memory;
  try {
    return localStorage.getItem(NAME);
  } catch {
    return null;
  }
}

/** Keep the key of a new pairing. False: the browser keeps nothing, so it is gone with this page. */
export function keepKey(key: string): boolean {
  try {
    localStorage.setItem(NAME, key);
    memory = null;
    return true;
  } catch {
    memory = key;
    return false;
  }
}

/** This device signed out. */
export function forgetKey(): void {
  memory = null;
  try {
    localStorage.removeItem(NAME);
  } catch {
    // There was nothing to keep it in.
  }
}

/** Hear when another tab of this device paired anew or signed out. */
export function onKeyChanged(listener: () => void): void {
  window.addEventListener("storage", (event) => {
    if (event.key === NAME || event.key === null) listener();
  });
}
