// Orders and triggers, as a person reads them.
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

const row = (name: string) => stage.view.getByRole("button", { name: new RegExp("^" + name) }).first();
const button = (name: string) => stage.view.getByRole("button", { name, exact: true });
const inspector = () => stage.view.locator(".inspector");
const table = (name: string) => stage.view.getByRole("table", { name });
const cells = async (name: string) => {
  const lines = await table(name).locator("tbody tr[aria-rowindex]").all();
  return Promise.all(lines.map(async (l) => (await l.locator("th, td").evaluateAll((all) => all.map((e) => [e.querySelector("[title]")?.getAttribute("title"), e.querySelector(".cut") ? e.querySelector("small")?.textContent : (e as HTMLElement).innerText].filter(Boolean).join(" ")))).map((t) => t.replace(/\s+/g, " ").trim())));
};

/** Opens a view as the chat does, by open_kite_view. */
async function open(view: string, result: Json, answer: Answerer = server(), width = 1440): Promise<void> {
  stage = await Stage.open(browser, profiles.full, { answer, width });
  await stage.deliver({ view }, f.opened(view, result));
}

describe("orders", () => {
  const book = (result: Json = f.orders(), width = 1440, answer?: Answerer) => open("orders", result, answer, width);

  it("D-1 the order book shows what is filled, pending and cancelled, the status, and each reason in full", async () => {
    await book();
    await stage.shows("Shown orders: 5");
    await expect.poll(() => cells("Orders")).toEqual([
      ["HDFCBANK NSE", "09:15:04", "OPEN", "BUY", "150 of 400", "1,051.20", "1,051.20", "MIS", "LIMIT", "250", "0"],
      ["ITC NSE", "09:31:10", "COMPLETE", "SELL", "200 of 200", "421.00", "422.15", "CNC", "LIMIT", "0", "0"],
      ["SBIN NSE", "10:10:00", "REJECTED", "BUY", "0 of 5,000", "819.10", "–", "CNC", "LIMIT", "0", "0"],
      ["INFY NSE", "10:45:40", "CANCELLED", "BUY", "0 of 100", "market", "–", "CNC", "MARKET", "0", "100"],
      ["NIFTY26DEC26200CE NFO", "10:50:31", "TRIGGER PENDING", "BUY", "0 of 65", "229.35", "–", "NRML", "SL", "65", "0"],
    ]);
    await stage.view.getByText(f.rejection, { exact: false }).waitFor();
    await stage.view.getByLabel("Status").selectOption("open");
    await stage.shows("Shown orders: 2 of 5 on this page");
    await stage.view.getByLabel("Filter this page").fill("nifty");
    await stage.shows("Shown orders: 1 of 5 on this page");
    expect(stage.calls).toEqual([]);
  });

  it("D-1 pages follow each other, and each asks the order book only", async () => {
    await book(f.orders(f.orderBook.slice(0, 2), 0, 2, 5));
    await stage.shows("1 to 2 of 5");
    await button("Next").click();
    await stage.shows("Shown orders: 5");
    expect(stage.calls.map((c) => [c.tool, c.args["mode"], c.args["from"], c.args["limit"]])).toEqual([["orders_read", "list", 2, 2]]);
  });

  it("D-2 opening an order reads its history and its fills, each with a state of its own", async () => {
    let broken = true;
    await book(f.orders(), 1440, (tool, args, n) => (broken && args["mode"] === "trades" ? { result: f.failure(tool, args, "Kite is down") } : server()(tool, args, n)));
    await row("HDFCBANK").click();
    await inspector().getByText(/^Status history received/).waitFor();
    await expect.poll(() => cells("Status history")).toEqual([
      ["PUT ORDER REQ RECEIVED", "09:15:04", "0", "1,051.20"],
      ["OPEN", "09:15:06", "0", "1,051.20"],
      ["OPEN", "09:16:30", "150", "1,051.20"],
    ]);
    await inspector().getByText("Kite is down").waitFor();
    broken = false;
    await inspector().getByRole("button", { name: "Retry" }).click();
    await inspector().getByText(/^Fills received/).waitFor();
    await expect.poll(() => cells("Fills")).toEqual([
      ["09:16:02", "100", "1,051.15", "10000003"],
      ["09:16:30", "50", "1,051.30", "10000004"],
    ]);
    const id = "2044000000000000001";
    expect(stage.calls.map((c) => [c.tool, c.args["mode"], c.args["order_id"]])).toEqual([["orders_read", "history", id], ["orders_read", "trades", id], ["orders_read", "trades", id]]);
  });

  it("D-2 the instrument's quote comes with its tab only", async () => {
    await book();
    await row("HDFCBANK").click();
    await inspector().getByText(/^Fills received/).waitFor();
    expect(stage.callsOf("market", "quote")).toHaveLength(0);
    await stage.view.getByRole("tab", { name: "Overview" }).click();
    await inspector().getByText(/^Quote received/).waitFor();
    expect(stage.callsOf("market", "quote").map((c) => c.args["instruments"])).toEqual([["NSE:HDFCBANK"]]);
  });

  it("D-3 an empty book says that only today's orders exist", async () => {
    await book(f.orders([]));
    await stage.shows(/only those placed today/);
  });

  it("N-1 compact rows on narrow screens, with reasons in full", async () => {
    await book(f.orders(), 375);
    await stage.shows("Shown orders: 5");
    await expect.poll(async () => stage.view.getByRole("table").count()).toBe(0);
    await expect.poll(async () => row("SBIN").innerText()).toMatch(/BUY CNC, LIMIT 819\.10[\s\S]*REJECTED[\s\S]*0 of 5,000/);
    await stage.view.getByText(f.rejection, { exact: false }).waitFor();
    await stage.view.getByLabel("Sort by").selectOption("symbol");
    await expect.poll(async () => stage.view.locator(".rows .row-button strong").first().innerText()).toBe("HDFCBANK");
  });
});

