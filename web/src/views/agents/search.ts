/** What is searched for in the list, kept while other tabs are open. */
import { signal } from "@preact/signals";

export const search = signal("");

/** Id of the field in the page. */
export const SEARCH_FIELD = "agent-search";

/** Counts up each time the search shall have the focus. */
export const searchWanted = signal(0);
