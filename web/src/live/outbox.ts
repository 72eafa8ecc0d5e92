/**
 * Sends the messages of this device: keeps them on its disk until the hub has them, in one tab at a time.
 *
 * What is decided is in `store/outbox.ts`; here it is done, and written down before it is done.
 */
import { signal, type ReadonlySignal } from "@preact/signals";

import type { Accepted, Message } from "../api/types";
import type { Answer, Http, Refusal } from "../api/http";
import { upload as uploadFile, type Attachment, type UploadOptions } from "../api/upload";
import type { Database, StorageTrouble, Step, Stored } from "../kit/idb";
import { beTheOne } from "../kit/one-tab";
import {
  behind, bodyOf, eventOf, isDone, next, step, takenUp, type OutEvent, type OutMessage,
} from "../store/outbox";

export interface OutboxParts {
  http: Http;
  database: Database;
  nowMs(): number;
  /** Whether it makes sense to ask the hub now. */
  mayAsk(): boolean;
  random?(): number;
  upload?(http: Http, bytes: Blob, name: string, options: UploadOptions): Promise<Answer<Attachment>>;
}

const AT_ONCE = 3;
const LOOK_AGAIN_MS = 15_000; // another tab may not be able to tell us
const TAKEN_BACK_TEXT = "It may be on its way already: look again in a moment.";

export class Outbox {
  private readonly all = signal<ReadonlyMap<string, OutMessage>>(new Map());
  private readonly problem = signal<StorageTrouble | null>(null);
  /** Bytes and messages that the disk did not take: they live as long as this page. */
  private readonly here = new Map<string, Blob>();
  private readonly unkept = new Set<string>();
  private readonly running = new Map<string, AbortController>();
  /** Of which the hub is asked whether they can be taken back: not tried again meanwhile. */
  private readonly asking = new Set<string>();
  /** A read of the disk that began before must not bring them back. */
  private readonly dropped = new Set<string>();
  private isTheOne = false;
  private isLoaded = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly stops: (() => void)[] = [];

  constructor(private readonly parts: OutboxParts) {}

  /** All messages of this device that the hub may not have, and those it has just taken. */
  get messages(): ReadonlySignal<ReadonlyMap<string, OutMessage>> {
    return this.all;
  }

  /** Why nothing can be kept here; null when it can. */
  get trouble(): ReadonlySignal<StorageTrouble | null> {
    return this.problem;
  }

  isKept(id: string): boolean {
    return !this.unkept.has(id);
  }

  async start(): Promise<void> {
    this.stops.push(
      this.parts.database.onChange((stores) => {
        if (stores.includes("outbox")) void this.load();
      }),
    );
    await this.load();
    this.isLoaded = true;
    this.stops.push(
      beTheOne("controlroom.outbox", this.parts.database, (isTheOne) => {
        this.isTheOne = isTheOne;
        void this.takeOver();
      }),
    );
    this.look();
  }

  stop(): void {
    for (const stop of this.stops.splice(0)) stop();
    for (const run of this.running.values()) run.abort();
    clearTimeout(this.timer);
  }

  /**
   * Takes a message over: from now on it is sent, whatever happens to the page. `steps` happen with it (its draft
   * goes). Resolves when it is on the disk, or it is known that it cannot be.
   */
  async add(given: OutMessage, steps: readonly Step[] = []): Promise<void> {
    const message = behind(this.all.value.values(), given);
    this.dropped.delete(message.id);
    this.set(message);
    const kept = await this.parts.database.change([...steps, { store: "outbox", put: message.id, value: message }]);
    if (!kept.ok) {
      this.problem.value = kept.trouble;
      this.unkept.add(message.id);
    } else this.problem.value = null;
    this.look();
  }

  /** Bytes of a file of this page, whether the disk has them or not; null: it is not wanted any more. */
  hold(fileId: string, bytes: Blob | null): void {
    if (bytes === null) this.here.delete(fileId);
    else this.here.set(fileId, bytes);
  }

