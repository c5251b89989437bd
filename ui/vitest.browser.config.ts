import { defineConfig } from "vitest/config";

// One browser at a time: the suite runs on two cores.
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    // Pictures are for people: SCREENSHOTS names the folder they go to.
    exclude: process.env["SCREENSHOTS"] ? [] : ["test/browser/screenshots.test.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The page draws in its own time: what is on it is asked for until it is right.
    expect: { poll: { timeout: 20_000 } },
  },
});
