// One instrument beside its list: quote, depth, chart and source fields.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import type { Scripted } from "../host/host.ts";
import { profiles } from "../host/profiles.ts";
import { server } from "./script.ts";
import { launch, Stage, until, type Answerer, type Json } from "./stage.ts";

let browser: Browser;
let stage: Stage;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
afterEach(() => stage.close());

const row = (name: string) => stage.view.getByRole("button", { name: new RegExp("^" + name) }).first();
const tab = (name: string) => stage.view.getByRole("tab", { name }).click();
const inspector = () => stage.view.locator(".inspector");
const facts = async () => Object.fromEntries((await inspector().locator(".facts > div").allInnerTexts()).map((t) => t.split("\n") as [string, string]));

async function holdings(answer: Answerer = server(), width = 1440): Promise<void> {
  stage = await Stage.open(browser, profiles.full, { answer, width });
  await stage.deliver(f.holdingsArgs(), f.holdings(10));
  await stage.shows("RELIANCE");
}

/** Holds some answers back until they are let go, in any order. */
function held(which: (tool: string, args: Json) => boolean): { answer: Answerer; free: ((tool: string, args: Json) => void)[] } {
  const free: ((tool: string, args: Json) => void)[] = [];
  const answer: Answerer = (tool, args, n) => (which(tool, args) ? new Promise<Scripted>((resolve) => free.push(() => resolve(server()(tool, args, n) as Scripted))) : server()(tool, args, n));
  return { answer, free };
}

