/**
 * The drafts of this device, kept on its disk: written a moment after a change, and at once when the page is hidden.
 *
 * A page that ends does not wait for its database. What was just written goes into the page's small, synchronous
 * storage then, and from there into the database when the app is opened the next time.
 */
import { signal, type ReadonlySignal } from "@preact/signals";

import type { Database, StorageTrouble, Step } from "../kit/idb";
import { forgetLastWords, keepLastWords, readLastWords } from "../kit/last-words";
import { beforeLeaving } from "../kit/leave";
import { behindKept, emptyDraft, fit, isDraft, isEmpty, type Draft, type Fit } from "../store/drafts";
import type { OutFile, OutMessage } from "../store/outbox";

const WRITE_AFTER_MS = 400;

export class Drafts {
  private readonly all = signal<ReadonlyMap<string, Draft>>(new Map());
  private readonly problem = signal<StorageTrouble | null>(null);
  private readonly full = signal<ReadonlyMap<string, Extract<Fit, { fits: false }>>>(new Map());
  private readonly dirty = new Set<string>();
  /** Changes that are not known to be on disk, by chat. */
  private readonly unwritten = new Map<string, Draft>();
  /** Drafts that are over, by chat with their last change: a read that began before must not bring them back. */
  private readonly over = new Map<string, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isLoaded = false;

  constructor(private readonly database: Database) {}

  get drafts(): ReadonlySignal<ReadonlyMap<string, Draft>> {
    return this.all;
  }

  get trouble(): ReadonlySignal<StorageTrouble | null> {
    return this.problem;
  }

  /** Drafts that are not kept because there is no room for them, with what would make room. */
  get unkept(): ReadonlySignal<ReadonlyMap<string, Extract<Fit, { fits: false }>>> {
    return this.full;
  }

  async start(): Promise<void> {
    await this.load();
    this.takeLastWords();
    this.database.onChange((stores) => {
      if (stores.includes("drafts")) void this.load();
    });
    beforeLeaving(async () => {
      if (this.unwritten.size > 0) keepLastWords([...this.unwritten.values()]);
      await this.flush();
      if (this.problem.value !== null || this.full.value.size > 0) throw new Error("there are drafts that are not kept");
    });
  }

  of(chatId: string, agentId: string): Draft {
    return this.all.value.get(chatId) ?? emptyDraft(chatId, agentId);
  }

  /** Its time always grows, whatever the clock of this device does: the newest words win. */
  change(given: Draft): void {
    const before = this.all.value.get(given.chatId)?.changedMs ?? 0;
    const draft = given.changedMs > before ? given : { ...given, changedMs: before + 1 };
    this.all.value = new Map(this.all.value).set(draft.chatId, draft);
    this.dirty.add(draft.chatId);
    this.over.delete(draft.chatId);
    this.unwritten.set(draft.chatId, draft);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), WRITE_AFTER_MS);
  }

  /** Keeps the bytes of a file. False: the disk did not take them, they live in the page only. */
  async keepBytes(id: string, bytes: Blob): Promise<boolean> {
    const kept = await this.database.put("bytes", id, bytes);
    if (!kept.ok) this.problem.value = kept.trouble;
    return kept.ok;
  }

  async dropBytes(id: string): Promise<void> {
    await this.database.drop("bytes", id);
  }

  /** Writes down what has changed. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    const steps: Step[] = [];
    const full = new Map(this.full.value);
    for (const chatId of this.dirty) {
      const draft = this.all.value.get(chatId);
      full.delete(chatId);
      if (draft === undefined || isEmpty(draft)) {
        steps.push({ store: "drafts", drop: chatId });
        continue;
      }
      const room = fit(this.all.value.values(), draft);
      if (room.fits) steps.push({ store: "drafts", put: chatId, value: draft });
      else full.set(chatId, room);
    }
    this.dirty.clear();
    this.full.value = full;
    if (steps.length === 0) return;
    const written = [...this.unwritten.values()];
    const done = await this.database.change(steps);
    this.problem.value = done.ok ? null : done.trouble;
    if (done.ok) this.areWritten(written);
  }

  /** What goes with a message that is sent: its draft is over. */
  sent(chatId: string): Step[] {
    this.dirty.delete(chatId);
    this.unwritten.delete(chatId);
    if (this.unwritten.size === 0) forgetLastWords();
    const all = new Map(this.all.value);
    this.over.set(chatId, all.get(chatId)?.changedMs ?? 0);
    all.delete(chatId);
    this.all.value = all;
    return [{ store: "drafts", drop: chatId }];
  }

  /** A person lets a draft go, with its bytes. */
  async drop(draft: Draft): Promise<void> {
    const steps = this.sent(draft.chatId);
    await this.database.change([...steps, ...draft.files.map((file): Step => ({ store: "bytes", drop: file.id }))]);
    for (const chatId of this.full.value.keys()) this.dirty.add(chatId); // one of them may fit now
    await this.flush();
  }

  /** Forgets bytes that nothing names any more: a page died between two steps. */
  async tidy(messages: Iterable<OutMessage>): Promise<void> {
    const named = new Set<string>();
    const add = (files: readonly OutFile[]): void => files.forEach((file) => named.add(file.id));
    for (const draft of this.all.value.values()) add(draft.files);
    for (const message of messages) add(message.files);
    const found = await this.database.entries<Blob>("bytes");
    if (!found.ok) return;
    const steps = found.value.filter(([id]) => isOld(id) && !named.has(id));
    await this.database.change(steps.map(([id]) => ({ store: "bytes", drop: id })));
  }

  private areWritten(drafts: readonly Draft[]): void {
    for (const draft of drafts) {
      if (this.unwritten.get(draft.chatId) === draft) this.unwritten.delete(draft.chatId);
    }
    if (this.unwritten.size === 0) forgetLastWords();
  }

  /** What an earlier page wrote down as it went, where it is newer than what lies on the disk. */
  private takeLastWords(): void {
    for (const draft of readLastWords().filter(isDraft)) {
      const kept = this.all.value.get(draft.chatId);
      if (kept === undefined || draft.changedMs > kept.changedMs) this.change(draft);
    }
    if (this.unwritten.size === 0) forgetLastWords();
  }

  private async load(): Promise<void> {
    const found = await this.database.entries<Draft>("drafts");
    if (!found.ok) {
      this.problem.value = found.trouble;
      return;
    }
    const all = new Map(found.value.filter(([chatId, draft]) => draft.changedMs > (this.over.get(chatId) ?? -1)));
    // What is written right now is newer than what lies on the disk; what is not kept is only here.
    for (const [chatId, draft] of this.all.value) {
      const kept = all.get(chatId);
      const isOurs = this.unwritten.has(chatId) || this.full.value.has(chatId) || !this.isLoaded || this.problem.value !== null;
      if (!isOurs) continue;
      if (!this.isLoaded && kept !== undefined) all.set(chatId, behindKept(kept, draft)); // typed before the disk answered
      else if (kept === undefined || draft.changedMs >= kept.changedMs) all.set(chatId, draft);
    }
    this.isLoaded = true;
    this.all.value = all;
  }
}

/** Another tab may just be about to name it. */
const TIDY_AFTER_MS = 24 * 3600 * 1000;

function isOld(id: string): boolean {
  const made = parseInt(/^file_([0-9a-z]+)_/u.exec(id)?.[1] ?? "", 36);
  return Number.isFinite(made) && Date.now() - made > TIDY_AFTER_MS;
}
