/**
 * Drafts that were changed a moment before the page went: IndexedDB answers too late for them, so their texts are
 * put into the page's synchronous storage, and taken back into the database by the next page.
 */
const KEY = "controlroom.last-words";
const LONGEST = 256 * 1024; // characters of all of them; longer texts become attachments while they are pasted

/** Keeps the values now, before anything else can happen. False: there is no room, or no storage. */
export function keepLastWords(values: readonly unknown[]): boolean {
  try {
    const text = JSON.stringify(values);
    if (text.length > LONGEST) return false;
    localStorage.setItem(KEY, text);
    return true;
  } catch {
    return false;
  }
}

/** What was kept, if anything. It stays until `forgetLastWords`. */
export function readLastWords(): unknown[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** They are in the database now. */
export function forgetLastWords(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // no storage: nothing was kept either
  }
}
