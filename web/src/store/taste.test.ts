import { describe, expect, it } from "vitest";
import { changeTaste, defaults, parseTaste, taste } from "./taste";

describe("taste", () => {
  const fallback = defaults(true);

  it.each([null, "", "nonsense", "null", "[]", "7", '{"theme":"pink","tokens":"yes","reasoning":3}'])(
    "falls back to the defaults for %j",
    (text) => expect(parseTaste(text, fallback)).toEqual(fallback),
  );

  it("keeps what can be used, field by field", () => {
    const text = '{"theme":"dark","tokens":true,"toolActivity":"loud","later":1}';
    expect(parseTaste(text, fallback)).toEqual({ ...fallback, theme: "dark", tokens: true });
  });

  it("reads back what it was", () => {
    const chosen = { ...fallback, toolActivity: "full", enter: "line", singleKeys: false } as const;
    expect(parseTaste(JSON.stringify(chosen), fallback)).toEqual(chosen);
  });

  it("starts a new line with Enter where there is no keyboard", () => {
    expect(defaults(false).enter).toBe("line");
  });

  it("changes one thing and leaves the others", () => {
    const before = taste.value;
    changeTaste({ tokens: !before.tokens });
    expect(taste.value).toEqual({ ...before, tokens: !before.tokens });
    changeTaste({ tokens: before.tokens });
  });
});
