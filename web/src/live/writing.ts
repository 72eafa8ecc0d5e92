/** Everything that is written on this device, for the whole page: its outbox, its drafts, and what may be uploaded. */
import { effect, signal, type ReadonlySignal } from "@preact/signals";

import type { components } from "../api/schema";
import { database, type Database } from "../kit/idb";
import { Drafts } from "./drafts";
import { Outbox } from "./outbox";
import type { Room } from "./room";

export type UploadLimits = components["schemas"]["UploadLimits"];

/** What holds until the hub has told its own. */
const USUAL: UploadLimits = { upload_bytes: 26_214_400, most: 10, unused_ms: 86_400_000, message_bytes: 1_048_576 };
const LIMITS_KEY = "upload-limits";

export interface Writing {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly drafts: Drafts;
  readonly limits: ReadonlySignal<UploadLimits>;
  /** Resolves when what lay on the disk is here. */
  readonly ready: Promise<void>;
}

let here: { room: Room; writing: Writing } | null = null;

/** The writing of this page; begun when it is asked for first. */
export function writing(room: Room): Writing {
  if (here?.room !== room) here = { room, writing: begin(room) };
  return here.writing;
}

function begin(room: Room): Writing {
  const disk = database();
  const limits = signal(USUAL);
  const drafts = new Drafts(disk);
  const outbox = new Outbox({
    http: room.http,
    database: disk,
    nowMs: () => room.nowMs(),
    mayAsk: () => !["offline", "not_paired", "locked", "not_allowed", "outdated"].includes(room.link.peek().kind),
  });
  const ready = (async () => {
    await drafts.start();
    await outbox.start();
    await drafts.tidy(outbox.messages.peek().values());
  })();
  const kept = disk.get<UploadLimits>("meta", LIMITS_KEY);
  void kept.then((found) => {
    if (found.ok && found.value !== undefined && limits.peek() === USUAL) limits.value = found.value;
  });
  effect(() => {
    if (room.link.value.kind !== "live") return;
    outbox.linkIsBack();
    void room.http.request<UploadLimits>("GET", "/uploads/limits").then((answer) => {
      if (!answer.ok) return;
      limits.value = answer.value;
      void disk.put("meta", LIMITS_KEY, answer.value);
    });
  });
  return { database: disk, outbox, drafts, limits, ready };
}

/** An id for a file of this device. It tells when it was made, so that what is left over can be tidied up. */
export function fileId(): string {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0"));
  return `file_${Date.now().toString(36)}_${random.join("")}`;
}
