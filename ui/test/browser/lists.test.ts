// Holdings, positions and funds, as a person uses them.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles } from "../host/profiles.ts";
import { server } from "./script.ts";
import { launch, Stage, until, type Json } from "./stage.ts";

let browser: Browser;
let stage: Stage;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
afterEach(() => stage.close());

const cards = () => stage.view.locator(".card .amount").allInnerTexts();
const firstCells = () => stage.view.locator("tbody .row-button strong").allInnerTexts();
const column = (n: number) => stage.view.locator(`tbody tr:not(.spacer) > :nth-child(${String(n)})`).allInnerTexts();
const filter = (text: string) => stage.view.getByLabel("Filter this page").fill(text);
const button = (name: string) => stage.view.getByRole("button", { name, exact: true });
const totals = () => stage.view.locator(".totals").innerText();

describe("holdings", () => {
  const open = async (result: Json = f.holdings(10), width = 960, account = 10) => {
    stage = await Stage.open(browser, profiles.full, { answer: server({ holdings: account }), width });
    await stage.deliver(f.holdingsArgs(), result);
    await stage.shows(/^Whole account.*Received/);
  };

  it("H-2 four cards hold the totals of the whole account", async () => {
    await open();
    await expect.poll(async () => stage.view.locator(".card dt").allInnerTexts()).toEqual(["Invested amount", "Current value", "Total P&L", "Today’s P&L"]);
    await expect.poll(async () => cards()).toEqual(["8,53,701.21", "8,90,231.90", "▲ +36,530.69", "▼ −2,979.50"]);
    await expect.poll(async () => stage.view.getByRole("region", { name: "Whole account" }).count()).toBe(1);
  });

  it("H-3, H-6 cards stay, while the totals of shown rows follow filter and page", async () => {
    await open(f.holdings(10, 0, 10, 25), 960, 25);
    const before = await cards();
    await expect.poll(async () => totals()).toMatch(/^Shown rows: 10, P&L ▲ \+437\.50$/);
    await filter("bse");
    await stage.view.getByText("Shown rows: 2 of 10 on this page").waitFor();
    await button("Last").click();
    await expect.poll(async () => cards()).toEqual(before);
    await filter("");
    await button("Next").click();
    await stage.shows("11 to 20 of 25");
    await expect.poll(async () => totals()).not.toContain("437.50");
    await expect.poll(async () => cards()).toEqual(before);
    expect(stage.callsOf("portfolio", "summary")).toHaveLength(1);
  });

  it("H-5 a failed summary leaves the rows, and has a Retry of its own", async () => {
    let fails = true;
    stage = await Stage.open(browser, profiles.full, {
      answer: (tool, args, n) => (fails && args["type"] === "summary" ? { result: f.failure("portfolio", args, "Kite is down") } : server()(tool, args, n)),
    });
    await stage.deliver(f.holdingsArgs(), f.holdings(10));
    const failed = stage.view.getByRole("region", { name: "Whole account" }).locator(".failed");
    await failed.getByText("Kite is down").waitFor();
    await expect.poll(async () => firstCells()).toHaveLength(10);
    fails = false;
    await failed.getByRole("button", { name: "Retry" }).click();
    await stage.shows("8,53,701.21");
    expect(stage.calls.map((c) => c.args["type"])).toEqual(["summary", "summary"]);
  });

  it("H-8 rows are compact on narrow screens, a table or rows on wide ones, and both filter and sort", async () => {
    await open(f.holdings(10), 375);
    await expect.poll(async () => stage.view.getByRole("table").count()).toBe(0);
    await expect.poll(async () => stage.view.getByLabel("Show as").count()).toBe(0);
    await stage.view.getByLabel("Sort by").selectOption("symbol");
    const names = () => stage.view.locator(".rows .row-button strong").allInnerTexts();
    await expect.poll(async () => (await names()).slice(0, 3)).toEqual(["BAJAJ-AUTO", "GOLDBEES", "HDFCBANK"]);
    await filter("m&m");
    await stage.shows("Shown rows: 1 of 10");
    await expect.poll(async () => names()).toEqual(["M&M"]);
    await stage.page.setViewportSize({ width: 960, height: 900 });
    await filter("");
    await stage.view.getByRole("table").waitFor();
    await button("Last").click();
    await stage.view.locator("th[aria-sort=descending]").waitFor();
    const last = (await column(4)).map((t) => Number(t.replaceAll(",", "")));
    expect(last).toEqual([...last].sort((a, b) => b - a));
    await stage.view.getByLabel("Show as").selectOption("rows");
    await stage.view.getByRole("list", { name: "Holdings" }).waitFor();
    await expect.poll(async () => stage.view.getByRole("table").count()).toBe(0);
  });

  it("H-9, B-12 newer prices of the page stand beside the snapshot and change nothing of it", async () => {
    await open(f.holdings(10, 0, 10, 25), 960, 25);
    const before = { cards: await cards(), totals: await totals(), last: await column(4), pnl: await column(7) };
    await button("Refresh prices").click();
    await stage.shows(/^Latest prices received \d\d:\d\d:\d\d IST/);
    const asked = stage.callsOf("market", "quote");
    expect(asked).toHaveLength(1);
    expect(asked[0]!.args["instruments"]).toHaveLength(10);
    expect((asked[0]!.args["instruments"] as string[]).slice(0, 2)).toEqual(["NSE:RELIANCE", "NSE:INFY"]);
    await expect.poll(async () => (await column(9)).slice(0, 2)).toEqual(["1,500.50", "1,501.50"]);
    await expect.poll(async () => (await column(10))[0]).toBe("2026-12-02 11:15:00");
    expect({ cards: await cards(), totals: await totals(), last: await column(4), pnl: await column(7) }).toEqual(before);
  });

  it("H-10, A-6 the treemap covers the filtered rows in each of three sizes, lists what it cannot draw, and repeats itself as text", async () => {
    const rows = [f.holding(0), f.holding(1), f.holding(3, { quantity: 0, t1_quantity: 0 }), f.holding(4, { average_price: 0 })];
    await open(f.result("portfolio", f.holdingsArgs(), f.page(rows, 0, 100, 4)));
    await expect.poll(async () => stage.view.locator(".tile").count()).toBe(0);
    await stage.view.getByText("Allocation of the shown rows").click();
    await stage.view.locator(".tile").first().waitFor();
    const listed = () => stage.view.locator(".shares li").allInnerTexts();
    await expect.poll(async () => stage.view.locator(".tile").count()).toBe(3);
    await expect.poll(async () => (await listed()).find((t) => t.includes("M&M"))).toContain("not drawn");
    await expect.poll(async () => (await listed())[0]).toMatch(/ITC\s+7,815\.00\s+69\.\d+%/);
    await stage.view.getByLabel("Size by").selectOption("invested");
    await until(async () => (await stage.view.locator(".tile").count()) === 2);
    await stage.view.getByLabel("Size by").selectOption("pnl");
    await expect.poll(async () => (await listed())[0]).toContain("▼ −170.00");
    await filter("infy");
    await stage.shows("Covers the 1 shown rows of this page");
    await expect.poll(async () => stage.view.locator(".tile").count()).toBe(1);
    await expect.poll(async () => stage.view.locator(".tile-name").innerText()).toBe("▼ INFY");
  });

  it("H-11 what the summary lacks is a dash, not the sum of a page", async () => {
    stage = await Stage.open(browser, profiles.full, {
      answer: (_t, args) => ({ result: f.result("portfolio", args, { meta: {}, current_value: "12", today_pnl: null }) }),
    });
    await stage.deliver(f.holdingsArgs(), f.holdings(10));
    await stage.shows(/^Whole account.*Received/);
    await expect.poll(async () => cards()).toEqual(["–", "–", "–", "–"]);
  });

  it("A-3 a long table has its count, row numbers and sort order, and can be shown whole", async () => {
    await open(f.holdings(100), 960, 100);
    const table = stage.view.getByRole("table");
    await expect.poll(async () => table.getAttribute("aria-rowcount")).toBe("101");
    await expect.poll(async () => stage.view.locator("tbody tr[aria-rowindex]").first().getAttribute("aria-rowindex")).toBe("2");
    const mounted = await firstCells();
    expect(mounted.length).toBeLessThanOrEqual(60);
    await expect.poll(async () => stage.view.locator("th[scope=col]").count()).toBe(8);
    await button("Last").click();
    await expect.poll(async () => stage.view.locator("th[aria-sort=descending]").count()).toBe(1);
    await button("Show as plain table").click();
    await expect.poll(async () => firstCells()).toHaveLength(100);
  });
});

