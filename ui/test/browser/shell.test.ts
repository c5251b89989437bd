// The frame around every view: failures, size, themes, bursts, the end.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles } from "../host/profiles.ts";
import { scenes, toolOf } from "./scenes.ts";
import { server } from "./script.ts";
import { appHtml, launch, Stage, until, type Answerer, type Json } from "./stage.ts";

let browser: Browser;
let stage: Stage;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
afterEach(() => stage.close());

const button = (name: string) => stage.view.getByRole("button", { name, exact: true });
const open = async (answer: Answerer = server(), result: Json = f.holdings(10), profile: keyof typeof profiles = "full") => {
  stage = await Stage.open(browser, profiles[profile], { answer });
  await stage.deliver(f.holdingsArgs(), result);
  await stage.shows("RELIANCE");
};
/** Lets the view draw some frames. */
const frames = () =>
  stage.view.evaluate(async () => {
    for (let i = 0; i < 10; i++) await new Promise((r) => requestAnimationFrame(r));
  });

it("B-4 Refresh repeats tool, arguments, page and filters in every view", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: () => ({ hang: true }) });
  const titles = ["Holdings", "Positions", "Funds", "Quotes", "Price history"];
  const cases: [string, Json, Json][] = [
    ["portfolio", { mode: "holdings", type: "full", from: 20, limit: 10 }, f.page([f.holding(1)], 20, 10, 50)],
    ["portfolio", { mode: "positions", position_view: "day", from: 5, limit: 5 }, f.page([], 5, 5, 6)],
    ["portfolio", { mode: "margins" }, f.funds()["structuredContent"] as Json],
    ["market", { mode: "ohlc", instruments: ["NSE:INFY", "BSE:ITC"] }, { data: {} }],
    ["market", { mode: "historical", instrument_token: 1, interval: "3minute", from_date: "2026-01-01 09:15:00", to_date: "2026-01-02", continuous: true }, { data: [] }],
  ];
  for (const [tool, args, data] of cases) {
    await stage.deliver(args, f.result(tool, args, data));
    const calls = () => stage.calls.filter((c) => c.args["type"] !== "summary");
    const before = calls().length;
    await stage.view.getByRole("heading", { level: 1, name: titles.shift() ?? "" }).waitFor();
    await button("Refresh").click();
    await until(() => calls().length === before + 1);
    const { _app_request_id: _, ...asked } = calls().at(-1)!.args;
    expect([calls().at(-1)!.tool, asked]).toEqual([tool, args]);
  }
});

it("B-6 a failed next page keeps the shown one, and Retry repeats what was attempted", async () => {
  let fails: "tool" | "bridge" | null = "tool";
  await open(
    (tool, args, n) => {
      if (args["from"] !== 10 || fails === null) return server({ holdings: 25 })(tool, args, n);
      return fails === "tool" ? { result: f.failure(tool, args, "Kite is down") } : { error: { code: -32000, message: "the bridge broke" } };
    },
    f.result("portfolio", f.holdingsArgs(0, 10), f.holdings(10, 0, 10, 25)["structuredContent"] as Json),
  );
  await button("Next").click();
  await stage.shows("Kite is down");
  await stage.shows(/Below is the earlier result, received/);
  await stage.shows("1 to 10 of 25");
  fails = "bridge";
  await button("Retry").click();
  await stage.shows(/the bridge broke/);
  fails = null;
  await button("Retry").click();
  await stage.shows("11 to 20 of 25");
  await expect.poll(async () => stage.view.locator(".failed").count()).toBe(0);
  expect(stage.callsOf("portfolio", "full").map((c) => c.args["from"])).toEqual([10, 10, 10]);
});

it("B-8 teardown answers, aborts every call, stops every timer, and nothing is sent afterwards", async () => {
  await open((tool, args, n) => (args["mode"] === "quote" || args["type"] === "full" ? { hang: true } : server()(tool, args, n)));
  await button("Refresh prices").click();
  await until(() => stage.callsOf("market", "quote").length === 1);
  expect(await stage.teardown()).toEqual({});
  await until(() => stage.cancelled.length === 1);
  await stage.idle();
  const before = (await stage.messages()).length;
  await button("Refresh").click();
  await stage.page.setViewportSize({ width: 500, height: 700 });
  await frames();
  expect((await stage.messages()).length).toBe(before);
});

it("B-10 sizes are told once per change, and equal results tell none", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: server() });
  await stage.deliver({ mode: "positions" }, f.positions("all"));
  await stage.shows("NIFTY26DECFUT");
  await stage.idle();
  await frames();
  const before = stage.sizes.length;
  expect(before).toBeGreaterThan(0);
  await stage.deliver({ mode: "positions" }, f.result("portfolio", { mode: "positions", position_view: "all" }, { ...(f.positions("all")["structuredContent"] as Json), demo: false }));
  await stage.idle();
  await frames();
  expect(stage.sizes.length).toBe(before);
  for (let i = 1; i < before; i++) expect([stage.sizes[i]!.width, stage.sizes[i]!.height]).not.toEqual([stage.sizes[i - 1]!.width, stage.sizes[i - 1]!.height]);
});

