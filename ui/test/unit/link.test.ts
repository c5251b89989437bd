import { describe, expect, it } from "vitest";

import { linked } from "../../src/bridge/link.ts";

describe("X-3, X-8 a link of the host", () => {
  it.each([
    ["/holdings", "portfolio", { mode: "holdings", type: "full", from: 0, limit: 100 }],
    ["/holdings/", "portfolio", { mode: "holdings", type: "full", from: 0, limit: 100 }],
    ["/holdings?from=100&limit=50", "portfolio", { mode: "holdings", type: "full", from: 100, limit: 50 }],
    ["/positions?position_view=net", "portfolio", { mode: "positions", position_view: "net", from: 0, limit: 100 }],
    ["/funds", "portfolio", { mode: "margins" }],
    ["/quote?instruments=NSE:INFY,NSE:M%26M", "market", { mode: "quote", instruments: ["NSE:INFY", "NSE:M&M"] }],
    ["/historical?instrument_token=408065&interval=day&from_date=2026-09-01&to_date=2026-12-01", "market", { mode: "historical", instrument_token: 408065, interval: "day", from_date: "2026-09-01", to_date: "2026-12-01" }],
    ["/orders", "orders_read", { mode: "list", from: 0, limit: 100 }],
    ["/gtt", "gtt_read", { mode: "list", from: 0, limit: 100 }],
    ["/option-chain?underlying=NIFTY&exchange=NFO", "market", { mode: "option_chain", exchange: "NFO", underlying: "NIFTY", from: 0, limit: 250 }],
    ["/search?query=INFY&filter_on=name", "market", { mode: "search", query: "INFY", filter_on: "name" }],
  ])("%s opens its view", (url, tool, args) => expect(linked(url)).toEqual({ tool, arguments: args }));

  it.each([
    "", "/", "holdings", "//holdings", "/holdings#x", "/holdings//", "/holdings/..", "/../holdings", "/Holdings", "/holdings x", "\n/holdings", "/holdings\n",
    "https://evil.test/holdings", "javascript:alert(1)", "/javascript:alert(1)", "\\holdings", "/%68oldings", "/holdings%00",
    "/search", "/option-chain?strike=5", "/orders?order_id=1", "/other", "/constructor", "/__proto__", "/toString",
    "/holdings?type=summary", "/holdings?mode=exit", "/holdings?from=1&from=2", "/holdings?from=", "/holdings?_app_request_id=x", "/holdings?__proto__=1", "/funds?from=1",
    "/quote", "/quote?instruments=", "/historical?instrument_token=1",
    "/holdings?from=" + "1".repeat(600),
    null, undefined, 7, {}, ["/holdings"], { url: "/holdings" },
  ])("%j is none", (url) => expect(linked(url)).toBeNull());
});
