import { describe, expect, it } from "vitest";

import { plan, unneeded } from "./plan";

const FILES = new Set(["/app/", "/app/assets/index-abc.js", "/app/icon.svg"]);

describe("the worker's plan", () => {
  it.each([
    ["GET", "/app/", "navigate", "file"],
    ["GET", "/app/agents/agt_1?x=1", "navigate", "shell"],
    ["GET", "/app/chats/c.d.e/items/a%2Fb", "navigate", "shell"],
    ["GET", "/app/shared", "navigate", "shell"],
    ["GET", "/app/glance", "navigate", "network"],
    ["GET", "/app/assets/index-abc.js", "cors", "file"],
    ["GET", "/app/assets/other-def.js", "cors", "network"],
    ["GET", "/app/sw.js", "same-origin", "network"],
    ["GET", "/app/sw.js", "navigate", "network"],
    ["GET", "/app/icon.svg", "no-cors", "file"],
    ["GET", "/api/v1/fleet", "cors", "network"],
    ["GET", "/api/v1/fleet", "navigate", "network"],
    ["GET", "/media/upload", "navigate", "network"],
    ["GET", "/", "navigate", "network"],
    ["GET", "/apple", "navigate", "network"],
    ["POST", "/app/share", "navigate", "share"],
    ["POST", "/app/share", "cors", "network"],
    ["POST", "/app/", "navigate", "network"],
    ["HEAD", "/app/", "cors", "network"],
  ])("%s %s (%s): %s", (method, path, mode, expected) => {
    expect(plan({ method, url: `https://room.test${path}`, mode }, "https://room.test", FILES)).toBe(expected);
  });

  it("leaves other origins alone", () => {
    expect(plan({ method: "GET", url: "https://else.test/app/", mode: "navigate" }, "https://room.test", FILES)).toBe("network");
  });
});

describe("older versions", () => {
  const cache = (name: string, ...files: string[]) => ({ name, files: new Set(files) });
  const all = [cache("new", "/app/assets/n.js"), cache("old", "/app/assets/o.js"), cache("oldest", "/app/assets/p.js")];

  it("go when no tab runs them", () => expect(unneeded(all, "new", [])).toEqual(["old", "oldest"]));
  it("stay while a tab runs them", () => expect(unneeded(all, "new", ["/app/assets/o.js", "/app/assets/n.js"])).toEqual(["oldest"]));
  it("go when what runs is in the newest as well", () => {
    expect(unneeded([cache("new", "/a.js", "/b.js"), cache("old", "/a.js")], "new", ["/a.js"])).toEqual(["old"]);
  });
});
