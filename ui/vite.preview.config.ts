import { rename, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// The page of kite-mcp app preview, one file too.
export default defineConfig({
  root: "src/preview",
  plugins: [
    viteSingleFile({ removeViteModuleLoader: true }),
    { name: "name-the-page", closeBundle: () => rename(here("preview-build/index.html"), here("preview.html")).then(() => rm(here("preview-build"), { recursive: true })) },
  ],
  build: {
    target: "es2023",
    outDir: here("preview-build"),
    emptyOutDir: true,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { minify: { compress: { dropConsole: true } } } },
  },
});
