/** Object URLs for pictures: made when they are shown, given back when they are not. */
import { useEffect, useState } from "preact/hooks";

import { download } from "../../api/upload";
import { useRoom } from "../../live/room";
import { writing } from "../../live/writing";

/** A picture of this device by its file id; null until it is there, or when it is gone. */
export function useOwnPicture(fileId: string): string | null {
  const room = useRoom();
  return usePicture(fileId, () => writing(room).outbox.bytesOf(fileId));
}

/** A picture that lies on the hub. */
export function useUploadedPicture(uploadId: string): string | null {
  const room = useRoom();
  return usePicture(uploadId, (signal) => download(room.http, uploadId, signal));
}

function usePicture(id: string, load: (signal: AbortSignal) => Promise<Blob | null>): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let made: string | null = null;
    void load(stop.signal).then((bytes) => {
      if (bytes === null || stop.signal.aborted) return;
      made = URL.createObjectURL(bytes);
      setUrl(made);
    });
    return () => {
      stop.abort();
      if (made !== null) URL.revokeObjectURL(made);
      setUrl(null);
    };
  }, [id]);
  return url;
}

/** Saves bytes of the hub under their name. Resolves with false when they are not there any more. */
export async function save(bytes: Blob, name: string): Promise<void> {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
