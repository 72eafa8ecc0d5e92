/**
 * What was shared to the installed app, kept until the person picks an agent for it (`shared` store). Sharing never
 * sends: it becomes a draft. Any page can post such a form, so there are few, and they are small.
 */
import type { Database, Stored } from "./idb";

export interface SharedFile {
  name: string;
  type: string;
  bytes: Blob;
}

export interface SharedThing {
  id: string;
  atMs: number;
  title: string;
  text: string;
  url: string;
  files: SharedFile[];
  /** Names of files that were too many or too large to keep. */
  dropped: string[];
}

export const MOST_SHARED = 10;
export const MOST_FILES = 20;
export const MOST_BYTES = 128 * 1024 * 1024;
const MOST_TEXT = 200_000;

/** What a posted form holds. Files that are too much are named in `dropped`. */
export function sharedOf(form: FormData, id: string, atMs: number): SharedThing {
  const files: SharedFile[] = [];
  const dropped: string[] = [];
  let bytes = 0;
  for (const entry of form.getAll("files")) {
    if (typeof entry === "string" || (entry.size === 0 && entry.name === "")) continue;
    const name = entry.name.slice(0, 200);
    if (files.length >= MOST_FILES || bytes + entry.size > MOST_BYTES) {
      dropped.push(name);
      continue;
    }
    bytes += entry.size;
    files.push({ name, type: entry.type, bytes: entry });
  }
  return { id, atMs, title: word(form, "title"), text: word(form, "text"), url: word(form, "url"), files, dropped };
}

function word(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.slice(0, MOST_TEXT) : "";
}

/** Keeps it, and the newest others. */
export async function keepShared(database: Database, thing: SharedThing): Promise<Stored<null>> {
  const known = await database.entries<SharedThing>("shared");
  const others = known.ok ? known.value.sort(([, one], [, other]) => other.atMs - one.atMs) : [];
  const tooMany = others.slice(MOST_SHARED - 1).map(([id]) => ({ store: "shared", drop: id }) as const);
  return database.change([...tooMany, { store: "shared", put: thing.id, value: thing }]);
}

/** What waits for an agent, the newest first. */
export async function sharedThings(database: Database): Promise<Stored<SharedThing[]>> {
  const known = await database.entries<SharedThing>("shared");
  if (!known.ok) return known;
  return { ok: true, value: known.value.map(([, thing]) => thing).sort((one, other) => other.atMs - one.atMs) };
}
