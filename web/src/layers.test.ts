import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

import { expect, it } from "vitest";

/** From the bottom up: a file imports from its own layer and from those below it (ARCHITECTURE.md). */
const LAYERS = ["api", "store", "kit", "live", "sw", "parts", "views", "app"];
const SOURCE = import.meta.dirname;

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name)) : /\.tsx?$/.test(entry.name) ? [join(folder, entry.name)] : []);
}

function layerOf(path: string): number {
  return LAYERS.indexOf(relative(SOURCE, path).split("/")[0] ?? "");
}

it("imports point down only", () => {
  const up: string[] = [];
  for (const file of files(SOURCE).filter((path) => layerOf(path) >= 0 && !/\.test\.tsx?$/.test(path))) {
    for (const [, named] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      const target = normalize(join(dirname(file), named ?? ""));
      if (layerOf(target) > layerOf(file)) up.push(`${relative(SOURCE, file)} imports ${relative(SOURCE, target)}`);
    }
  }
  expect(up).toEqual([]);
});

it("the store does no I/O", () => {
  const words = /\b(?:fetch\(|document\.\w|window\.\w|localStorage|indexedDB|new WebSocket|Date\.now\(|Math\.random\()/;
  const found = files(join(SOURCE, "store")).filter((path) => !/\.test\.tsx?$/.test(path) && words.test(readFileSync(path, "utf8")));
  expect(found.map((path) => relative(SOURCE, path))).toEqual([]);
});