describe.each(["chatgpt", "fixedHeight"] as const)("a height that is the host's (%s)", (profile) => {
  it("B-11, L-4 is filled, and list and inspector scroll inside of it", async () => {
    expect(appHtml).toMatch(/availableDisplayModes:\[[`"']inline[`"'],[`"']fullscreen[`"']\]/);
    stage = await Stage.open(browser, profiles[profile], { answer: server({ holdings: 100 }), width: 1440, height: 700 });
    await stage.deliver(f.holdingsArgs(), f.holdings(100));
    await stage.shows("RELIANCE");
    await stage.view.getByText("Source data").click();
    await stage.view.getByRole("button", { name: /^INFY NSE/ }).click();
    await stage.view.getByText(/^Quote received/).waitFor();
    await frames();
    const seen = await stage.view.evaluate(() => {
      const root = document.documentElement;
      scrollTo(0, 1000);
      const box = (s: string) => document.querySelector(s)!.getBoundingClientRect();
      return { page: root.scrollHeight - root.clientHeight, moved: scrollY, list: box(".list").bottom - innerHeight, inspector: box(".inspector").bottom - innerHeight, used: box(".shell").bottom / innerHeight };
    });
    expect(seen.page).toBeLessThanOrEqual(0);
    expect(seen.moved).toBe(0);
    expect(Math.max(seen.list, seen.inspector)).toBeLessThanOrEqual(0);
    expect(seen.used).toBeGreaterThan(0.9);
    await stage.view.locator(".list").evaluate((e) => (e.scrollTop = e.scrollHeight));
    await expect.poll(async () => stage.view.locator(".list").evaluate((e) => e.scrollTop)).toBeGreaterThan(0);
  });
});

it("B-14 every view has the fields of its source, known or not, unmodified", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: server() });
  for (const scene of scenes.filter((s) => ["holdings", "positions", "quotes", "history", "funds", "orders", "gtt", "search", "chain"].includes(s.name))) {
    const data = { ...(scene.result["structuredContent"] as Json), unheard_of: { value: 1234.56789, none: null, text: " two  spaces " } };
    await stage.deliver(scene.args, f.result(toolOf(scene), scene.args, data));
    await stage.idle();
    await stage.view.getByText("Source data").click();
    await stage.view.getByText("unheard_of (3)").click();
    await expect.poll(async () => stage.view.locator(".raw").allInnerTexts()).toEqual(expect.arrayContaining(["1234.56789", "null", " two  spaces "]));
    await stage.view.getByText("Source data").click();
  }
});

it("B-15 a cancelled request says so, and can be asked for again", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: server() });
  await stage.input({ mode: "margins" });
  await stage.cancel();
  await stage.shows("The request was cancelled before it gave a result.");
  await button("Retry").click();
  await stage.shows("Available margin");
  expect(stage.calls.map((c) => [c.tool, c.args["mode"]])).toEqual([["portfolio", "margins"]]);
});

it("B-15 of fifty results at once the last is drawn, and none of the others", async () => {
  stage = await Stage.open(browser, profiles.noServerTools);
  await stage.view.evaluate(() => {
    const seen = ((window as unknown as { seen: string[] }).seen = [] as string[]);
    new MutationObserver(() => {
      const text = document.querySelector(".pager span")?.textContent ?? "";
      if (text !== "" && seen.at(-1) !== text) seen.push(text);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  const burst = Array.from({ length: 50 }, (_, i) => f.holdings(10, i * 10, 10, 500));
  await stage.page.evaluate((all) => Promise.all(all.map((r) => window.host.result(r))), burst);
  await stage.shows("491 to 500 of 500");
  await expect.poll(async () => stage.view.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual(["491 to 500 of 500"]);
});

it("B-16 prices keep their decimals, amounts have two, groups are Indian, absent is not zero", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: server() });
  const rows = [f.holding(0, { last_price: 0.0525, average_price: 1450.5, quantity: 1234567, pnl: null })];
  await stage.deliver(f.holdingsArgs(), f.result("portfolio", f.holdingsArgs(), f.page(rows, 0, 100, 1)));
  await stage.shows("RELIANCE");
  await expect.poll(async () => stage.view.locator("tbody td").allInnerTexts()).toEqual(["12,34,567", "1,450.50", "0.0525", "1,79,07,39,433.50", "64,814.77", "–", "▲ +1.04%"]);
});

it("L-2, L-3 the launcher's snapshot is holdings, known by its origin when the host names no tool", async () => {
  stage = await Stage.open(browser, profiles.noToolInfo, { answer: server({ holdings: 250 }) });
  await stage.deliver({}, f.result("portfolio", f.holdingsArgs(), f.holdings(100, 0, 100, 250)["structuredContent"] as Json, { tool: "kite_explorer", arguments: {} }));
  await stage.shows("1 to 100 of 250");
  await expect.poll(async () => stage.view.getByText(/A newer request/).count()).toBe(0);
  await button("Next").click();
  await stage.shows("101 to 200 of 250");
  await button("Refresh").click();
  await until(() => stage.callsOf("portfolio", "full").length === 2);
  expect(stage.calls.map((c) => [c.tool, c.args["from"] ?? "summary"])).toEqual([["portfolio", "summary"], ["portfolio", 100], ["portfolio", 100], ["portfolio", "summary"]].slice(0, stage.calls.length));
});

it("L-5 views that the server has taken away are not offered", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: server() });
  const told = (views: unknown) => {
    const funds = f.funds();
    const meta = funds["_meta"] as Json;
    return { ...funds, _meta: { ...meta, "trade.kite/app": { ...(meta["trade.kite/app"] as Json), views } } };
  };
  const offered = () => stage.view.getByRole("navigation", { name: "Views" }).getByRole("button").allInnerTexts();
  await stage.deliver({ mode: "margins" }, told("holdings"));
  await expect.poll(offered).toEqual(["Holdings", "Positions", "Funds", "Orders", "GTT", "Option chain", "Find"]);
  await stage.deliver({ mode: "margins" }, told(["holdings", "positions", "funds", "gtt", "quote", 7]));
  await expect.poll(offered).toEqual(["Holdings", "Positions", "Funds", "GTT"]);
});

