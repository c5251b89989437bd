// The instrument finder, as a person uses it.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles } from "../host/profiles.ts";
import { server } from "./script.ts";
import { launch, Stage, type Json } from "./stage.ts";

let browser: Browser;
let stage: Stage;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
afterEach(() => stage.close());

const button = (name: string) => stage.view.getByRole("button", { name, exact: true });
const text = () => stage.view.getByRole("searchbox", { name: "Text" });
const field = () => stage.view.getByLabel("Search in");
const groups = async () => (await stage.view.locator(".list > section details > summary").allInnerTexts()).map((t) => t.trim());
const shown = async () => stage.view.locator(".row-button .symbol").evaluateAll((all) => all.map((e) => e.getAttribute("title") ?? e.textContent));

/** The finder, from the view's own navigation. */
async function form(width = 960): Promise<void> {
  stage = await Stage.open(browser, profiles.full, { answer: server(), width });
  await stage.deliver({ mode: "margins" }, f.funds());
  await button("Find").click();
  await text().waitFor();
}

/** The finder with what the chat searched for. */
async function found(args: Json, result: Json = f.search(args), width = 960): Promise<void> {
  stage = await Stage.open(browser, profiles.full, { answer: server(), width });
  await stage.deliver({ mode: "search", ...args }, result);
}

describe("the instrument finder", () => {
  it("S-1 offers five fields, and sends nothing until it is told to, by Enter or by the button", async () => {
    await form();
    await expect.poll(async () => field().locator("option").allInnerTexts()).toEqual(["Instrument ID", "Company name", "Trading symbol", "ISIN", "Underlying"]);
    await expect.poll(async () => button("Search").isDisabled()).toBe(true);
    await expect.poll(async () => button("Refresh").isDisabled()).toBe(true);
    await field().selectOption("name");
    await text().fill("Infosys");
    expect(stage.callsOf("market", "search")).toHaveLength(0);
    await text().press("Enter");
    await stage.shows("Shown instruments: 5");
    await field().selectOption("isin");
    await text().fill("INE009A01021");
    await button("Search").click();
    await expect.poll(() => stage.callsOf("market", "search").map((c) => [c.args["filter_on"], c.args["query"]])).toEqual([
      ["name", "Infosys"],
      ["isin", "INE009A01021"],
    ]);
    await expect.poll(async () => button("Refresh").isEnabled()).toBe(true);
  });

  it("S-2 current quotes are asked for with a tick, by Refresh too", async () => {
    await form();
    await text().fill("infy");
    await stage.view.getByLabel("Include current quotes").check();
    await text().press("Enter");
    await stage.shows("1,500.50");
    await button("Refresh").click();
    await expect.poll(() => stage.callsOf("market", "search").length).toBe(2);
    const [first, second] = stage.callsOf("market", "search");
    expect([first!.args["include_live_quote"], second!.args["include_live_quote"]]).toEqual([true, true]);
  });

  it("S-3 field and text of the chat are chosen, and stay over refresh and paging", async () => {
    const args = { query: "infosys ltd", filter_on: "name" };
    await found(args, f.search(args, f.found, 0, 5, 12));
    await stage.shows("1 to 5 of 12");
    const chosen = async () => [await field().inputValue(), await text().inputValue()];
    await expect.poll(chosen).toEqual(["name", "infosys ltd"]);
    await button("Next").click();
    await expect.poll(() => stage.callsOf("market", "search").map((c) => [c.args["query"], c.args["filter_on"], c.args["from"]])).toEqual([["infosys ltd", "name", 5]]);
    await button("Refresh").click();
    await expect.poll(() => stage.callsOf("market", "search").length).toBe(2);
    await expect.poll(chosen).toEqual(["name", "infosys ltd"]);
  });

  it("S-4 the text goes out as it was typed, and a hint says so", async () => {
    await form();
    await stage.shows(/spaces are part of it/);
    await text().fill("  two  words * ");
    await text().press("Enter");
    await expect.poll(() => stage.callsOf("market", "search").map((c) => c.args["query"])).toEqual(["  two  words * "]);
  });

  it("S-5 filters act on this page by exchange, type and expiry", async () => {
    await found({ query: "infy" });
    await stage.shows("Shown instruments: 5");
    await stage.view.getByLabel("Exchange on this page").selectOption("NFO");
    await stage.shows("Shown instruments: 3 of 5 on this page");
    await stage.view.getByLabel("Type on this page").selectOption("CE");
    await stage.shows("Shown instruments: 1 of 5 on this page");
    await stage.view.getByLabel("Expiry on this page").selectOption("2027-01-25");
    await stage.shows("No instrument of this page matches the filters.");
    expect(stage.calls).toEqual([]);
  });

  it("S-6 contracts are grouped by the expiry they came with, the others under their own heading", async () => {
    await found({ query: "infy" });
    await expect.poll(groups).toEqual(["Expiry 29 Dec 2026 (1)", "Expiry 25 Jan 2027 (1)", "No expiry given (3)"]);
    await expect.poll(shown).toEqual(["INFY26DEC1410CE", "INFY27JANFUT", "INFY", "INFY", "INFY26DEC1420PE"]);
    const row = stage.view.locator("tr", { hasText: "INFY26DEC1420PE" });
    await expect.poll(async () => (await row.locator("td").allInnerTexts()).map((t) => t.trim())).toEqual(["INFY", "PE", "–"]);
  });

  it("S-6 shares alone have no headings", async () => {
    await found({ query: "infy" }, f.search({ query: "infy" }, f.found.slice(0, 2)));
    await expect.poll(shown).toEqual(["INFY", "INFY"]);
    expect(await groups()).toEqual([]);
  });

  it("S-7 no match is said with the text as it was searched for", async () => {
    await form();
    await text().fill("no <b>such</b> thing");
    await field().selectOption("tradingsymbol");
    await button("Search").click();
    await stage.shows("No instrument has “no <b>such</b> thing” in its trading symbol.");
  });

  it("I-1, I-4 a row opens the inspector, and its contract details join what the list says", async () => {
    await found({ query: "infy" }, f.search({ query: "infy" }), 1440);
    await stage.view.getByRole("button", { name: /^INFY26DEC1410CE/ }).click();
    const inspector = stage.view.locator(".inspector");
    await inspector.getByText("1,410.00").waitFor();
    await stage.view.getByRole("tab", { name: "Details" }).click();
    await button("Load contract details").click();
    await inspector.getByText("tick_size").waitFor();
    await inspector.getByText("instrument_type").waitFor();
    expect(stage.callsOf("market", "search").map((c) => [c.args["search_mode"], c.args["inst_token"], c.args["verbosity"]])).toEqual([["get_by_inst_token", 4, "full"]]);
  });

  it("N-1, S-1 the form and its results fit a narrow screen", async () => {
    await form(375);
    await text().fill("infy");
    await text().press("Enter");
    await stage.shows("Shown instruments: 5");
    await expect.poll(async () => stage.view.getByRole("table").count()).toBe(0);
    await expect.poll(() => stage.view.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });
});
