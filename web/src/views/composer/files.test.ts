import { expect, it } from "vitest";

import type { Writing } from "../../live/writing";
import { emptyDraft, type Draft } from "../../store/drafts";
import { replaceFile } from "./files";

const OLD = { id: "file_1", name: "photo.jpg", size: 3, type: "image/jpeg" };

it("names a drawing at once, and takes no words with it that were written while the disk was at work", async () => {
  let draft: Draft = { ...emptyDraft("cht_1", "agt_1"), files: [OLD] };
  const dropped: string[] = [];
  let disk = (): void => undefined;
  const writing = {
    outbox: { hold: () => undefined },
    drafts: {
      change: (next: Draft) => { draft = next; },
      keepBytes: () => new Promise<boolean>((resolve) => { disk = () => resolve(true); }),
      flush: () => Promise.resolve(),
      dropBytes: (id: string) => { dropped.push(id); return Promise.resolve(); },
    },
  } as unknown as Writing;
  const done = replaceFile(writing, draft, OLD, new Blob(["drawn"], { type: "image/png" }), 7);
  expect(draft.files.map((file) => file.name)).toEqual(["photo.png"]);
  draft = { ...draft, text: "Look at these." };
  disk();
  await done;
  expect([draft.text, draft.files.length, dropped]).toEqual(["Look at these.", 1, [OLD.id]]);
});