it("L-5, R-5, R-6 one refused tool takes its own features, and is learned from its refusal", async () => {
  await open((tool, args, n) => (tool === "market" ? { error: { code: -32602, message: "unknown tool market" } } : server()(tool, args, n)));
  await expect.poll(async () => button("Refresh prices").isDisabled()).toBe(false);
  await button("Refresh prices").click();
  await stage.shows(/does not offer the tool market\. Quotes and charts are left out/);
  await expect.poll(async () => button("Refresh prices").isDisabled()).toBe(true);
  await expect.poll(async () => button("Refresh").isDisabled()).toBe(false);
  await button("Funds").click();
  await stage.shows("Available margin");
});

it("Q-3 a new main result ends what runs beside it, and the host is told", async () => {
  await open((tool, args, n) => (tool === "market" || args["type"] === "summary" ? { hang: true } : server()(tool, args, n)));
  await stage.view.getByRole("button", { name: /^INFY/ }).click();
  await until(() => stage.callsOf("market", "quote").length === 1);
  await stage.deliver({ mode: "margins" }, f.funds());
  await stage.shows("Available margin");
  await until(() => stage.cancelled.length === 2);
});

it("B-9 a host that tells no theme gets the device's, also when that changes, and nothing is painted before it is known", async () => {
  stage = await Stage.open(browser, { ...profiles.full, extraContext: { theme: undefined } }, { answer: server() });
  await stage.page.emulateMedia({ colorScheme: "dark" });
  await stage.view.locator("html[data-theme=dark]").waitFor();
  await stage.page.emulateMedia({ colorScheme: "light" });
  await stage.view.locator("html[data-theme=light]").waitFor();
  const ground = () => stage.view.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await expect.poll(ground).toBe("rgb(255, 255, 255)");
  await stage.view.evaluate(() => document.documentElement.removeAttribute("data-settled"));
  await expect.poll(ground).toBe("rgba(0, 0, 0, 0)");
  await stage.context({ theme: "dark" });
  await stage.page.emulateMedia({ colorScheme: "light" });
  await stage.view.locator("html[data-theme=dark][data-settled]").waitFor();
});

describe("B-9 colours of the host", () => {
  const seen = () =>
    stage.view.evaluate(() => {
      const s = getComputedStyle(document.body);
      return { back: s.backgroundColor, ink: s.color, theme: document.documentElement.dataset["theme"] };
    });

  it("B-9 change at run time without a reload, and come as a readable set or not at all", async () => {
    await open();
    const light = await seen();
    await stage.context({ theme: "dark" });
    await stage.view.locator("html[data-theme=dark]").waitFor();
    const dark = await seen();
    expect([light.back, dark.back]).toEqual(["rgb(255, 255, 255)", "rgb(22, 24, 29)"]);
    const withColours = async (variables: Json) => {
      await stage.context({ theme: "dark", styles: { variables } });
      await frames();
      return seen();
    };
    await expect.poll(async () => withColours({ "--color-text-primary": "#000000" })).toEqual(dark);
    await expect.poll(async () => withColours({ "--color-background-primary": "#777777", "--color-text-primary": "#888888" })).toEqual(dark);
    await expect.poll(async () => withColours({ "--color-background-primary": "#ffffff", "--color-text-primary": "#000000" })).toEqual(dark); // our own greys would not be readable on it
    await expect.poll(async () => withColours({ "--color-background-primary": "light-dark(#fff, #101010)", "--color-text-primary": "light-dark(#000, #f0f0f0)" })).toMatchObject({ back: "rgb(16, 16, 16)", ink: "rgb(240, 240, 240)" });
    expect(stage.callsOf("portfolio", "full")).toEqual([]);
  });
});