describe("the inspector", () => {
  it("I-1 opens for a row, and the list stays beside it with its filter", async () => {
    await holdings();
    await stage.view.getByLabel("Filter this page").fill("i");
    await row("INFY").click();
    await inspector().getByRole("heading", { name: "INFY NSE" }).waitFor();
    await expect.poll(async () => stage.view.getByLabel("Filter this page").inputValue()).toBe("i");
    await expect.poll(async () => row("ITC").isVisible()).toBe(true);
    await row("ITC").click();
    await inspector().getByRole("heading", { name: "ITC BSE" }).waitFor();
  });

  it("I-1 opens for positions and quotes too, and a whole quote is not asked for again", async () => {
    await holdings();
    await stage.deliver({ mode: "positions", position_view: "all" }, f.positions("all"));
    await row("NIFTY26DECFUT").click();
    await inspector().getByText("Net exposure").waitFor();
    await expect.poll(async () => (await facts())["Product"]).toBe("NRML");
    await until(() => stage.callsOf("market", "quote").length === 1);
    await stage.deliver({ mode: "quote", instruments: ["NSE:TCS"] }, f.quotes(["NSE:TCS"]));
    await row("TCS").click();
    await inspector().getByText("3,455.25").waitFor();
    expect(stage.callsOf("market", "quote")).toHaveLength(1);
  });

  it("I-2 shows the portfolio's row and what the quote adds", async () => {
    await holdings((tool, args, n) => (args["mode"] === "quote" ? { result: f.result("market", args, { data: { "NSE:INFY": f.quote(1, 1500.0525, { oi: 12345 }) } }) } : server()(tool, args, n)));
    await row("INFY").click();
    await inspector().getByText("Open interest").waitFor();
    await expect.poll(async () => facts()).toMatchObject({
      "Settled quantity": "15",
      "T1 quantity": "5",
      "Average price": "1,620.00",
      "Day’s range": "1,495.0525 to 1,504.0525",
      "Previous close": "1,490.0525",
      Volume: "21,61,884",
      "Circuit limits": "1,300.0525 to 1,700.0525",
      "Open interest": "12,345",
    });
    await expect.poll(async () => inspector().innerText()).toMatch(/Quote of 02 Dec 2026, 11:15:00 IST[\s\S]*Quote received \d\d:\d\d:\d\d IST/);
  });

  it("I-3 depth shows the levels there are and invents none", async () => {
    await holdings();
    await row("INFY").click();
    await tab("Depth");
    await inspector().getByText("Bids").waitFor();
    await expect.poll(async () => inspector().locator("table").first().locator("tbody tr").count()).toBe(5);
    await expect.poll(async () => inspector().locator("table").last().locator("tbody tr").count()).toBe(3);
    await expect.poll(async () => inspector().locator("tbody tr").first().innerText()).toBe("1,500.40\t27\t1");
  });

  it("I-4, B-14 details are the source's fields unmodified, and contract details join them", async () => {
    stage = await Stage.open(browser, profiles.full, { answer: server(), width: 1440 });
    await stage.deliver(f.holdingsArgs(), f.result("portfolio", f.holdingsArgs(), f.page([f.holding(1, { last_price: 128.50001, mystery_field: { deep: [1, "x"] } })], 0, 100, 1)));
    await row("INFY").click();
    await tab("Details");
    await inspector().getByText("mystery_field").waitFor();
    await expect.poll(async () => inspector().innerText()).toContain("128.50001");
    await stage.view.getByRole("button", { name: "Load contract details" }).click();
    await inspector().getByText("tick_size").waitFor();
    await stage.shows(/^Contract details received/);
    await expect.poll(async () => inspector().innerText()).toContain("128.50001");
    expect(stage.callsOf("market", "search").map((c) => [c.args["search_mode"], c.args["inst_token"], c.args["verbosity"]])).toEqual([["get_by_inst_token", 256266, "full"]]);
  });

  it("I-5 a late quote of one instrument never shows for another, nor in the list", async () => {
    const { answer, free } = held((_t, args) => args["mode"] === "historical");
    await holdings(answer);
    await row("INFY").click();
    await tab("Chart");
    await until(() => free.length === 1);
    await row("TCS").click();
    await tab("Chart");
    await until(() => free.length === 2);
    free[1]!("", {});
    await stage.shows(/^Candles received/);
    free[0]!("", {});
    await stage.idle();
    await expect.poll(async () => inspector().getByRole("slider").getAttribute("aria-label")).toBe("Candles of NSE:TCS");
    await expect.poll(async () => stage.view.locator("h1").innerText()).toBe("Holdings");
  });

  it("I-6, Q-2 closing it aborts its calls, and the host is told", async () => {
    await holdings((tool, args, n) => (args["mode"] === "historical" ? { hang: true } : server()(tool, args, n)));
    await row("INFY").click();
    await tab("Chart");
    await until(() => stage.callsOf("market", "historical").length === 1);
    await stage.view.getByRole("button", { name: "Close" }).click();
    await until(() => stage.cancelled.length === 1);
    expect(stage.cancelled).toEqual([stage.callsOf("market", "historical")[0]!.number]);
    await expect.poll(async () => stage.messages()).toContain("notifications/cancelled");
  });

  it("I-7, B-12 every quote of a result is listed with its time, and missing instruments are named", async () => {
    stage = await Stage.open(browser, profiles.full, { answer: server() });
    await stage.deliver({ mode: "quote" }, f.quotes(["NSE:INFY", "NSE:TCS", "BSE:SBIN"], ["NSE:NOPE", "NSE:GONE"]));
    await stage.shows("No quote for: NSE:NOPE, NSE:GONE");
    await expect.poll(async () => stage.view.locator("tbody .row-button strong").allInnerTexts()).toEqual(["INFY", "TCS", "SBIN"]);
    await expect.poll(async () => stage.view.getByText("11:15:00", { exact: true }).count()).toBe(3);
  });
});

