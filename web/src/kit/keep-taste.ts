/** Keeps the settings of taste in the browser's storage, and follows what another tab of this device changes. */
import { changeTaste, defaults, parseTaste, taste } from "../store/taste";

const NAME = "controlroom.taste";

/** Read what was kept, then write each change down. A storage that is full or denied keeps it until reload. */
export function keepTaste(window: Window): void {
  const fallback = defaults(window.matchMedia("(hover: hover) and (pointer: fine)").matches);
  changeTaste(parseTaste(read(window), fallback));
  let isFollowing = true; // what comes from the storage is not written back to it
  taste.subscribe((value) => {
    const text = JSON.stringify(value);
    if (isFollowing) return;
    try {
      window.localStorage.setItem(NAME, text);
    } catch {
      // It counts until the page is loaded again.
    }
  });
  isFollowing = false;
  window.addEventListener("storage", (event) => {
    if (event.key !== NAME) return;
    isFollowing = true;
    changeTaste(parseTaste(event.newValue, fallback));
    isFollowing = false;
  });
}

function read(window: Window): string | null {
  try {
    return window.localStorage.getItem(NAME);
  } catch {
    return null;
  }
}
