/** Files that are picked, pasted, dropped or taken: looked at, kept, and named in the draft. */
import { fileId, type Writing } from "../../live/writing";
import { line } from "../../kit/text";
import { freeName, type Draft } from "../../store/drafts";
import { sizeText } from "../../store/delivery";
import type { OutFile } from "../../store/outbox";

/** Adds what fits; the words say what did not, "" when all did. */
export async function addFiles(writing: Writing, draftOf: () => Draft, files: readonly File[], nowMs: number): Promise<string> {
  const { upload_bytes: most, most: mostFiles } = writing.limits.value;
  const said: string[] = [];
  for (const file of files) {
    const name = line(file.name, 120) || "file";
    if (file.size > most) said.push(`${name} has ${sizeText(file.size)}; a file may have at most ${sizeText(most)}.`);
    else if (draftOf().files.length >= mostFiles) said.push(`A message takes at most ${mostFiles} files; ${name} was left out.`);
    else if (!(await addFile(writing, draftOf, file, name, nowMs))) said.push(`${name} is only kept while this page is open.`);
  }
  return said.join(" ");
}

async function addFile(writing: Writing, draftOf: () => Draft, file: File, name: string, nowMs: number): Promise<boolean> {
  // A file of the system may change or go while its draft waits: the bytes are read now.
  const bytes = await copied(file);
  const kept: OutFile = { id: fileId(), name, size: bytes.size, type: bytes.type };
  writing.outbox.hold(kept.id, bytes);
  const isKept = await writing.drafts.keepBytes(kept.id, bytes);
  const draft = draftOf();
  writing.drafts.change({ ...draft, files: [...draft.files, { ...kept, name: freeName(name, draft.files) }], changedMs: nowMs });
  await writing.drafts.flush();
  return isKept;
}

async function copied(file: File): Promise<Blob> {
  return new Blob([await file.arrayBuffer()], { type: file.type });
}

/**
 * The same file with other bytes: an image that was drawn on. The draft names it at once: what is written or sent
 * while the disk is still at work has the drawing, and keeps its words.
 */
export async function replaceFile(writing: Writing, draft: Draft, old: OutFile, bytes: Blob, nowMs: number): Promise<void> {
  const name = old.name.replace(/\.[^.]*$/u, "") + (bytes.type === "image/png" ? ".png" : ".jpg");
  const next: OutFile = { id: fileId(), name, size: bytes.size, type: bytes.type };
  writing.outbox.hold(next.id, bytes);
  writing.drafts.change({ ...draft, files: draft.files.map((file) => (file.id === old.id ? next : file)), changedMs: nowMs });
  await writing.drafts.keepBytes(next.id, bytes);
  await writing.drafts.flush();
  writing.outbox.hold(old.id, null);
  await writing.drafts.dropBytes(old.id);
}

/** The files that a paste or a drop brings. */
export function filesOf(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].map((file) =>
    // A picture from the clipboard is always called image.png: several would look like one.
    file.name === "image.png" ? new File([file], `picture.${file.type.split("/")[1] ?? "png"}`, { type: file.type }) : file,
  );
}
