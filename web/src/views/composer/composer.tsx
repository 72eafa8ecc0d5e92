/** The field in which a person writes to an agent, with its tray, its quote and the line about what waits. */
import "./composer.css";

import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentType } from "preact";

import type { Agent } from "../../api/types";
import { lazy } from "../../parts/lazy";
import { block, line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { writing } from "../../live/writing";
import { Icon } from "../../parts/icon";
import { Menu } from "../../parts/menu";
import { showToast } from "../../parts/toast";
import { age } from "../../kit/time";
import { isSendable, LONG_PASTE, PASTED_NAME, type Draft } from "../../store/drafts";
import { isWaiting, operationWords, underWayOf } from "../../store/operations";
import type { OutFile, Quote } from "../../store/outbox";
import type { AnnotateProps } from "./annotate";
import { Tray } from "./attachments";
import { addFiles, filesOf, replaceFile } from "./files";
import { Queue } from "./queue";
import { sendDraft, stopTurn } from "./sending";

const Annotate = lazy<AnnotateProps>(() => import("./annotate").then((module) => module.Annotate as ComponentType<AnnotateProps>));

export interface ComposerProps {
  agent: Agent;
  chatId: string;
}

const asked = signal<{ chatId: string; quote: Quote } | null>(null);
const LONGEST_QUOTE = 4_000;

/** Puts a quote into the composer of a chat and focuses it: for "Quote" and "Ask for changes". */
export function quoteInto(chatId: string, quote: Quote): void {
  asked.value = { chatId, quote: { author: quote.author, text: block(quote.text, LONGEST_QUOTE) } };
}

/** The field, its tray, and the line about what waits. Mount it once per chat, as the last child of the pane. */
export function Composer(props: ComposerProps) {
  const room = useRoom();
  const { outbox, drafts } = writing(room);
  const { agent, chatId } = props;
  const footer = useRef<HTMLElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const [drawn, setDrawn] = useState<OutFile | null>(null);
  const draftNow = (): Draft => drafts.drafts.peek().get(chatId) ?? drafts.of(chatId, agent.id);
  const draft = drafts.drafts.value.get(chatId) ?? drafts.of(chatId, agent.id);
  const change = (part: Partial<Draft>): void => drafts.change({ ...draftNow(), ...part, changedMs: room.nowMs() });

  const add = async (files: readonly File[]): Promise<void> => {
    const problem = await addFiles(writing(room), draftNow, files, room.nowMs());
    if (problem !== "") showToast({ text: problem });
  };
  const send = (): void => {
    const now = draftNow();
    if (!isSendable(now)) return;
    void sendDraft(room, now);
    field.current?.focus({ preventScroll: true });
  };

  const wish = asked.value;
  useEffect(() => {
    if (wish === null || wish.chatId !== chatId) return;
    asked.value = null;
    change({ quote: wish.quote });
    field.current?.focus();
  }, [wish, chatId]);
  useEffect(() => grow(field.current), [draft.text]);
  useEffect(() => () => void drafts.flush(), [chatId]);
  const isDropping = useDrop(footer, (files) => void add(files));

  const name = line(agent.name, 80);
  const acted = underWayOf(room.state.value.operations.values(), agent.id).find((one) => one.kind !== "rename" && !isWaiting(one));
  const isBusy = agent.activity === "working" || agent.activity === "helpers";
  const onPaste = (event: ClipboardEvent): void => {
    const files = filesOf(event.clipboardData);
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (files.length > 0 && text === "") {
      event.preventDefault();
      void add(files);
    } else if (text.length > LONG_PASTE) {
      event.preventDefault();
      void add([new File([text], PASTED_NAME, { type: "text/plain" })]).then(() => showToast({ text: "The pasted text became an attachment." }));
    }
  };
  return (
    <footer class="composer" aria-label="Write" ref={footer}>
      <div class="composer-in">
        <Notices chatId={chatId} />
        <Queue chatId={chatId} name={name} operation={acted === undefined ? "" : line(operationWords(acted).what, 80)} isBusy={isBusy} onStop={() => void stopTurn(room, agent.id)} />
        {draft.quote === null ? null : (
          <div class="quoted">
            <span class="quoted-text"><b>{line(draft.quote.author, 80)}: </b><bdi>{line(draft.quote.text, 300)}</bdi></span>
            <button class="icon-btn" type="button" aria-label="Remove the quote" onClick={() => change({ quote: null })}><Icon name="close" small /></button>
          </div>
        )}
        <Tray
          files={draft.files} onDraw={setDrawn}
          onRemove={(file) => {
            change({ files: draftNow().files.filter((one) => one.id !== file.id) });
            outbox.hold(file.id, null);
            void drafts.flush().then(() => drafts.dropBytes(file.id));
          }}
        />
        <form
          class="composer-box"
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <Menu
            label="Attach a file or photo"
            items={[
              { label: "Photo or file", icon: "attach", run: () => picker.current?.click() },
              { label: "Take a photo", icon: "camera", run: () => camera.current?.click() },
            ]}
          ><Icon name="attach" /></Menu>
          <input ref={picker} type="file" multiple hidden aria-label="Files to attach" tabIndex={-1} onChange={(event) => void add(taken(event.currentTarget))} />
          <input ref={camera} type="file" accept="image/*" capture="environment" hidden aria-label="Photo to attach" tabIndex={-1} onChange={(event) => void add(taken(event.currentTarget))} />
          <textarea
            ref={field} rows={1} dir="auto" aria-label={`Message ${name}`} placeholder={`Message ${name}`} value={draft.text}
            aria-keyshortcuts="Control+Enter Meta+Enter" enterkeyhint="enter"
            onInput={(event) => change({ text: event.currentTarget.value })}
            onPaste={onPaste}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
                event.preventDefault();
                send();
              }
            }}
          />
          <button class="icon-btn accent" type="submit" aria-label="Send" title="Send (Ctrl Enter)" disabled={!isSendable(draft)}><Icon name="send" /></button>
        </form>
      </div>
      {isDropping ? <div class="drop-here" aria-hidden="true">Drop to attach for {name}</div> : null}
      {drawn === null ? null : (
        <Annotate
          name={drawn.name} load={() => outbox.bytesOf(drawn.id)} onClose={() => setDrawn(null)}
          onDone={(bytes) => {
            setDrawn(null);
            void replaceFile(writing(room), draftNow(), drawn, bytes, room.nowMs());
          }}
        />
      )}
    </footer>
  );
}

