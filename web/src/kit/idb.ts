/**
 * What this device keeps: one IndexedDB database with named stores. The page and its service worker use the
 * same one, and so do all tabs.
 *
 * An answer is a value, never an exception: storage may be denied (private mode, a setting), full, or held by an
 * older tab, and each of these has to be said where something was to be kept. A write counts only when its
 * transaction is on disk.
 */

export const STORES = ["outbox", "drafts", "bytes", "shared", "meta"] as const;
export type StoreName = (typeof STORES)[number];

/** `denied`: the browser keeps nothing here. `full`: no room. `blocked`: another tab holds older data open. */
export interface StorageTrouble {
  kind: "denied" | "full" | "blocked" | "broken";
  text: string;
}

export type Stored<T> = { ok: true; value: T } | { ok: false; trouble: StorageTrouble };

/** One step of a change; all steps of a change happen, or none. */
export type Step = { store: StoreName; put: string; value: unknown } | { store: StoreName; drop: string };

const NAME = "controlroom";
/** Raise it when a store is added; `grow` then makes what is missing. Stores are never renamed or reused. */
const VERSION = 1;
const OPEN_WITHIN_MS = 8_000; // Safari may never answer after the device has slept; blocked tabs answer late

export class Database {
  private opening: Promise<Stored<IDBDatabase>> | null = null;
  private readonly channel: BroadcastChannel | null;
  private readonly listeners = new Set<(stores: readonly StoreName[]) => void>();

  constructor(private readonly factory: IDBFactory | undefined = globalThis.indexedDB) {
    this.channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(`${NAME}.stores`) : null;
    if (this.channel !== null) {
      this.channel.onmessage = (message: MessageEvent<readonly StoreName[]>) => this.tell(message.data);
    }
  }

  /** The value of a key; undefined when there is none. */
  get<T>(store: StoreName, key: string): Promise<Stored<T | undefined>> {
    return this.read(store, (objects) => objects.get(key) as IDBRequest<T | undefined>);
  }

  /** All keys with their values, by key. */
  async entries<T>(store: StoreName): Promise<Stored<[string, T][]>> {
    const keys: IDBValidKey[] = [];
    const values = await this.read<T[]>(store, (objects) => {
      objects.getAllKeys().onsuccess = (event) => keys.push(...(event.target as IDBRequest<IDBValidKey[]>).result);
      return objects.getAll() as IDBRequest<T[]>;
    });
    if (!values.ok) return values;
    return { ok: true, value: values.value.map((value, at) => [String(keys[at]), value]) };
  }

  put(store: StoreName, key: string, value: unknown): Promise<Stored<null>> {
    return this.change([{ store, put: key, value }]);
  }

  drop(store: StoreName, key: string): Promise<Stored<null>> {
    return this.change([{ store, drop: key }]);
  }

  /** Do all of this, or nothing. Resolves when it is on disk. */
  async change(steps: readonly Step[]): Promise<Stored<null>> {
    if (steps.length === 0) return { ok: true, value: null };
    const names = [...new Set(steps.map((step) => step.store))];
    const done = await this.within<null>(names, "readwrite", (transaction) => {
      for (const step of steps) {
        const objects = transaction.objectStore(step.store);
        if ("put" in step) objects.put(step.value, step.put);
        else objects.delete(step.drop);
      }
      return () => null;
    });
    if (done.ok) {
      this.tell(names);
      this.channel?.postMessage(names);
    }
    return done;
  }

