/** Attached files: in the tray before they are sent, and in the bubbles of the chat. */
import { useState } from "preact/hooks";

import { download, type Attachment } from "../../api/upload";
import { useRoom } from "../../live/room";
import { line } from "../../kit/text";
import { Icon } from "../../parts/icon";
import { showToast } from "../../parts/toast";
import { sizeText } from "../../store/delivery";
import type { OutFile } from "../../store/outbox";
import { save, useOwnPicture, useUploadedPicture } from "./bytes";

const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function Tray(props: { files: readonly OutFile[]; onRemove(file: OutFile): void; onDraw(file: OutFile): void }) {
  if (props.files.length === 0) return null;
  return (
    <ul class="tray" aria-label="Attachments">
      {props.files.map((file) => <TrayFile key={file.id} file={file} {...props} />)}
    </ul>
  );
}

function TrayFile(props: { file: OutFile; onRemove(file: OutFile): void; onDraw(file: OutFile): void }) {
  const { file } = props;
  const words = <><span><bdi>{line(file.name, 60)}</bdi></span><span class="size">{sizeText(file.size)}</span></>;
  return (
    <li class="att">
      {PICTURES.has(file.type) ? (
        <button class="open" type="button" onClick={() => props.onDraw(file)}>
          <span class="vh">Draw on </span><OwnThumb id={file.id} />{words}
        </button>
      ) : <><Icon name="doc" small />{words}</>}
      <button class="icon-btn" type="button" aria-label={`Remove ${file.name}`} onClick={() => props.onRemove(file)}>
        <Icon name="close" small />
      </button>
    </li>
  );
}

function OwnThumb(props: { id: string }) {
  const url = useOwnPicture(props.id);
  return url === null ? <span class="thumb" aria-hidden="true" /> : <img class="thumb" src={url} alt="" />;
}

/** The files of a message of this device that the hub does not have yet. */
export function OwnFiles(props: { files: readonly OutFile[] }) {
  if (props.files.length === 0) return null;
  return (
    <ul class="files" aria-label="Attachments">
      {props.files.map((file) => (
        <li key={file.id}>
          {PICTURES.has(file.type) ? <OwnPicture file={file} /> : <FileChip name={file.name} bytes={file.size} />}
        </li>
      ))}
    </ul>
  );
}

function OwnPicture(props: { file: OutFile }) {
  const url = useOwnPicture(props.file.id);
  return url === null ? <FileChip name={props.file.name} bytes={props.file.size} /> : (
    <span class="picture"><img src={url} alt={props.file.name} /></span>
  );
}

function FileChip(props: { name: string; bytes: number }) {
  return (
    <span class="file">
      <Icon name="doc" small />
      <span><bdi>{line(props.name, 80)}</bdi>{props.bytes > 0 ? `, ${sizeText(props.bytes)}` : ""}</span>
    </span>
  );
}

/** The files of a message that the hub has: pictures are shown, everything else can be saved. */
export function Attachments(props: { attachments: readonly Attachment[] }) {
  if (props.attachments.length === 0) return null;
  return (
    <ul class="files" aria-label="Attachments">
      {props.attachments.map((file) => (
        <li key={file.id}>{PICTURES.has(file.type) ? <Picture file={file} /> : <Saved file={file} />}</li>
      ))}
    </ul>
  );
}

function Picture(props: { file: Attachment }) {
  const url = useUploadedPicture(props.file.id);
  if (url === null) return <Saved file={props.file} />;
  return (
    <a class="picture" href={url} target="_blank" rel="noopener" aria-label={`Open ${props.file.name}`}>
      <img src={url} alt={props.file.name} loading="lazy" />
    </a>
  );
}

function Saved(props: { file: Attachment }) {
  const { http } = useRoom();
  const [isBusy, setBusy] = useState(false);
  const { id, name, bytes } = props.file;
  const get = async (): Promise<void> => {
    setBusy(true);
    const found = await download(http, id, new AbortController().signal);
    setBusy(false);
    if (found === null) showToast({ text: `${name} cannot be fetched: it is kept for 30 days, or the control room is away.` });
    else await save(found, name);
  };
  return (
    <button class="file" type="button" disabled={isBusy} onClick={() => void get()}>
      <span class="vh">Save </span><Icon name="doc" small />
      <span><bdi>{line(name, 80)}</bdi>{bytes > 0 ? `, ${sizeText(bytes)}` : ""}</span>
    </button>
  );
}
