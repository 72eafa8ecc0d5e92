import { describe, expect, it } from "vitest";

import type { Receipt } from "../api/types";
import { newestFirst, wordsOf } from "./receipts";

function receipt(part: Partial<Receipt>): Receipt {
  return { seq: 1, id: "rcp_1", at_ms: 1, by: "device:dev_1", what: "answer", code: "ok", text: "Answered.", ...part };
}

describe("receipts", () => {
  it.each<[Partial<Receipt>, string, string, boolean]>([
    [{ device: "Phone" }, "Answered a prompt of", "Phone", false],
    [{ code: "changed" }, "Tried to answer a prompt of", "device dev_1", true],
    [{ by: "host", what: "interrupt" }, "Stopped the turn of", "the host’s command line", false],
    [{ by: "agent:a1", what: "add passkey" }, "Add passkey", "agent a1", false],
    [{ by: "timer", what: "later", agent_id: "a1" }, "Later:", "the clock", false],
    [{ by: "checker", what: "check", agent_id: "a1", question_id: "q_1" }, "Closed a question of", "the checker", false],
    [{ device: "Phone", question_id: "q_1" }, "Answered a question of", "Phone", false],
  ])("%j", (part, what, by, isBad) => expect(wordsOf(receipt(part))).toMatchObject({ what, by, isBad }));

  it("shows each once, the newest first", () => {
    const [a, b, c] = [receipt({ id: "a", seq: 1 }), receipt({ id: "b", seq: 2 }), receipt({ id: "c", seq: 3 })];
    expect(newestFirst([a, b], [b, c])).toEqual([c, b, a]);
  });
});
