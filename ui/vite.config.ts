import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One HTML file with everything inside, the same bytes at every build. Console
// calls are dropped: the bridge logs each message, account data included.
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  root: "src",
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
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