  /** Hear which stores changed, here or in another tab. Returns how to stop. */
  onChange(listener: (stores: readonly StoreName[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    const opened = await this.opening;
    this.opening = null;
    if (opened?.ok) opened.value.close();
    this.channel?.close();
  }

  private tell(stores: readonly StoreName[]): void {
    for (const listener of this.listeners) listener(stores);
  }

  private read<T>(store: StoreName, ask: (objects: IDBObjectStore) => IDBRequest<T>): Promise<Stored<T>> {
    return this.within([store], "readonly", (transaction) => {
      const request = ask(transaction.objectStore(store));
      return () => request.result;
    });
  }

  /** Runs `work` in one transaction; once more when the browser had dropped the connection meanwhile. */
  private async within<T>(
    stores: readonly StoreName[],
    mode: IDBTransactionMode,
    work: (transaction: IDBTransaction) => () => T,
  ): Promise<Stored<T>> {
    for (const isLast of [false, true]) {
      const opened = await this.open();
      if (!opened.ok) return opened;
      try {
        const transaction = opened.value.transaction(stores, mode, { durability: "strict" });
        return { ok: true, value: await completed(transaction, asked(transaction, work)) };
      } catch (error) {
        const isLost = error instanceof DOMException && error.name === "InvalidStateError";
        if (isLost) this.opening = null;
        if (!isLost || isLast) return { ok: false, trouble: troubleOf(error) };
      }
    }
    return { ok: false, trouble: troubleOf(null) };
  }

  private async open(): Promise<Stored<IDBDatabase>> {
    this.opening ??= connect(this.factory, () => (this.opening = null));
    const opened = await this.opening;
    if (!opened.ok) this.opening = null; // the next one tries again
    return opened;
  }
}

function connect(factory: IDBFactory | undefined, onLost: () => void): Promise<Stored<IDBDatabase>> {
  return new Promise((resolve) => {
    const fail = (trouble: StorageTrouble) => resolve({ ok: false, trouble });
    if (factory === undefined) return fail(DENIED);
    let request: IDBOpenDBRequest;
    try {
      request = factory.open(NAME, VERSION);
    } catch (error) {
      return fail(troubleOf(error));
    }
    let isBlocked = false;
    const timer = setTimeout(() => fail(isBlocked ? BLOCKED : troubleOf(null)), OPEN_WITHIN_MS);
    request.onupgradeneeded = () => grow(request.result);
    request.onblocked = () => (isBlocked = true);
    request.onerror = () => {
      clearTimeout(timer);
      fail(troubleOf(request.error));
    };
    request.onsuccess = () => {
      clearTimeout(timer);
      const database = request.result;
      // A newer version of the app wants to change the stores: it must not wait for this tab.
      database.onversionchange = () => {
        database.close();
        onLost();
      };
      database.onclose = onLost;
      resolve({ ok: true, value: database });
    };
  });
}

function grow(database: IDBDatabase): void {
  for (const name of STORES) {
    if (!database.objectStoreNames.contains(name)) database.createObjectStore(name);
  }
}

/** Asks for all of it; when one step cannot even be asked for, none of the others may happen. */
function asked<T>(transaction: IDBTransaction, work: (transaction: IDBTransaction) => () => T): () => T {
  try {
    return work(transaction);
  } catch (error) {
    transaction.abort();
    throw error;
  }
}

function completed<T>(transaction: IDBTransaction, result: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(result());
    transaction.onabort = () => reject(transaction.error ?? new DOMException("aborted", "AbortError"));
  });
}

const DENIED: StorageTrouble = { kind: "denied", text: "This browser keeps nothing for this page (private mode, or a setting)." };
const BLOCKED: StorageTrouble = { kind: "blocked", text: "An older tab of this app holds its data open. Close that tab." };

function troubleOf(error: unknown): StorageTrouble {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  switch (name) {
    case "QuotaExceededError":
      return { kind: "full", text: "This device has no room left for this app." };
    case "SecurityError":
    case "NotAllowedError":
      return DENIED;
    case "VersionError":
      return { kind: "blocked", text: "A newer version of this app has changed its data. Load the page anew." };
    default:
      return { kind: "broken", text: "This device's storage does not answer. What you write is only kept while this page is open." };
  }
}

let shared: Database | null = null;

/** The database of this page. */
export function database(): Database {
  shared ??= new Database();
  return shared;
}