describe("the chart", () => {
  const candle = () => stage.view.getByRole("slider");
  const asked = () => stage.callsOf("market", "historical");
  const show = async (rows: Json[], args: Json = {}) => {
    stage = await Stage.open(browser, profiles.full, { answer: server() });
    const all = { mode: "historical", instrument_token: 408065, interval: "day", from_date: "2026-01-01", to_date: "2026-12-01", ...args };
    await stage.deliver(all, f.result("market", all, { data: rows, meta: { instrument_token: 408065, interval: all.interval, fetched_at: "2026-12-02T11:15:00+05:30" } }));
    await stage.view.getByRole("heading", { name: "instrument token 408065" }).waitFor();
  };

  it("C-1 changing range or interval and submitting makes one call, with everything else kept", async () => {
    await show(f.candles(30), { continuous: true, oi: true });
    expect(asked()).toEqual([]);
    await stage.view.getByLabel("From").fill("2026-11-01");
    await stage.view.getByLabel("Interval").selectOption("15minute");
    expect(asked()).toEqual([]);
    await stage.view.getByLabel("From").press("Enter");
    await until(() => asked().length === 1);
    const { _app_request_id: _, ...args } = asked()[0]!.args;
    expect(args).toEqual({ mode: "historical", instrument_token: 408065, interval: "15minute", from_date: "2026-11-01 09:15:00", to_date: "2026-12-01 15:30:00", continuous: true, oi: true });
  });

  it("C-1, L-3 a result from chat opens with its token, dates and interval, and the inspector asks for its own", async () => {
    await show(f.candles(30), { interval: "5minute", from_date: "2026-11-30 09:15:00", to_date: "2026-11-30 12:00:00" });
    await expect.poll(async () => stage.view.getByLabel("From").inputValue()).toBe("2026-11-30T09:15");
    await expect.poll(async () => stage.view.getByLabel("To", { exact: true }).inputValue()).toBe("2026-11-30T12:00");
    await expect.poll(async () => stage.view.getByLabel("Interval").inputValue()).toBe("5minute");
    await stage.deliver(f.holdingsArgs(), f.holdings(3));
    await row("INFY").click();
    await tab("Chart");
    await stage.shows(/^Candles received/);
    expect(asked().map((c) => [c.args["instrument_token"], c.args["interval"], c.args["from_date"], c.args["to_date"]])).toEqual([[256266, "day", "2026-09-03", "2026-12-02"]]);
  });

  /** How many columns of the canvas have colour in its lowest fifth. */
  const inked = () => candle().evaluate((e) => {
    const c = e as HTMLCanvasElement;
    const top = Math.round(c.height * 0.86);
    const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true })!;
    copy.drawImage(c, 0, 0);
    const { data } = copy.getImageData(0, top, c.width - 64, c.height - top);
    let n = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] !== 0) n++;
    return n;
  });

  it("C-2 volume is drawn when there is any, and leaves no empty axis when there is none", async () => {
    await show(f.candles(60));
    const withVolume = await inked();
    expect(withVolume).toBeGreaterThan(1000);
    await stage.view.getByText("All candle values").click();
    await stage.view.getByRole("columnheader", { name: "Volume" }).waitFor();
    await stage.result(f.history(408065, f.candles(60, () => ({ volume: null }))));
    await stage.view.getByRole("columnheader", { name: "Volume" }).waitFor({ state: "detached" });
    await stage.idle();
    await expect.poll(async () => stage.view.getByRole("columnheader", { name: "Volume" }).count()).toBe(0);
    await expect.poll(async () => inked()).toBeGreaterThan(0); // prices take the whole height
    await expect.poll(async () => inked()).toBeLessThan(withVolume / 2);
  });

  it("C-3 one candle without its high makes it a line of closing prices, and says so", async () => {
    await show(f.candles(30, (i) => (i === 7 ? { high: null } : {})));
    await stage.shows("Some candles lack open, high, low or close: the line joins closing prices.");
    await expect.poll(async () => candle().getAttribute("aria-label")).toBe("Closing prices of instrument token 408065");
  });

  it("C-4, A-2 one tab stop; arrows, Home and End read candles, Escape clears", async () => {
    await show(f.candles(3));
    const says = () => candle().getAttribute("aria-valuetext");
    await stage.view.getByRole("button", { name: "Show" }).focus();
    await stage.page.keyboard.press("Tab");
    await expect.poll(async () => candle().evaluate((e) => e === document.activeElement)).toBe(true);
    await stage.page.keyboard.press("Home");
    await expect.poll(async () => says()).toBe("01 Jan 2026: open 1,500.00, high 1,523.10, low 1,491.70, close 1,517.35, volume 33,24,482");
    await stage.page.keyboard.press("ArrowRight");
    await expect.poll(async () => says()).toMatch(/^02 Jan 2026/);
    await stage.page.keyboard.press("End");
    await expect.poll(async () => says()).toMatch(/^05 Jan 2026/);
    await stage.page.keyboard.press("ArrowLeft");
    await expect.poll(async () => says()).toMatch(/^02 Jan 2026/);
    await stage.page.keyboard.press("Escape");
    await expect.poll(async () => says()).toBe("No candle chosen");
    await stage.page.keyboard.press("Tab");
    await expect.poll(async () => stage.view.evaluate(() => document.activeElement?.textContent)).toBe("All candle values");
  });

  it("C-1 the chart is of the instrument, by its name where the server knows it", async () => {
    stage = await Stage.open(browser, profiles.full, { answer: server() });
    const args = { mode: "historical", instrument_token: 408065, interval: "day" };
    for (const [instrument, name] of [["NSE:INFY", "NSE:INFY"], [7, "instrument token 408065"]] as const) {
      await stage.deliver(args, f.result("market", args, { data: f.candles(5), meta: { instrument, instrument_token: 408065 } }));
      await stage.view.getByRole("heading", { name, exact: true }).waitFor();
      await expect.poll(async () => candle().getAttribute("aria-label")).toBe("Candles of " + name);
    }
  });

  it("C-4, A-6 a pointer reads the candle under it, and without one the last is told", async () => {
    await show(f.candles(40));
    const [first, last] = [f.candles(40)[0]!, f.candles(40)[39]!];
    const legend = () => stage.view.locator(".candle-text").innerText();
    const box = (await candle().boundingBox())!;
    await expect.poll(legend).toContain("close " + Number(last["close"]).toLocaleString("en-IN", { minimumFractionDigits: 2 }));
    await stage.page.mouse.move(box.x + 3, box.y + 80);
    await expect.poll(legend).toContain("01 Jan 2026");
    await expect.poll(legend).toContain("close " + Number(first["close"]).toLocaleString("en-IN", { minimumFractionDigits: 2 }));
    await stage.page.mouse.move(box.x + 3, box.y - 60);
    await expect.poll(legend).toContain("25 Feb 2026");
    await expect.poll(async () => candle().getAttribute("aria-valuetext")).toBe("No candle chosen");
  });

  it("C-5, C-6, C-7 two thousand candles have a windowed table, and a note on their distances", async () => {
    await show(f.candles(2000));
    await stage.shows("2,000 candles, drawn at equal distances whatever time lies between them. Times are IST.");
    await stage.view.getByText("All candle values").click();
    const table = stage.view.getByRole("table");
    await expect.poll(async () => table.getAttribute("aria-rowcount")).toBe("2001");
    await expect.poll(async () => table.locator("tbody tr[data-row]").count()).toBeLessThanOrEqual(60);
    await stage.view.locator(".scroll").evaluate((e) => (e.scrollTop = e.scrollHeight));
    await table.locator("tr[data-row='1999']").waitFor();
    const open = (await table.locator("tr[data-row='1999'] td").first().innerText()).replaceAll(",", "");
    expect(Number(open)).toBe(f.candles(2000)[1999]!["open"]);
  });

  it("C-8 a range that cannot be is refused before a call, and an empty answer says so", async () => {
    await show([]);
    await stage.shows("No candles in this range.");
    const wrong = async (from: string, to: string) => {
      await stage.view.getByLabel("From").fill(from);
      await stage.view.getByLabel("To", { exact: true }).fill(to);
      await stage.view.getByRole("button", { name: "Show" }).click();
      return stage.view.locator(".wrong").innerText();
    };
    await expect.poll(async () => wrong("2026-12-01", "2026-11-01")).toBe("The start is after the end.");
    await expect.poll(async () => wrong("2027-01-01", "2027-01-02")).toBe("The start is in the future.");
    await expect.poll(async () => wrong("", "2026-11-01")).toBe("Choose when it starts and ends.");
    await expect.poll(async () => stage.view.getByLabel("From").getAttribute("aria-invalid")).toBe("true");
    await expect.poll(async () => stage.view.getByLabel("From").evaluate((e) => e === document.activeElement)).toBe(true);
    expect(asked()).toEqual([]);
  });
});
