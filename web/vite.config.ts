import { readFileSync } from "node:fs";

import { defineConfig } from "vitest/config";

import { worker } from "./worker-plugin.ts";

/** The page tells when it and the control room are of different versions. */
const VERSION = /^version = "([^"]+)"$/m.exec(readFileSync("../pyproject.toml", "utf8"))?.[1] ?? "unknown";

/** The app lives under /app/; its built files are part of the Python package, so that no Node is needed to run it. */
export default defineConfig({
  base: "/app/",
  define: { __APP_VERSION__: JSON.stringify(VERSION) },
  plugins: [worker("src/sw/sw.ts")],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // "CONTROLROOM_URL=http://localhost:8767 npx vite" shows each change at once, with a running control room behind it.
  server: {
    proxy: { "/api": { target: process.env["CONTROLROOM_URL"] ?? "http://localhost:8767", ws: true, changeOrigin: false } },
  },
  build: {
    outDir: "../src/controlroom/app/pwa",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false }, // it is an inline script, which the policy forbids
    sourcemap: false,
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.ts", "src/**/*.test.tsx"],
    restoreMocks: true,
  },
});
