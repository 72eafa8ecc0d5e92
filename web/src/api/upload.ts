/** Uploads: a form with one file, its progress told, and a way to stop it. */
import type { components } from "./schema";
import { API, read, type Answer, type Http } from "./http";

export type Attachment = components["schemas"]["Attachment"];

export interface UploadOptions {
  onProgress(done: number): void;
  signal: AbortSignal;
}

/** Nothing moved for so long: the link is gone, whatever it says. */
const STILL_MS = 60_000;

export function upload(http: Http, bytes: Blob, name: string, options: UploadOptions): Promise<Answer<Attachment>> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest(); // fetch tells nothing of what was sent
    const end = (code: "unreachable" | "aborted", text: string) =>
      resolve({ ok: false, refusal: { code, text, status: 0 } });
    let timer = 0;
    const moved = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => request.abort(), STILL_MS);
    };
    request.open("POST", `${API}/uploads`);
    for (const [header, value] of Object.entries(http.keyHeader())) request.setRequestHeader(header, value);
    request.upload.onprogress = (event) => {
      moved();
      options.onProgress(Math.min(event.loaded, bytes.size));
    };
    request.onload = () => {
      void read<Attachment>(new Response(request.responseText, { status: request.status })).then((answer) => {
        if (!answer.ok) http.wasRefused(answer.refusal);
        resolve(answer);
      });
    };
    request.onerror = () => end("unreachable", "The control room did not answer.");
    request.onabort = () =>
      options.signal.aborted ? end("aborted", "Cancelled.") : end("unreachable", "The upload stood still.");
    request.onloadend = () => clearTimeout(timer);
    options.signal.addEventListener("abort", () => request.abort(), { once: true });
    if (options.signal.aborted) return end("aborted", "Cancelled.");
    const form = new FormData();
    form.append("file", bytes, name);
    moved();
    request.send(form);
  });
}

/** The bytes of an upload, for a picture in the page: an `<img>` cannot send the page's half of the login. */
export async function download(http: Http, id: string, signal: AbortSignal): Promise<Blob | null> {
  try {
    const response = await fetch(`${API}/uploads/${encodeURIComponent(id)}`, {
      headers: http.keyHeader(),
      credentials: "same-origin",
      redirect: "error",
      signal,
    });
    return response.ok ? await response.blob() : null;
  } catch {
    return null;
  }
}
