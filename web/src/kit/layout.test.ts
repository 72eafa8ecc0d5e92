import { describe, expect, it } from "vitest";

import { parseLayout } from "./layout";

describe("the layout that was kept", () => {
  it.each([null, "", "nonsense", "null", "7", '{"listRem":"wide"}', '{"listRem":null,"isListHidden":"yes"}'])(
    "is as usual for %j", (text) => expect(parseLayout(text)).toEqual({ listRem: 23, isListHidden: false }),
  );
  it("stays within its bounds", () => {
    expect(parseLayout('{"listRem":900}').listRem).toBe(32);
    expect(parseLayout('{"listRem":1,"isListHidden":true}')).toEqual({ listRem: 19, isListHidden: true });
  });
});
