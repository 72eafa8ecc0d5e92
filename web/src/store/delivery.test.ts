import { expect, test } from "vitest";

import { deliveryWords, heldWords, outWords, sizeText } from "./delivery";
import { newMessage } from "./outbox";

const clock = () => "14:09";
const held = (code: string, text = "x") => ({ code, text, since_ms: 1 }) as Parameters<typeof heldWords>[0];

test.each([
  [{ state: "accepted", held: held("working") }, "Accepted, sends when this turn ends", "quiet"],
  [{ state: "accepted", held: held("working", "Waits for an earlier message.") }, "Accepted, sends after the message before it", "quiet"],
  [{ state: "accepted", held: held("something_new", "Waits for rain.") }, "Accepted: Waits for rain.", "quiet"],
  [{ state: "accepted" }, "Accepted", "quiet"],
  [{ state: "sending" }, "Being typed", "quiet"],
  [{ state: "delivered" }, "Delivered 14:09", "quiet"],
  [{ state: "unconfirmed", detail: "Its composer still shows your text." }, "Not confirmed: its composer still shows your text.", "warn"],
  [{ state: "failed", detail: "There is nothing in it." }, "Not sent: there is nothing in it.", "warn"],
  [{ state: "failed", detail: "Taken back before it was typed." }, "Withdrawn before it was typed", "warn"],
] as const)("%o", (delivery, text, tone) => {
  expect(deliveryWords(delivery as Parameters<typeof deliveryWords>[0], 1, clock)).toMatchObject({ text, tone });
});

test("a message of this device says where it is", () => {
  const message = newMessage({ id: "m", chatId: "c", agentId: "a", text: "", when: "idle", onDraft: "wait", files: [] }, 1);
  expect(outWords(message, "this phone", true).text).toBe("Saved on this phone");
  expect(outWords(message, "this phone", false).text).toBe("Kept only while this page is open");
  expect(outWords({ ...message, state: { kind: "sending" } }, "this phone", true).text).toBe("Sending");
  expect(outWords({ ...message, state: { kind: "sending", done: 1, total: 3 } }, "this phone", true).text).toBe("Uploading 33 %");
  expect(outWords({ ...message, state: { kind: "saved", nextMs: 1, why: "The control room did not answer." } }, "this phone", true).text)
    .toBe("Saved on this phone: the control room did not answer.");
  expect(outWords({ ...message, state: { kind: "refused", code: "too_large", why: "A message may have 10 bytes." } }, "x", true).text)
    .toBe("Not sent: a message may have 10 bytes.");
});

test("sizes", () => {
  expect([0, 999, 1000, 24_400, 999_600, 3_120_000].map(sizeText)).toEqual(["0 B", "999 B", "1 kB", "24 kB", "1.0 MB", "3.1 MB"]);
});
