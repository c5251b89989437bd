// Views that the chat opens with open_kite_view.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles } from "../host/profiles.ts";
import { server } from "./script.ts";
import { launch, Stage, type Json } from "./stage.ts";

let browser: Browser;
let stage: Stage;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
afterEach(() => stage.close());

const chainArgs = { underlying: "NIFTY", exchange: "NFO", expiry: "2026-12-29" };

/** Arguments of the call, its result, what the view says, and the calls that belong to the view besides. */
const views: Readonly<Record<string, readonly [Json, Json, string | RegExp, readonly string[]]>> = {
  holdings: [{}, f.holdings(10), "RELIANCE", ["summary"]],
  positions: [{}, f.positions("all"), "Net exposure", []],
  funds: [{}, f.funds(), "Available margin", []],
  orders: [{}, f.orders(), "Shown orders: 5", []],
  gtt: [{}, f.triggers(), "Shown triggers: 3", []],
  option_chain: [chainArgs, f.chain(8), /^8 strikes\. Quotes received/, ["quote", "quote"]],
  quote: [{ instruments: ["NSE:INFY"] }, f.quotes(["NSE:INFY"]), "1,500.50", []],
  historical: [{ instrument_token: 408065, interval: "day", from_date: "2026-01-01", to_date: "2026-12-01" }, f.history(408065, f.candles(60)), /^60 candles/, []],
  search: [{ query: "infy" }, f.search({ query: "infy" }), "Shown instruments: 5", []],
};

it.each(Object.entries(views))("L-1 open_kite_view opens %s with its arguments, without a second call for its data", async (view, [args, result, text, besides]) => {
  stage = await Stage.open(browser, profiles.full, { answer: server() });
  await stage.deliver({ view, ...args }, f.opened(view, result, args));
  await stage.shows(text);
  await expect.poll(() => stage.calls.map((c) => (c.args["type"] === "summary" ? "summary" : c.args["mode"]))).toEqual(besides);
  await expect.poll(async () => stage.view.getByText("A newer request is on its way").count()).toBe(0);
});