/** What the person has to know about what is kept here. */
function Notices(props: { chatId: string }) {
  const room = useRoom();
  const { outbox, drafts } = writing(room);
  const trouble = drafts.trouble.value ?? outbox.trouble.value;
  const full = drafts.unkept.value.get(props.chatId);
  if (trouble !== null) {
    return <p class="queue queue-warn" role="status"><Icon name="warn" small /><span class="grow">{trouble.text} What you write is lost when this page closes; sent messages go out now.</span></p>;
  }
  if (full === undefined) return null;
  const oldest = full.oldest;
  const agent = oldest === null ? undefined : room.state.value.agents.get(oldest.agentId);
  return (
    <div class="queue queue-warn" role="status">
      <Icon name="warn" small />
      <span class="grow">
        {full.why === "count" ? "64 drafts are kept on this device" : "The drafts on this device fill 128 MB"}: this one lives only while this page is open.
        {oldest === null ? "" : ` The oldest is for ${line(agent?.name ?? "a chat", 60)}, ${age(oldest.changedMs, room.now.value)} old.`}
      </span>
      {oldest === null ? null : <button class="btn btn-plain" type="button" onClick={() => void drafts.drop(oldest)}>Drop the oldest</button>}
    </div>
  );
}

/** The files that were picked; the same can be picked again afterwards. */
function taken(input: HTMLInputElement): File[] {
  const files = [...(input.files ?? [])];
  input.value = "";
  return files;
}

/** Grows with its text where the browser does not do it by itself (`field-sizing`). */
function grow(field: HTMLTextAreaElement | null): void {
  if (field === null || CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

/** Files can be dropped anywhere on the pane of this composer. */
function useDrop(footer: { current: HTMLElement | null }, take: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const sink = useRef(take);
  sink.current = take;
  useEffect(() => {
    const pane = footer.current?.closest<HTMLElement>(".pane") ?? footer.current;
    if (pane === null || pane === undefined) return;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!(event.relatedTarget instanceof Node && pane.contains(event.relatedTarget))) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      sink.current(filesOf(event.dataTransfer));
    };
    pane.addEventListener("dragover", over);
    pane.addEventListener("dragleave", leave);
    pane.addEventListener("drop", drop);
    return () => {
      pane.removeEventListener("dragover", over);
      pane.removeEventListener("dragleave", leave);
      pane.removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
