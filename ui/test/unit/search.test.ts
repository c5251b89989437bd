import { describe, expect, it } from "vitest";

import { asksQuotes } from "../../src/bridge/calls.ts";
import { askedFor, byExpiry, lookedUp, readInstruments, searchFor, valuesOf } from "../../src/model/search.ts";
import * as f from "../fixtures/results.ts";

const data = (result: Record<string, unknown>) => result["structuredContent"] as Record<string, unknown>;

describe("the instrument finder", () => {
  it("S-4 sends the text as it was typed", () => {
    expect(searchFor({ field: "name", text: "  two  words * ", quotes: false }).arguments).toEqual({
      mode: "search", search_mode: "search", query: "  two  words * ", filter_on: "name", verbosity: "compact", from: 0, limit: 50,
    });
  });

  it("S-2, Q-1 a search with current quotes waits its turn with the other quotes", () => {
    const request = searchFor({ field: "isin", text: "x", quotes: true });
    expect(request.arguments["include_live_quote"]).toBe(true);
    expect([asksQuotes(request), asksQuotes(searchFor({ field: "isin", text: "x", quotes: false }))]).toEqual([true, false]);
  });

  it("S-3 knows what the chat asked for", () => {
    const asked = (args: Record<string, unknown>) => askedFor({ tool: "market", arguments: args });
    expect(asked({ query: "Infosys", filter_on: "name", include_live_quote: true })).toEqual({ field: "name", text: "Infosys", quotes: true });
    expect(asked({ query: 5, filter_on: "colour" })).toEqual({ field: "id", text: "", quotes: false });
    expect(askedFor(null)).toEqual({ field: "id", text: "", quotes: false });
    expect(lookedUp({ tool: "market", arguments: { search_mode: "get_by_tradingsymbol", exchange: "NSE", tradingsymbol: "INFY" } })).toBe("exchange NSE, tradingsymbol INFY");
    expect(lookedUp({ tool: "market", arguments: { search_mode: "search", query: "x" } })).toBe("");
  });

  it("S-6 groups by the expiry that was given, and reads nothing out of a symbol", () => {
    const all = readInstruments(data(f.search({ query: "infy" })));
    expect(byExpiry(all).map((g) => [g.expiry, g.rows.map((i) => i.symbol)])).toEqual([
      ["2026-12-29", ["INFY26DEC1410CE"]],
      ["2027-01-25", ["INFY27JANFUT"]],
      ["", ["INFY", "INFY", "INFY26DEC1420PE"]],
    ]);
    expect(all.at(-1)).toMatchObject({ expiry: "", strike: null, lot: null });
  });

  it("S-2 a price is current only when the server says that it added quotes", () => {
    const full = { ...f.found[0], exchange_token: "1594", last_price: 1449.5 };
    expect(readInstruments(data(f.search({}, [full])))[0]!.last).toBeNull();
    const [quoted] = readInstruments(data(f.search({ include_live_quote: true })));
    expect(quoted).toMatchObject({ last: 1500.5, quotedAt: "2026-12-02 11:15:00" });
    expect(quoted!.changePercent).toBeCloseTo((10 / 1490.5) * 100, 10);
  });

  it("S-5 offers the values that the page has", () => {
    expect(valuesOf(readInstruments(data(f.search({}))), (i) => i.exchange)).toEqual(["BSE", "NFO", "NSE"]);
    const odd = readInstruments({ data: [{}, {}, null, { id: 5, expiry: 7 }] });
    expect(new Set(odd.map((i) => i.key)).size).toBe(3);
    expect(odd[0]).toMatchObject({ id: ":", symbol: "", expiry: "", strike: null, lot: null, token: null });
  });
});
