/** What the worker does with a request. Pure. Whatever is not a file of this version goes to the network untouched. */
export type Plan =
  | "shell" // a place in the app: the page itself
  | "file" // one of the files that this version consists of
  | "share" // something was shared to the installed app
  | "network";

export interface Asked {
  method: string;
  url: string;
  mode: string;
}

export const SCOPE = "/app/";
export const SHARE = "/app/share";
export const SHARED = "/app/shared";
/** A page of its own, for widgets. */
export const GLANCE = "/app/glance";

/** `files`: paths below the origin, as they are kept. */
export function plan(asked: Asked, origin: string, files: ReadonlySet<string>): Plan {
  const url = new URL(asked.url);
  if (url.origin !== origin || !url.pathname.startsWith(SCOPE)) return "network";
  if (asked.method === "POST") return url.pathname === SHARE && asked.mode === "navigate" ? "share" : "network";
  if (asked.method !== "GET") return "network";
  if (files.has(url.pathname)) return "file";
  if (url.pathname === GLANCE) return "network";
  const isFile = /\.[a-z0-9]{1,12}$/iu.test(url.pathname) || url.pathname.startsWith(`${SCOPE}assets/`);
  return asked.mode === "navigate" && !isFile ? "shell" : "network";
}

/**
 * Which older caches nobody needs any more. A tab that still runs an older version loads its later parts from the
 * cache of that version; the hub has only those of the newest.
 */
export function unneeded(caches: readonly { name: string; files: ReadonlySet<string> }[], own: string, inUse: readonly string[]): string[] {
  const ownFiles = caches.find((one) => one.name === own)?.files ?? new Set();
  const older = inUse.filter((script) => !ownFiles.has(script));
  return caches.filter((one) => one.name !== own && !older.some((script) => one.files.has(script))).map((one) => one.name);
}
