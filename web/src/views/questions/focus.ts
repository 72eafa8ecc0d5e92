/**
 * Which card had the focus last. A button that is pressed is disabled and then gone, and the browser forgets that the
 * focus was there: whoever works with keys must not begin at the top of the page again.
 */
let last: string | null = null;

document.addEventListener("focusin", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  last = target?.closest<HTMLElement>("[data-question]")?.dataset["question"] ?? null;
});

/** The id of the question whose card had the focus last; null: something else did. */
export function lastFocused(): string | null {
  return last;
}

/** Whether anything has the focus now. */
export function hasFocus(): boolean {
  const active = document.activeElement;
  return active !== null && active !== document.body && active.isConnected;
}
