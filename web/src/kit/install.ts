/** The browser's offer to install the app: it comes when the browser likes, and is kept until the person wants it. */
import { signal, type ReadonlySignal } from "@preact/signals";

interface InstallOffer extends Event {
  prompt(): Promise<{ outcome: "accepted" | "dismissed" }>;
}

let offer: InstallOffer | null = null;
const isOffered = signal(false);

export const canInstall: ReadonlySignal<boolean> = isOffered;

/** Keep the offer from the moment that the page is loaded. */
export function keepInstallOffer(): void {
  window.addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    offer = event as InstallOffer;
    isOffered.value = true;
  });
  window.addEventListener("appinstalled", () => {
    offer = null;
    isOffered.value = false;
  });
}

/** Whether the person installed it. */
export async function install(): Promise<boolean> {
  const now = offer;
  if (now === null) return false;
  offer = null;
  isOffered.value = false;
  return (await now.prompt()).outcome === "accepted";
}
