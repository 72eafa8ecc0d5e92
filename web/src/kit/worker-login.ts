/**
 * The page's half of its login for the worker: it answers from a notification while no page is open, and cannot read
 * the page's own storage. Kept only on a device that gets notifications, in the same browser's storage of this origin.
 */
import type { Database } from "./idb";

const NAME = "worker.key";

export async function keepWorkerKey(database: Database, key: string | null): Promise<void> {
  await (key === null ? database.drop("meta", NAME) : database.put("meta", NAME, key));
}

export async function readWorkerKey(database: Database): Promise<string | null> {
  const kept = await database.get<string>("meta", NAME);
  return kept.ok && typeof kept.value === "string" ? kept.value : null;
}
