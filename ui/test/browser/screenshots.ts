// Writes pictures of every view, to be looked at: npx tsx is not needed, vitest
// runs it as part of the browser suite when SCREENSHOTS names a folder.
import { mkdirSync } from "node:fs";

import type { Browser } from "playwright-core";

import * as f from "../fixtures/results.ts";
import { profiles } from "../host/profiles.ts";
import { server } from "./script.ts";
import { Stage, type Json } from "./stage.ts";

interface Scene {
  readonly name: string;
  readonly args: Json;
  readonly result: Json;
  readonly then?: (stage: Stage) => Promise<void>;
}

const open = (row: string, tab?: string) => async (stage: Stage) => {
  await stage.view.getByRole("button", { name: new RegExp(row) }).first().click();
  await stage.view.getByText(/Quote received/).waitFor();
  if (tab) {
    await stage.view.getByRole("tab", { name: tab }).click();
    if (tab === "Chart") await stage.view.getByText(/Candles received/).waitFor();
  }
};

export const scenes: readonly Scene[] = [
  { name: "holdings", args: f.holdingsArgs(), result: f.holdings(10), then: (s) => s.shows(/Received .* IST\.$/) },
  {
    name: "allocation",
    args: f.holdingsArgs(),
    result: f.holdings(10),
    then: async (s) => {
      await s.view.getByText("Allocation of the shown rows").click();
      await s.view.locator(".tile").first().waitFor();
    },
  },
  {
    name: "positions",
    args: { mode: "positions", position_view: "all" },
    result: f.positions("all"),
    then: (s) => s.view.getByText("P&L of net exposure", { exact: true }).click(),
  },
  { name: "quotes", args: { mode: "quote", instruments: ["NSE:INFY", "NSE:TCS", "NSE:NOPE"] }, result: f.quotes(["NSE:INFY", "NSE:TCS"], ["NSE:NOPE"]) },
  { name: "history", args: { mode: "historical", instrument_token: 408065 }, result: f.history(408065, f.candles(120)) },
  { name: "funds", args: { mode: "margins" }, result: f.funds() },
  { name: "inspector", args: f.holdingsArgs(), result: f.holdings(10), then: open("INFY") },
  { name: "chart", args: f.holdingsArgs(), result: f.holdings(10), then: open("INFY", "Chart") },
  { name: "depth", args: f.holdingsArgs(), result: f.holdings(10), then: open("INFY", "Depth") },
  { name: "details", args: f.holdingsArgs(), result: f.holdings(10), then: open("INFY", "Details") },
];

export async function takeScreenshots(browser: Browser, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const theme of ["light", "dark"] as const) {
    for (const width of [375, 960, 1440]) {
      for (const scene of scenes) {
        const tool = String(scene.args["mode"]).match(/quote|historical/) ? "market" : "portfolio";
        const stage = await Stage.open(browser, { ...profiles.full, theme, toolName: tool }, { width, height: 1000, answer: server() });
        await stage.page.evaluate((t) => document.documentElement.classList.toggle("dark", t === "dark"), theme);
        await stage.deliver(scene.args, scene.result);
        await scene.then?.(stage);
        await stage.page.screenshot({ path: `${folder}/${scene.name}-${String(width)}-${theme}.png`, fullPage: true });
        await stage.close();
      }
    }
  }
}
