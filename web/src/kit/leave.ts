/**
 * What has to be written down before the page goes: drafts, most of all.
 *
 * Views register their work; it runs when the page is hidden (a phone may never show it again) and before the
 * page is loaded anew for a new version, which waits for it.
 */
type Work = () => Promise<unknown>;

const works = new Set<Work>();

/** How long a new version waits for the storage; by then it is broken, and has said so. */
const WITHIN_MS = 3_000;

/** Do this before the page goes. Returns how to take it back. */
export function beforeLeaving(work: Work): () => void {
  works.add(work);
  return () => works.delete(work);
}

/** Write everything down. True: all of it is. */
export async function writeDown(): Promise<boolean> {
  const all = Promise.all([...works].map((work) => work().then(() => true, () => false)));
  const late = new Promise<boolean[]>((resolve) => setTimeout(() => resolve([false]), WITHIN_MS));
  return (await Promise.race([all, late])).every(Boolean);
}

/** Listen for the page's end; once, at the start. */
export function watchForLeaving(page: Document, window: Window): void {
  page.addEventListener("visibilitychange", () => {
    if (page.visibilityState === "hidden") void writeDown();
  });
  window.addEventListener("pagehide", () => void writeDown());
}