describe("triggers", () => {
  const list = (result: Json = f.triggers(), width = 1440) => open("gtt", result, server(), width);

  it("G-1 every leg has a row with its trigger and status", async () => {
    await list();
    await stage.shows("Shown triggers: 3, 4 legs");
    await expect.poll(() => cells("GTT triggers")).toEqual([
      ["INFY NSE", "900001", "single", "active", "1,408.00", "BUY", "10", "1,410.00", "01 Dec 2027"],
      ["RELIANCE NSE", "900002", "leg 1 of 2", "active", "1,372.90", "SELL", "100", "1,367.90", "01 Dec 2027"],
      ["RELIANCE NSE", "900002", "leg 2 of 2", "active", "1,742.90", "SELL", "100", "1,747.90", "01 Dec 2027"],
      ["TCS NSE", "900003", "single", "triggered", "3,291.80", "SELL", "12", "3,286.80", "01 Dec 2027"],
    ]);
    await row("TCS").click();
    await inspector().getByText("failed, Holdings are not authorised for sale.").waitFor();
    expect(stage.calls).toEqual([]);
  });

  it("G-2 distances appear with quotes that were asked for, signed, with the time of the quote", async () => {
    await list();
    await stage.shows("Shown triggers: 3");
    await expect.poll(async () => stage.view.getByRole("columnheader", { name: "Distance" }).count()).toBe(0);
    await button("Load current quotes").click();
    await stage.shows(/^Current quotes received/);
    // Quotes of the script: 1500.50, 1302.10, 3455.25 for INFY, RELIANCE, TCS.
    await expect.poll(async () => (await cells("GTT triggers")).map((c) => [c[5], c[10], c[11]])).toEqual([
      ["−6.16%", "1,500.50", "11:15:00"],
      ["+5.44%", "1,302.10", "11:15:00"],
      ["+33.85%", "1,302.10", "11:15:00"],
      ["−4.73%", "3,455.25", "11:15:00"],
    ]);
    expect(stage.callsOf("market", "quote").map((c) => c.args["instruments"])).toEqual([["NSE:INFY", "NSE:RELIANCE", "NSE:TCS"]]);
  });

  it("G-2 without quotes there is no distance on narrow screens either", async () => {
    await list(f.triggers(), 375);
    await stage.shows("Shown triggers: 3");
    await expect.poll(async () => row("RELIANCE").innerText()).toMatch(/SELL 100 at 1,367\.90, leg 1 of 2[\s\S]*1,372\.90 active/);
    await button("Load current quotes").click();
    await stage.shows(/^Current quotes received/);
    await expect.poll(async () => row("RELIANCE").innerText()).toContain("+5.44% at 11:15:00");
  });
});
