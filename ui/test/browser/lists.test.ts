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
    await expect.poll(async () => cards()).toEqual(["₹5,96,848.60", "₹6,37,375.60", "▲ +₹40,527.00", "▲ +₹3,196.05"]);
    await expect.poll(async () => stage.view.getByRole("region", { name: "Whole account" }).count()).toBe(1);
  });

  it("H-3, H-6 cards stay, while the totals of shown rows follow filter and page", async () => {
    await open(f.holdings(10, 0, 10, 25), 960, 25);
    const before = await cards();
    await expect.poll(async () => totals()).toMatch(/^Shown rows: 10, P&L ▲ \+₹40,527\.00$/);
    await filter("bse");
    await stage.view.getByText("Shown rows: 2 of 10 on this page").waitFor();
    await button("Last").click();
    await expect.poll(async () => cards()).toEqual(before);
    await filter("");
    await button("Next").click();
    await stage.shows("11 to 20 of 25");
    await expect.poll(async () => totals()).not.toContain("40,527.00");
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
    await stage.shows("₹5,96,848.60");
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

  it("H-8 a table is shown where all of its columns fit, unless the person wants it, and stays while a row is open", async () => {
    await open(f.holdings(10), 720);
    const shape = () => stage.view.getByLabel("Show as").inputValue();
    /** How far the table reaches beyond what is seen of it. */
    const beyond = () => stage.view.locator(".table-widget > .scroll").evaluate((e) => e.scrollWidth - e.clientWidth);
    await expect.poll(shape).toBe("rows");
    await stage.page.setViewportSize({ width: 960, height: 900 });
    await expect.poll(shape).toBe("table");
    expect(await beyond()).toBe(0);
    await stage.page.setViewportSize({ width: 720, height: 900 });
    await expect.poll(shape).toBe("rows");
    await stage.view.getByLabel("Show as").selectOption("table");
    await expect.poll(beyond).toBeGreaterThan(0);
    await expect.poll(shape).toBe("table");
    await stage.deliver(f.holdingsArgs(), f.holdings(10)); // the person's choice is kept
    await expect.poll(shape).toBe("table");
    await stage.page.setViewportSize({ width: 1040, height: 900 });
    await expect.poll(beyond).toBe(0);
    await stage.view.getByRole("button", { name: /^TCS/ }).click();
    await stage.view.getByText(/^Quote received/).waitFor();
    await expect.poll(shape).toBe("table");
  });

  it("H-2, H-6 a total that counts rows of unknown cost says so, beside it, once", async () => {
    await open(f.result("portfolio", f.holdingsArgs(), f.page([f.holding(0), f.holding(1, { average_price: 0, pnl: 29985 })], 0, 100, 2)));
    await stage.shows("Total P&L includes a holding whose cost Kite does not know; the rows below leave that out.");
    await expect.poll(totals).toBe("Shown rows: 2, P&L ▲ +₹3,564.00 (1 without a known cost)");
    await stage.result(f.holdings(2));
    await expect.poll(totals).toBe("Shown rows: 2, P&L ▲ +₹1,149.00");
    await expect.poll(async () => stage.text()).not.toContain("whose cost");
  });

  it("H-9, B-12 newer prices stand in compact rows too, with their time", async () => {
    await open(f.holdings(10), 375);
    await button("Refresh prices").click();
    await stage.shows("latest price 1,302.10 at 11:15:00 IST");
    await expect.poll(async () => stage.view.locator(".rows .row-button").first().innerText()).toMatch(/^RELIANCE NSE\n40 at 1,212\.40\nlast 1,301\.50\n▲ \+1\.04% today\n52,060\.00\n▲ \+3,564\.00\nlatest price/);
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
    await expect.poll(async () => (await column(9)).slice(0, 2)).toEqual(["1,302.10", "1,500.50"]);
    await expect.poll(async () => (await column(10))[0]).toBe("11:15:00");
    expect({ cards: await cards(), totals: await totals(), last: await column(4), pnl: await column(7) }).toEqual(before);
  });

  it("H-10, A-6 the treemap covers the filtered rows in each of three sizes, lists what it cannot draw, and repeats itself as text", async () => {
    const rows = [f.holding(0), f.holding(1), f.holding(3, { quantity: 0, t1_quantity: 0, pnl: 0 }), f.holding(4, { average_price: 0 })];
    await open(f.result("portfolio", f.holdingsArgs(), f.page(rows, 0, 100, 4)));
    await expect.poll(async () => stage.view.locator(".tile").count()).toBe(0);
    await stage.view.getByText("Allocation of the shown rows").click();
    await stage.view.locator(".tile").first().waitFor();
    const listed = () => stage.view.locator(".shares li").allInnerTexts();
    await expect.poll(async () => stage.view.locator(".tile").count()).toBe(3);
    await expect.poll(async () => (await listed()).find((t) => t.includes("M&M"))).toContain("not drawn");
    await expect.poll(async () => (await listed())[0]).toMatch(/ITC\s+1,21,305\.00\s+59\.65%/);
    await stage.view.getByLabel("Size by").selectOption("invested");
    await until(async () => (await stage.view.locator(".tile").count()) === 2);
    await stage.view.getByLabel("Size by").selectOption("pnl");
    await expect.poll(async () => (await listed())[0]).toContain("▲ +3,564.00");
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
    await expect.poll(async () => totals()).toContain("P&L of net exposure ▼ −₹3,158.50");
    await stage.view.getByRole("tab", { name: "Today’s activity" }).click();
    await stage.shows("P&L of today’s activity");
    await expect.poll(async () => totals()).toContain("▲ +₹442.50");
    await expect.poll(async () => firstCells()).toHaveLength(3);
    await expect.poll(async () => stage.text()).not.toContain("2,716.00");
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

  it("P-2, H-8 compact rows say direction and both kinds of P&L in words, and can be sorted", async () => {
    await open();
    await stage.page.setViewportSize({ width: 320, height: 900 });
    const texts = () => stage.view.locator(".rows .row-button").allInnerTexts();
    await expect.poll(async () => (await texts()).map((t) => /(NRML|MIS|CNC), .*/.exec(t)?.[0])).toEqual(["NRML, long 65 at 26,180.00", "NRML, short 60 at 512.35", "CNC, closed", "MIS, long 100 at 1,001.35", "CNC, short 25 at 1,009.10"]);
    expect((await texts())[2]).toMatch(/realised ▼ −190\.00\s+unrealised 0\.00/);
    await stage.view.getByLabel("Sort by").selectOption("pnl");
    await expect.poll(async () => (await texts()).map((t) => /[▲▼] [+−][\d,.]+/.exec(t)?.[0])).toEqual(["▲ +1,434.00", "▲ +415.00", "▲ +90.00", "▼ −190.00", "▼ −4,907.50"]);
  });

  it("N-1 a long name keeps its end, where a call and a put differ", async () => {
    await open();
    await stage.page.setViewportSize({ width: 320, height: 900 });
    const name = stage.view.locator(".rows .symbol[title='BANKNIFTY26DEC60000PE']");
    await name.waitFor();
    const seen = await name.locator(".cut").evaluate((e) => {
      const end = document.createRange();
      end.selectNodeContents(e.lastChild!);
      const start = e.firstElementChild!;
      return { text: e.lastChild!.textContent, cut: start.scrollWidth > start.clientWidth, over: end.getBoundingClientRect().right - e.closest(".lead")!.getBoundingClientRect().right };
    });
    expect(seen).toMatchObject({ text: "60000PE", cut: true });
    await stage.view.getByRole("button", { name: /^BANKNIFTY26DEC60000PE\b/ }).waitFor(); // one word for who hears it
    expect(seen.over).toBeLessThanOrEqual(0.5);
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
    const whole = f.positions("net")["structuredContent"] as Json;
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
    expect(bars[0]).toContain("▼ −4,907.50");
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
    await expect.poll(async () => (await column(10))[0]).toBe("26,104.50");
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
    await expect.poll(async () => equity.locator(".card").allInnerTexts()).toEqual(["Available margin\n₹1,32,919.29", "Cash\n₹1,15,322.00", "Collateral\n₹61,840.50", "Debits\n₹44,243.21"]);
    await equity.getByText("Breakdown").click();
    await expect.poll(async () => equity.locator(".fields dt").allInnerTexts()).toEqual(["adhoc_margin", "cash", "opening_balance", "live_balance", "collateral", "intraday_payin", "debits", "exposure", "span", "m2m_unrealised", "enabled", "net"]);
  });

  it("F-2 a disabled segment says so and shows no zeros", async () => {
    const commodity = await stage.view.getByRole("article", { name: "commodity" }).innerText();
    expect(commodity).toContain("disabled");
    expect(commodity).not.toMatch(/\d/);
  });
});
