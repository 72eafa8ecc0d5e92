/** Builds the service worker after everything else: it has to know each file of the version that it keeps. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { build, type Plugin } from "vite";

const BASE = "/app/";
/** The page is kept as the place that it is asked for; the worker itself and its like are not kept. */
const NOT_KEPT = new Set(["index.html", "sw.js"]);

export function worker(source: string): Plugin {
  let folder = "";
  return {
    name: "worker",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    writeBundle: {
      order: "post",
      sequential: true,
      async handler() {
        const names = filesBelow(folder).filter((name) => name !== "sw.js").sort();
        const digest = createHash("sha256");
        for (const name of names) digest.update(name).update("\0").update(readFileSync(join(folder, name)));
        const kept = [BASE, ...names.filter((name) => !NOT_KEPT.has(name)).map((name) => BASE + name)];
        writeFileSync(join(folder, "sw.js"), await bundled(source, kept, digest.digest("hex").slice(0, 16)));
      },
    },
  };
}

/** One classic script: module workers are younger than the browsers that we serve. */
async function bundled(source: string, files: readonly string[], version: string): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: "warn",
    define: { __FILES__: JSON.stringify(files), __BUILD__: JSON.stringify(version) },
    publicDir: false,
    build: {
      write: false,
      target: "es2022",
      rollupOptions: { input: source, output: { format: "iife" } },
    },
  });
  const [output] = Array.isArray(made) ? made : [made];
  if (output === undefined || !("output" in output)) throw new Error("the worker was not built");
  return output.output[0].code;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}
