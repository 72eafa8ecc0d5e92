/** Media queries as signals. */
import { signal, type ReadonlySignal } from "@preact/signals";

function media(query: string): ReadonlySignal<boolean> {
  const list = window.matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener("change", (event) => {
    matches.value = event.matches;
  });
  return matches;
}

/** List and detail stand side by side. */
export const isWide = media("(min-width: 56em)");
