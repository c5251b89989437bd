import { it } from "vitest";

import { takeScreenshots } from "./screenshots.ts";
import { launch } from "./stage.ts";

const folder = process.env["SCREENSHOTS"];

it.runIf(folder)("writes pictures of every view", { timeout: 300_000 }, async () => {
  const browser = await launch();
  await takeScreenshots(browser, folder ?? "");
  await browser.close();
});
