import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const unstamped = '<meta name="digest" content="000000000000" />';

/** Writes into the page which build it is: the hash of the page before that. */
const stamp: Plugin = {
  name: "stamp",
  writeBundle({ dir = "" }) {
    const page = readFileSync(join(dir, "app.html"), "utf8");
    if (page.split(unstamped).length !== 2) this.error("app.html has no one place for its digest");
    const digest = createHash("sha256").update(page).digest("hex").slice(0, 12);
    writeFileSync(join(dir, "app.html"), page.replace(unstamped, unstamped.replace("000000000000", digest)));
  },
};

// One HTML file with everything inside, the same bytes at every build. Console
// calls are dropped: the bridge logs each message, account data included.
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  root: "src",
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), stamp],
  build: {
    target: "es2023",
    cssTarget: ["chrome123", "safari17.5", "firefox120"],
    outDir: "..",
    emptyOutDir: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: "src/app.html",
      output: { minify: { compress: { dropConsole: true } } },
    },
  },
});