  /** A person asks for another try now. */
  again(id: string): void {
    void this.happened(id, { type: "again", isPerson: true }).then(() => this.look());
  }

  /** The link came back: what waits goes now. */
  linkIsBack(): void {
    for (const message of this.all.value.values()) {
      if (message.state.kind === "saved" && message.state.nextMs > this.parts.nowMs()) {
        void this.happened(message.id, { type: "again", isPerson: false });
      }
    }
    this.look();
  }

  /**
   * Takes a message back that the hub has not accepted. "" when it is out; else why it cannot be said. Nothing of it
   * is ever sent later. The bytes of its files stay for whoever puts it into a draft again; else they are tidied up.
   */
  async takeBack(id: string): Promise<string> {
    const message = this.all.value.get(id);
    if (message === undefined) return "";
    const run = this.running.get(id);
    if (run !== undefined) {
      if (message.state.kind !== "sending" || message.state.total === undefined) return TAKEN_BACK_TEXT;
      run.abort(); // only its files were on their way
    } else if (message.tries > 0) {
      this.asking.add(id); // a next try behind this request would send what was taken back
      const answer = await this.parts.http.request<Message>("DELETE", `/messages/${encodeURIComponent(id)}`);
      this.asking.delete(id);
      if (!answer.ok && answer.refusal.code !== "not_found") {
        this.look();
        return answer.refusal.text;
      }
    }
    await this.drop(message, true);
    return "";
  }

  /** Forgets a message here; its bytes too unless `keepBytes` (they go into a draft). */
  async drop(message: OutMessage, keepBytes = false): Promise<void> {
    const all = new Map(this.all.value);
    all.delete(message.id);
    this.all.value = all;
    this.dropped.add(message.id);
    this.unkept.delete(message.id);
    await this.parts.database.change([
      { store: "outbox", drop: message.id },
      ...(keepBytes ? [] : message.files.map((file): Step => ({ store: "bytes", drop: file.id }))),
    ]);
  }

  /** The bytes of a file of this device; null: they are gone. */
  async bytesOf(fileId: string): Promise<Blob | null> {
    const held = this.here.get(fileId);
    if (held !== undefined) return held;
    const found = await this.parts.database.get<Blob>("bytes", fileId);
    return found.ok ? (found.value ?? null) : null;
  }

  // ---- inside --------------------------------------------------------------------------------------------------

  private async load(): Promise<void> {
    const found = await this.parts.database.entries<OutMessage>("outbox");
    if (!found.ok) {
      this.problem.value = found.trouble;
      return;
    }
    const all = new Map(found.value.filter(([id]) => !this.dropped.has(id)));
    for (const [id, message] of this.all.value) {
      // What this page does right now is newer than what lies on the disk.
      if (this.running.has(id) || this.unkept.has(id)) all.set(id, message);
    }
    this.all.value = all;
    if (this.isLoaded) this.look();
  }

  /** This tab sends from now on: what a page that is gone left half sent is nobody's. */
  private async takeOver(): Promise<void> {
    if (!this.isTheOne) return;
    await this.load();
    const now = this.parts.nowMs();
    for (const message of this.all.value.values()) {
      if (this.running.has(message.id)) continue;
      if (isDone(message, now)) void this.drop(message);
      else if (message.state.kind === "sending") await this.keep(takenUp(message, now));
    }
    this.look();
  }

  private look(): void {
    clearTimeout(this.timer);
    if (!this.isLoaded) return;
    const now = this.parts.nowMs();
    let atMs: number | null = null;
    while (this.parts.mayAsk() && this.running.size < AT_ONCE) {
      const mine = [...this.all.value.values()].filter((one) => (this.isTheOne || this.unkept.has(one.id)) && !this.asking.has(one.id));
      const found = next(mine, now);
      atMs = found.atMs;
      if (found.message === null) break;
      const message = step(found.message, { type: "try" }, now, this.random());
      this.set(message);
      const run = new AbortController();
      this.running.set(message.id, run);
      void this.send(message, run.signal).finally(() => {
        this.running.delete(message.id);
        this.look();
      });
    }
    const wait = atMs === null ? LOOK_AGAIN_MS : Math.min(Math.max(atMs - now, 0), LOOK_AGAIN_MS);
    this.timer = setTimeout(() => this.look(), wait);
  }

