// What authors look at while they work: npm run dev.
import { fileURLToPath } from "node:url";

import type { Browser } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";

import { launch } from "./stage.ts";

let browser: Browser;
let server: ViteDevServer;

beforeAll(async () => {
  browser = await launch();
  server = await createServer({ configFile: fileURLToPath(new URL("../../vite.dev.config.ts", import.meta.url)), logLevel: "silent", server: { port: 0 } });
  await server.listen();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

it("the development page shows every view from the fixtures, in each of its hosts", async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(40_000); // its modules are made when they are first asked for
  await page.goto(server.resolvedUrls?.local[0] ?? "");
  const view = page.frameLocator("iframe");
  await view.getByText(/^Whole account.*Received/).waitFor();
  await view.getByRole("button", { name: "Tell the chat what I am looking at" }).click();
  await page.getByText("The chat was told: The person is looking at Holdings in the Kite app, rows 1 to 100 of 240.").waitFor();
  const saved = page.waitForEvent("download");
  await view.getByRole("button", { name: "Save the shown rows as CSV" }).click();
  expect((await saved).suggestedFilename()).toBe("kite-holdings-2026-12-02.csv");
  await view.getByRole("button", { name: "Next" }).click();
  await view.getByText("101 to 200 of 240").waitFor();
  for (const [name, shown] of [["positions", "NIFTY26DECFUT"], ["funds", "Equity"], ["quote", "INFY"], ["historical", /candles, drawn at equal distances/]] as const) {
    await page.getByLabel("View").selectOption(name);
    await view.getByText(shown).first().waitFor();
  }
  await page.getByLabel("View").selectOption("holdings");
  await page.getByLabel("Host").selectOption("readonly");
  await view.getByText(/does not let the view ask for more data/).first().waitFor();
  expect(await view.getByRole("button", { name: "Refresh", exact: true }).isDisabled()).toBe(true);
});
