// Data that means harm, and messages from elsewhere.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles } from "../host/profiles.ts";
import { scenes, toolOf } from "./scenes.ts";
import { server } from "./script.ts";
import { launch, Stage, type Json } from "./stage.ts";

let browser: Browser;
let stage: Stage;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
afterEach(() => stage.close());

const hostile = {
  markup: `<img src=x onerror="parent.hacked=1"><script>hacked=1</script></p><b>bold`,
  ansi: "\u001b[31mred\u001b[0m\u0007\u0000",
  rtl: "\u202etxt.exe\u2066\u2067",
  link: "javascript:alert(1)",
  long: "W".repeat(10_000),
  words: "word ".repeat(2_000),
};

/** The same data with every text replaced, but for what says which kind of row it is. */
function poisoned(v: unknown, text: string, key = ""): unknown {
  if (typeof v === "string") return ["position_view", "interval", "mode", "type", "fetched_at"].includes(key) ? v : text;
  if (Array.isArray(v)) return v.map((x) => poisoned(x, text));
  if (typeof v !== "object" || v === null) return v;
  return Object.fromEntries(Object.entries(v).map(([k, x]) => [key === "data" && k.includes(":") ? text + k : k, poisoned(x, text, k)]));
}

const views = scenes.filter((s) => ["holdings", "positions", "quotes", "history", "funds", "orders", "gtt", "search", "chain"].includes(s.name));
const open = async (width: number) => {
  stage = await Stage.open(browser, profiles.full, { answer: server(), width });
};

it.each(Object.entries(hostile))("X-1, X-2, N-1 %s in every text stays text and breaks no layout", async (_name, text) => {
  await open(320);
  for (const { args, result, ...scene } of views) {
    const data = poisoned(result["structuredContent"], text) as Json;
    await stage.deliver(args, f.result(toolOf({ args, result, ...scene }), args, data));
    await stage.idle();
    await stage.view.getByText("Source data").click();
    const seen = await stage.view.evaluate(() => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      foreign: document.querySelectorAll("img, a, b, script:not(head script):not([type=module]), iframe, [onerror], [href]").length,
      hacked: "hacked" in window,
    }));
    expect([scene.name, seen.wide <= 0, seen.foreign, seen.hacked]).toEqual([scene.name, true, 0, false]);
    await stage.view.getByText("Source data").click();
  }
  await stage.result(f.failure("portfolio", {}, text, text, text));
  await stage.view.locator(".failed").waitFor();
  await expect.poll(async () => stage.view.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await expect.poll(async () => stage.page.evaluate(() => "hacked" in window)).toBe(false);
});

it("X-2 text that turns the direction of writing does not turn what is beside it", async () => {
  await open(960);
  await stage.deliver(f.holdingsArgs(), f.result("portfolio", f.holdingsArgs(), f.page([f.holding(0, { tradingsymbol: hostile.rtl })], 0, 100, 1)));
  await stage.view.locator(".instrument").first().waitFor();
  await expect.poll(async () => stage.view.locator(".instrument strong").evaluate((e) => getComputedStyle(e).unicodeBidi)).toBe("isolate");
});

it("X-2 hostile rows open in the inspector, on every tab", async () => {
  await open(375);
  for (const text of [hostile.markup, hostile.long]) {
    await stage.deliver(f.holdingsArgs(), f.result("portfolio", f.holdingsArgs(), f.page([poisoned(f.holding(0), text) as Json], 0, 100, 1)));
    await stage.view.locator(".row-button").first().click();
    for (const tab of ["Depth", "Chart", "Details", "Overview"]) {
      await stage.view.getByRole("tab", { name: tab }).click();
      await expect.poll(async () => stage.view.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
    await stage.view.getByRole("button", { name: "Back to list" }).click();
  }
});

const broken: readonly (readonly [string, (row: Json) => unknown])[] = [
  ["null", (row) => Object.fromEntries(Object.keys(row).map((k) => [k, null]))],
  ["absent", () => ({})],
  ["text", (row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, String(v)]))],
  ["lists", (row) => Object.fromEntries(Object.keys(row).map((k) => [k, [[{ a: [] }]]]))],
  ["no rows at all", () => 7],
];

it.each(broken)("X-2 fields that are %s are dashes, and the view stands", async (_name, breakRow) => {
  await open(960);
  for (const scene of views) {
    const whole = scene.result["structuredContent"] as Json;
    const data = whole["data"];
    const damaged = Array.isArray(data)
      ? { ...whole, data: data.map((r) => breakRow(r as Json)) }
      : Object.fromEntries(Object.entries(whole).map(([k, v]) => [k, typeof v === "object" && v !== null ? Object.fromEntries(Object.entries(v).map(([n, r]) => [n, breakRow(r as Json)])) : v]));
    await stage.deliver(scene.args, f.result(toolOf(scene), scene.args, damaged));
    await stage.idle();
    const text = await stage.text();
    expect(text).not.toMatch(/NaN|undefined|Infinity|\[object/);
    await expect.poll(async () => stage.view.locator("h1").count()).toBe(1);
  }
});

it("X-4 no storage is touched and X-6 nothing is written to the console in a whole visit", async () => {
  await open(960);
  await stage.deliver(f.holdingsArgs(), f.holdings(10));
  await stage.view.getByRole("button", { name: /^INFY/ }).click();
  await stage.view.getByText(/^Quote received/).waitFor();
  await stage.view.getByRole("tab", { name: "Chart" }).click();
  await stage.view.getByText(/^Candles received/).waitFor();
  expect([stage.console, stage.faults, stage.requests]).toEqual([[], [], []]); // the watcher reports storage as a fault
});

it("X-5 were a token to reach the view, details would not show it", async () => {
  await open(960);
  const row = f.holding(0, { access_token: "sekrit-1", nested: { api_secret: "sekrit-2", enctoken: "sekrit-3" }, public_token: "sekrit-4" });
  await stage.deliver(f.holdingsArgs(), f.result("portfolio", f.holdingsArgs(), { ...f.page([row], 0, 100, 1), refresh_token: "sekrit-5" }));
  await stage.view.getByText("Source data").click();
  await stage.view.getByText(/^data \(1\)/).click();
  await stage.view.getByText(/^0 \(/).click();
  await stage.view.getByText(/^nested \(/).click();
  await stage.view.getByText("instrument_token").waitFor();
  await expect.poll(async () => stage.view.locator("body").evaluate((e) => e.outerHTML)).not.toContain("sekrit");
});

it("X-7 a message from a frame beside it is not heard", async () => {
  await open(960);
  await stage.deliver({ mode: "margins" }, f.funds());
  await stage.shows("Available margin");
  await stage.page.evaluate((params) => window.host.sibling({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params }), f.holdings(3));
  await stage.view.waitForFunction(() => (window as unknown as { aliens?: number }).aliens === 1);
  await stage.context({ theme: "dark" }); // heard after it
  await stage.view.locator("html[data-theme=dark]").waitFor();
  await stage.idle();
  await expect.poll(async () => stage.view.locator("h1").innerText()).toBe("Funds");
});
