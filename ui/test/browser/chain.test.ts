// The option chain, as a person reads it.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles } from "../host/profiles.ts";
import { server } from "./script.ts";
import { launch, Stage, type Answerer, type Json } from "./stage.ts";

let browser: Browser;
let stage: Stage;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
afterEach(() => stage.close());

const button = (name: string) => stage.view.getByRole("button", { name, exact: true });
const strike = (text: string) => stage.view.locator(".chain tbody tr", { has: stage.view.getByRole("rowheader", { name: new RegExp("^" + text) }) });
const cells = async (text: string) => (await strike(text).locator("th, td").allInnerTexts()).map((t) => t.split("\n")[0]!.trim());
const asked = () => stage.callsOf("market", "option_chain").map((c) => [c.args["exchange"], c.args["underlying"], c.args["expiry"]]);

async function opened(result: Json = f.chain(8), width = 1440, answer: Answerer = server()): Promise<void> {
  stage = await Stage.open(browser, profiles.full, { answer, width });
  await stage.deliver({ view: "option_chain", underlying: "NIFTY", expiry: "2026-12-29" }, result);
}

/** Every answer but quotes, which stay away. */
const unquoted: Answerer = (tool, args, n) => (args["mode"] === "quote" ? new Promise(() => {}) : server()(tool, args, n));

describe("the option chain", () => {
  it("O-1 leads from the exchange to an underlying, its expiries and its strikes, without a search", async () => {
    stage = await Stage.open(browser, profiles.full, { answer: server() });
    await stage.deliver({ mode: "margins" }, f.funds());
    await button("Option chain").click();
    await stage.view.getByLabel("Exchange").selectOption("BFO");
    await button("SENSEX").waitFor();
    await stage.view.getByLabel("Exchange").selectOption("NFO");
    await button("NIFTY").waitFor();
    await stage.view.getByLabel("Filter this page").fill("rel");
    await expect.poll(async () => stage.view.locator("tbody .row-button").allInnerTexts()).toEqual(["RELIANCE"]);
    await stage.view.getByLabel("Filter this page").fill("");
    await button("NIFTY").click();
    await button("29 Dec 2026").click();
    await stage.shows(/^300 strikes/);
    await stage.view.getByLabel("Expiry").selectOption("2027-01-25");
    await expect.poll(() => asked().slice(0, 5)).toEqual([
      ["NFO", undefined, undefined],
      ["BFO", undefined, undefined],
      ["NFO", undefined, undefined],
      ["NFO", "NIFTY", undefined],
      ["NFO", "NIFTY", "2026-12-29"],
    ]);
    await expect.poll(() => asked().some(([, , expiry]) => expiry === "2027-01-25")).toBe(true);
    expect(stage.callsOf("market", "search")).toHaveLength(0);
  });

  it("O-4 pairs calls and puts by strike, and leaves a missing side blank", async () => {
    await opened();
    await stage.shows(/Quotes received/);
    await expect.poll(async () => (await stage.view.locator(".chain thead tr:nth-child(2) th").allInnerTexts()).map((t) => t.split("\n").at(-1)!.trim())).toEqual([
      "OI", "Volume", "Bid", "Ask", "LTP", "Strike", "LTP", "Ask", "Bid", "Volume", "OI",
    ]);
    await expect.poll(() => cells("20,100")).toEqual(["650", "130", "2,009.90", "2,010.10", "2,010.00", "20,100", "2,010.00", "2,010.10", "2,009.90", "130", "650"]);
    await expect.poll(() => cells("20,200")).toEqual(["650", "130", "2,019.90", "2,020.10", "2,020.00", "20,200", "", "", "", "", ""]);
  });

  it("O-4 an option without a quote has dashes, not zeros", async () => {
    await opened(f.chain(3), 1440, (tool, args, n) => (args["mode"] === "quote" ? { result: f.chainQuotes(args["instruments"] as string[], ["NFO:NIFTY26DEC20100PE"]) } : server()(tool, args, n)));
    await stage.shows(/Quotes received/);
    await expect.poll(async () => (await cells("20,100")).slice(6)).toEqual(["–", "–", "–", "–", "–"]);
  });

  it("O-5 spot and future have a line of their own with the time of their quotes, and are not derived", async () => {
    await opened();
    await stage.shows(/Quotes received/);
    const line = () => stage.view.locator(".references").innerText();
    await expect.poll(line).toMatch(/NIFTY 50 20,540\.00 [\s\S]*02 Dec 2026, 11:15:00 IST[\s\S]*NIFTY26DECFUT 20,610\.50/);
    await stage.deliver({ view: "option_chain", underlying: "NIFTY", expiry: "2026-12-29" }, f.chain(8, { references: { underlying: null, future: null } }));
    await expect.poll(async () => stage.view.locator(".references").count()).toBe(0);
    await expect.poll(async () => stage.view.locator(".nearest").count()).toBe(0);
  });

  it("O-6, O-9 progress is shown while quotes come in, and the nearest strike is marked and brought into view", async () => {
    await opened(f.chain(250));
    await stage.shows(/quotes 2 of 501/);
    await stage.view.locator(".nearest").waitFor();
    await expect.poll(async () => stage.view.locator(".nearest th").innerText()).toContain("20,500");
    await expect.poll(async () => strike("20,500").isVisible()).toBe(true);
    await stage.shows(/^250 strikes\. Quotes received/);
    const mounted = await stage.view.locator(".chain tbody tr[aria-rowindex]").count();
    expect(mounted).toBeLessThanOrEqual(60);
  });

  it("O-7 narrow screens show both last prices and the strike, and the rest on demand inside the table", async () => {
    await opened(f.chain(8), 375);
    await stage.shows(/Quotes received/);
    await expect.poll(() => cells("20,100")).toEqual(["2,010.00", "20,100", "2,010.00"]);
    await button("Show all columns").click();
    await expect.poll(async () => (await cells("20,100")).length).toBe(11);
    await expect.poll(() => stage.view.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  it("O-8 another expiry ends the calls of this one", async () => {
    await opened(f.chain(300), 1440, (tool, args, n) => (args["mode"] === "option_chain" && args["from"] === 250 && args["expiry"] === "2026-12-29" ? new Promise(() => {}) : unquoted(tool, args, n)));
    await expect.poll(() => asked().length).toBe(1);
    await stage.view.getByLabel("Expiry").selectOption("2027-01-25");
    await expect.poll(() => stage.cancelled.length).toBe(1);
    await stage.shows(/^300 strikes/);
  });

  it("I-1, I-6 a last price opens the inspector of that option", async () => {
    await opened();
    await stage.shows(/Quotes received/);
    await stage.view.getByRole("button", { name: /^NIFTY26DEC20100PE/ }).click();
    await stage.view.locator(".inspector").getByRole("heading", { name: "NIFTY26DEC20100PE NFO" }).waitFor();
    await stage.view.locator(".inspector").getByText(/^Quote received/).waitFor();
    await button("Close").click();
    await expect.poll(() => stage.view.evaluate(() => document.activeElement?.getAttribute("data-key"))).toBe("NFO:NIFTY26DEC20100PE");
  });

  it("R-3 without calls the strikes of the page are shown, and nothing is asked for", async () => {
    stage = await Stage.open(browser, profiles.noServerTools, { answer: server() });
    await stage.deliver({ view: "option_chain" }, f.chain(300));
    await stage.shows(/^250 strikes/);
    await stage.idle();
    expect(stage.calls).toEqual([]);
    await expect.poll(async () => stage.view.getByLabel("Exchange").count()).toBe(0);
  });
});
