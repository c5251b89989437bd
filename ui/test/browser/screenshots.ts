// Writes pictures of every view, to be looked at, when SCREENSHOTS names a folder.
import { mkdirSync } from "node:fs";

import type { Browser } from "playwright-core";

import { profiles } from "../host/profiles.ts";
import { scenes, toolOf } from "./scenes.ts";
import { server } from "./script.ts";
import { Stage } from "./stage.ts";

export async function takeScreenshots(browser: Browser, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const theme of ["light", "dark"] as const) {
    for (const width of [375, 960, 1440]) {
      for (const scene of scenes) {
        const stage = await Stage.open(browser, { ...profiles.full, theme, toolName: toolOf(scene) }, { width, height: 1000, answer: server() });
        await stage.page.evaluate((t) => document.documentElement.classList.toggle("dark", t === "dark"), theme);
        await stage.deliver(scene.args, scene.result);
        await scene.then?.(stage);
        await stage.idle();
        // Not fullPage: that resizes while it paints, and frames may come out empty.
        const height = await stage.page.evaluate(() => document.documentElement.scrollHeight);
        await stage.page.setViewportSize({ width, height });
        await stage.page.screenshot({ path: `${folder}/${scene.name}-${String(width)}-${theme}.png` });
        await stage.close();
      }
    }
  }
}