  private async send(message: OutMessage, signal: AbortSignal): Promise<void> {
    await this.keep(message);
    const refusal = await this.uploadFiles(message.id, signal);
    const ready = this.all.value.get(message.id);
    if (ready === undefined || signal.aborted) return; // taken back
    if (refusal !== null) {
      await this.happened(message.id, refusal);
      return;
    }
    const answer = await this.parts.http.request<Accepted>("POST", `/chats/${encodeURIComponent(ready.chatId)}/messages`, {
      body: bodyOf(ready),
    });
    if (answer.ok) return this.arrived(ready, { type: "accepted", state: answer.value.state });
    if (answer.refusal.code === "conflict" && (await this.isOurs(ready))) {
      return this.arrived(ready, { type: "accepted", state: "accepted" });
    }
    await this.happened(ready.id, eventOf(answer.refusal, ready.files.length > 0));
  }

  private async arrived(message: OutMessage, event: OutEvent): Promise<void> {
    await this.happened(message.id, event);
    await this.parts.database.change(message.files.map((file) => ({ store: "bytes", drop: file.id })));
    for (const file of message.files) this.here.delete(file.id);
  }

  /** The hub knows this id with another body: when it is this very text, an earlier try with other uploads got there. */
  private async isOurs(message: OutMessage): Promise<boolean> {
    const answer = await this.parts.http.request<Message>("GET", `/messages/${encodeURIComponent(message.id)}`);
    return answer.ok && answer.value.text === message.text;
  }

  private async uploadFiles(id: string, signal: AbortSignal): Promise<OutEvent | null> {
    const message = this.all.value.get(id);
    if (message === undefined) return null;
    const todo = message.files.filter((file) => file.uploadId === undefined);
    const total = todo.reduce((sum, file) => sum + file.size, 0);
    let before = 0;
    for (const file of todo) {
      const bytes = await this.bytesOf(file.id);
      if (bytes === null) return { type: "refused", code: "gone", why: `${file.name} is not on this device any more.` };
      const tell = (done: number): void => this.progress(id, before + done, total);
      tell(0);
      const answer = await (this.parts.upload ?? uploadFile)(this.parts.http, bytes, file.name, { onProgress: tell, signal });
      if (!answer.ok) return refusedUpload(answer.refusal);
      before += file.size;
      await this.happened(id, { type: "uploaded", fileId: file.id, uploadId: answer.value.id });
      this.progress(id, before, total);
    }
    const now = this.all.value.get(id);
    if (now?.state.kind === "sending") this.set({ ...now, state: { kind: "sending" } });
    return null;
  }

  private progress(id: string, done: number, total: number): void {
    const message = this.all.value.get(id);
    if (message !== undefined) this.set(step(message, { type: "progress", done, total }, this.parts.nowMs(), 0));
  }

  private async happened(id: string, event: OutEvent): Promise<void> {
    const message = this.all.value.get(id);
    if (message === undefined) return;
    const changed = step(message, event, this.parts.nowMs(), this.random());
    this.set(changed);
    await this.keep(changed);
  }

  private set(message: OutMessage): void {
    this.all.value = new Map(this.all.value).set(message.id, message);
  }

  private async keep(message: OutMessage): Promise<void> {
    const kept: Stored<null> = await this.parts.database.put("outbox", message.id, message);
    if (kept.ok) this.unkept.delete(message.id);
    else {
      this.problem.value = kept.trouble;
      this.unkept.add(message.id);
    }
  }

  private random(): number {
    return (this.parts.random ?? Math.random)();
  }
}

function refusedUpload(refusal: Refusal): OutEvent {
  if (refusal.code === "failed") return { type: "lost", why: refusal.text, afterMs: 10_000 }; // a full disk stays so a while
  return eventOf(refusal, false);
}