describe("positions", () => {
  const open = async (result: Json = f.positions("all"), args: Json = { mode: "positions", position_view: "all" }) => {
    stage = await Stage.open(browser, profiles.full, { answer: server() });
    await stage.deliver(args, result);
    await stage.shows("Net exposure");
  };

  it("P-1 net exposure comes first, today's activity is apart, and no figure sums the two", async () => {
    await open();
    await expect.poll(async () => stage.view.getByRole("tab", { name: "Net exposure" }).getAttribute("aria-selected")).toBe("true");
    await expect.poll(async () => totals()).toContain("P&L of net exposure ▼ −36,480.25");
    await stage.view.getByRole("tab", { name: "Today’s activity" }).click();
    await stage.shows("P&L of today’s activity");
    await expect.poll(async () => totals()).toContain("▲ +60.00");
    await expect.poll(async () => firstCells()).toHaveLength(3);
    await expect.poll(async () => stage.text()).not.toContain("36,420.25");
  });

  it("P-1 a page with net rows only offers to load today's activity", async () => {
    await open(f.positions("net"), { mode: "positions" });
    await stage.view.getByRole("tab", { name: "Today’s activity" }).click();
    await button("Load today’s activity").click();
    await stage.view.getByText("P&L of today’s activity").first().waitFor();
    expect(stage.calls.map((c) => c.args["position_view"])).toEqual(["all"]);
  });

  it("P-2 product, direction, quantity and both kinds of P&L are cells of their own; two products are two rows", async () => {
    await open();
    const heads = (await stage.view.locator("thead th").allInnerTexts()).map((t) => t.trim());
    expect(heads).toEqual(["Instrument", "Product", "Direction", "Quantity", "Average", "Last", "P&L", "Realised", "Unrealised"]);
    await expect.poll(async () => column(3)).toEqual(["long", "short", "closed", "long", "short"]);
    expect((await firstCells()).filter((s) => s === "HDFCBANK")).toHaveLength(2);
    expect((await column(2)).slice(3)).toEqual(["MIS", "CNC"]);
    expect([(await column(7))[2], (await column(8))[2], (await column(9))[2]]).toEqual(["▼ −190.00", "▼ −190.00", "0.00"]);
  });

  it("P-3 status filters keep open, closed, long and short apart", async () => {
    await open();
    const shown: Record<string, number> = {};
    for (const status of ["open", "closed", "long", "short", "all"]) {
      await stage.view.getByLabel("Status").selectOption(status);
      shown[status] = (await firstCells()).length;
    }
    expect(shown).toEqual({ open: 4, closed: 1, long: 2, short: 2, all: 5 });
  });

  it("P-4 filters act on this page, and a note tells how many there are elsewhere", async () => {
    const whole = f.positions("net", 5)["structuredContent"] as Json;
    const data = { ...whole, pagination: { from: 0, limit: 5, total: 12, returned: 5, has_more: true }, meta: { counts: { net: 12, day: 0 } } };
    await open(f.result("portfolio", { mode: "positions", position_view: "net" }, data));
    await filter("hdfc");
    await stage.shows("2 shown here, 12 net positions in all. Other pages may match too.");
    expect(stage.calls).toEqual([]);
  });

  it("P-5, A-6 bars diverge from one line, the largest first, products apart, each with its amount", async () => {
    await open();
    await stage.view.getByText("P&L of net exposure", { exact: true }).click();
    const bars = await stage.view.locator(".bars li").allInnerTexts();
    expect(bars[0]).toContain("▼ −38,226.50");
    expect(bars.filter((b) => b.includes("HDFCBANK")).map((b) => /MIS|CNC/.exec(b)?.[0])).toEqual(["MIS", "CNC"]);
    const sides = await stage.view.locator(".bars li").evaluateAll((all) =>
      all.map((li) => {
        const [track, bar] = [li.querySelector(".bar-track")!.getBoundingClientRect(), li.querySelector(".bar")!.getBoundingClientRect()];
        return (bar.left + bar.right) / 2 < (track.left + track.right) / 2 ? "left" : "right";
      }),
    );
    expect(sides).toEqual(["left", "right", "right", "left", "right"]);
  });

  it("P-6 newer prices stand beside the snapshot here too", async () => {
    await open();
    const before = [await column(7), await column(6)];
    await button("Refresh prices").click();
    await stage.shows(/^Latest prices received/);
    await expect.poll(async () => (await column(10))[0]).toBe("1,500.50");
    expect([await column(7), await column(6)]).toEqual(before);
    expect(stage.callsOf("market", "quote")[0]!.args["instruments"]).toEqual(["NFO:NIFTY26DECFUT", "NFO:BANKNIFTY26DEC60000PE", "NSE:ITC", "NSE:HDFCBANK"]);
  });
});

describe("funds", () => {
  beforeEach(async () => {
    stage = await Stage.open(browser, profiles.full, { answer: server() });
    await stage.deliver({ mode: "margins" }, f.funds());
    await stage.shows("Equity");
  });

  it("F-1 a segment has four figures and every field of the source below", async () => {
    const equity = stage.view.getByRole("article", { name: "equity" });
    await expect.poll(async () => equity.locator(".card").allInnerTexts()).toEqual(["Available margin\n1,32,919.29", "Cash\n1,33,919.79", "Collateral\n61,840.50", "Debits\n1,78,921.21"]);
    await equity.getByText("Breakdown").click();
    await expect.poll(async () => equity.locator(".fields dt").allInnerTexts()).toEqual(["adhoc_margin", "cash", "opening_balance", "live_balance", "collateral", "intraday_payin", "debits", "exposure", "span", "m2m_unrealised", "enabled", "net"]);
  });

  it("F-2 a disabled segment says so and shows no zeros", async () => {
    const commodity = await stage.view.getByRole("article", { name: "commodity" }).innerText();
    expect(commodity).toContain("disabled");
    expect(commodity).not.toMatch(/\d/);
  });
});
