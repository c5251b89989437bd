import { describe, expect, it } from "vitest";

import { daysBefore, drawsLine, fitted, group, hasVolume, readCandles, sent, shownTime, today, wrongRange } from "../../src/model/candles.ts";
import { readFunds } from "../../src/model/funds.ts";
import { allocation, readHoldings, readSummary, shownTotals } from "../../src/model/holdings.ts";
import { bars, countOf, direction, hasStatus, readPositions } from "../../src/model/positions.ts";
import { missing, readDepth, readQuote, readQuotes } from "../../src/model/quotes.ts";
import { holds, sortRows } from "../../src/model/sort.ts";
import * as f from "../fixtures/results.ts";

const data = (result: Record<string, unknown>) => result["structuredContent"] as Record<string, unknown>;

describe("holdings", () => {
  it("H-7 derives values from settled and T1 shares together, and shows T1 apart", () => {
    const [h] = readHoldings({ data: [f.holding(0, { quantity: 60, t1_quantity: 15, average_price: 1702.9, last_price: 1881.6 })] });
    expect(h).toMatchObject({ settled: 60, t1: 15, quantity: 75 });
    expect(h!.invested).toBeCloseTo(127717.5, 6);
    expect(h!.current).toBeCloseTo(141120, 6);
  });

  it("does not compute with a cost that Kite does not know", () => {
    const [h] = readHoldings({ data: [f.holding(0, { average_price: 0, pnl: 8940 })] });
    expect(h).toMatchObject({ average: null, invested: null, pnl: null });
    expect(h!.current).not.toBeNull();
  });

  it("keeps rows apart that are missing everything", () => {
    const all = readHoldings({ data: [{}, {}, null, 5, "x"] });
    expect(all).toHaveLength(2);
    expect(new Set(all.map((h) => h.key)).size).toBe(2);
    expect(all[0]).toMatchObject({ symbol: "", quantity: null, invested: null, current: null, pnl: null });
  });

  it("H-6 sums what is shown, and counts what cannot be", () => {
    expect(shownTotals([{ pnl: 10 }, { pnl: -4.5 }, { pnl: null }])).toEqual({ rows: 3, pnl: 5.5, without: 1 });
  });

  it("H-11 reads a missing total as absent", () => {
    expect(readSummary({ total_pnl: "12" })).toEqual({ invested: null, current: null, pnl: null, pnlPercent: null, today: null, todayPercent: null });
  });

  it("H-10 lists what has no area", () => {
    const hs = readHoldings({ data: [f.holding(0), f.holding(1, { quantity: 0, t1_quantity: 0 }), f.holding(2, { quantity: -5, t1_quantity: 0 }), f.holding(3, { last_price: null })] });
    const { drawn, listed } = allocation(hs, "current");
    expect(drawn.map((s) => s.holding.symbol)).toEqual(["RELIANCE"]);
    expect(listed).toHaveLength(3);
    expect(allocation(readHoldings({ data: [f.holding(0, { pnl: -155 })] }), "pnl").drawn[0]!.size).toBe(155);
  });
});

describe("positions", () => {
  const all = readPositions(data(f.positions("all")), "all");

  it("P-2 the same symbol in two products is two rows", () => {
    const bank = all.filter((p) => p.symbol === "HDFCBANK" && p.view === "net");
    expect(bank.map((p) => p.product).sort()).toEqual(["CNC", "MIS"]);
    expect(new Set(all.map((p) => p.key)).size).toBe(all.length);
  });

  it("P-3 closed is a quantity of zero", () => {
    const net = all.filter((p) => p.view === "net");
    const count = (s: Parameters<typeof hasStatus>[1]) => net.filter((p) => hasStatus(p, s)).length;
    expect([count("all"), count("open"), count("closed"), count("long"), count("short")]).toEqual([5, 4, 1, 2, 2]);
    expect(direction({ ...net[0]!, quantity: null })).toBe("");
  });

  it("P-5 orders bars by magnitude and leaves absent values out", () => {
    expect(bars(all.filter((p) => p.view === "net")).map((p) => p.pnl)).toEqual([-4907.5, 1434, 415, -190, 90]);
    expect(bars([{ ...all[0]!, pnl: null }])).toEqual([]);
  });

  it("reads the counts of both views", () => {
    expect(countOf(data(f.positions("net")), "day")).toBe(3);
    expect(countOf({}, "net")).toBeNull();
  });
});

describe("quotes", () => {
  it("takes the change from the previous close, and from nothing else", () => {
    expect(readQuote("NSE:INFY", f.quote(1, 1510))).toMatchObject({ exchange: "NSE", symbol: "INFY", last: 1510, change: 10 });
    expect(readQuote("NSE:INFY", { last_price: 5 })).toMatchObject({ change: null, changePercent: null, volume: null });
    expect(readQuote("NSE:INFY", { last_price: 5, ohlc: { close: 0 } }).changePercent).toBeNull();
  });

  it("I-7 names what has no quote", () => {
    const d = data(f.quotes(["NSE:INFY"], ["NSE:NOPE"]));
    expect(readQuotes(d).map((q) => q.id)).toEqual(["NSE:INFY"]);
    expect(missing(d)).toEqual(["NSE:NOPE"]);
  });

  it("I-3 shows the levels there are, five at most", () => {
    expect(readDepth(f.quote(1, 100), "buy")).toHaveLength(5);
    expect(readDepth(f.quote(1, 100), "sell")).toHaveLength(3);
    expect(readDepth({ depth: { buy: Array.from({ length: 20 }, () => ({ price: 1, quantity: 1, orders: 1 })) } }, "buy")).toHaveLength(5);
    expect(readDepth({}, "buy")).toEqual([]);
  });
});

describe("candles", () => {
  const candles = readCandles({ data: f.candles(500) });

  it("C-7 every bar has the true high and low of its candles", () => {
    const grouped = group(candles, 60);
    expect(grouped.length).toBeLessThanOrEqual(60);
    expect(grouped[0]!.first).toBe(0);
    expect(grouped.at(-1)!.last).toBe(499);
    for (const b of grouped) {
      const part = candles.slice(b.first, b.last + 1);
      expect(b.high).toBe(Math.max(...part.map((c) => c.high!)));
      expect(b.low).toBe(Math.min(...part.map((c) => c.low!)));
      expect(b.open).toBe(part[0]!.open);
      expect(b.close).toBe(part.at(-1)!.close);
      expect(b.volume).toBe(part.reduce((sum, c) => sum + c.volume!, 0));
    }
  });

  it("draws each candle when there is room", () => expect(group(candles, 500)).toHaveLength(500));

  it("C-2, C-3 knows volume and wholeness", () => {
    expect([drawsLine(candles), hasVolume(candles)]).toEqual([false, true]);
    const odd = readCandles({ data: [{ date: "2026-01-01", close: 5 }, { date: "2026-01-02", open: 1, high: 2, low: 1, close: 2 }] });
    expect([drawsLine(odd), hasVolume(odd)]).toEqual([true, false]);
  });

  it("C-8 refuses what cannot be asked for", () => {
    const range = (from: string, to: string) => wrongRange({ interval: "day", from, to }, "2026-12-02");
    expect(range("2026-12-01", "2026-12-02")).toBe("");
    expect(range("2026-12-02", "2026-12-01")).toContain("after the end");
    expect(range("2026-12-03", "2026-12-04")).toContain("future");
    expect(range("2026-12-01", "2026-12-03")).toContain("end is in the future");
    expect(range("", "2026-12-02")).toContain("starts and ends");
    expect(range("2026-12-01T10:00", "2026-12-01")).toBe("");
    expect(range("2026-12-01T10:00", "2026-12-01T09:59")).toContain("after the end");
  });

  it("C-1 days become times of the trading day for intervals within it, and the other way round", () => {
    const day = { interval: "day", from: "2026-12-01", to: "2026-12-02" };
    const minutes = { interval: "5minute", from: "2026-12-01T09:15", to: "2026-12-02T15:30" };
    expect(fitted({ ...day, interval: "5minute" })).toEqual(minutes);
    expect(fitted({ ...minutes, interval: "day" })).toEqual(day);
    expect([sent("2026-12-01"), sent("2026-12-01T09:15"), sent("2026-12-01T09:15:30")]).toEqual(["2026-12-01", "2026-12-01 09:15:00", "2026-12-01 09:15:30"]);
    expect([shownTime("2026-12-01"), shownTime("2026-12-01 09:15:30"), shownTime("")]).toEqual(["2026-12-01", "2026-12-01T09:15:30", ""]);
  });

  it("counts days as India does", () => {
    expect(today(Date.UTC(2026, 11, 1, 20, 0))).toBe("2026-12-02");
    expect(daysBefore("2026-03-01", 1)).toBe("2026-02-28");
  });
});

describe("funds", () => {
  it("F-1, F-2 keeps every field of the source and labels a disabled segment", () => {
    const [equity, commodity] = readFunds(data(f.funds()));
    expect(equity).toMatchObject({ enabled: true, available: 132919.2875, cash: 115322, collateral: 61840.5, debits: 44243.2125 });
    expect(equity!.parts.flatMap((p) => p.fields.map(([k]) => k))).toEqual(["adhoc_margin", "cash", "opening_balance", "live_balance", "collateral", "intraday_payin", "debits", "exposure", "span", "m2m_unrealised", "enabled", "net"]);
    expect(commodity!.enabled).toBe(false);
    expect(readFunds({})).toEqual([]);
  });
});

describe("H-8 sorting", () => {
  const value = (r: { v: number | string | null }) => r.v;
  it("is stable, by number, with absent values last in both directions", () => {
    const rows = [{ v: 10 }, { v: null, n: 1 }, { v: 9 }, { v: 10, n: 2 }, { v: null, n: 2 }] as { v: number | null; n?: number }[];
    expect(sortRows(rows, value, false).map((r) => [r.v, r.n])).toEqual([[9, undefined], [10, undefined], [10, 2], [null, 1], [null, 2]]);
    expect(sortRows(rows, value, true).map((r) => [r.v, r.n])).toEqual([[10, undefined], [10, 2], [9, undefined], [null, 1], [null, 2]]);
  });
  it("leaves the rows it was given alone", () => {
    const rows = [{ v: 2 }, { v: 1 }];
    sortRows(rows, value, false);
    expect(rows.map((r) => r.v)).toEqual([2, 1]);
  });
  it("finds text in any case, literally", () => {
    expect(holds("m&m", "M&M", "NSE")).toBe(true);
    expect(holds(".*", "M&M")).toBe(false);
    expect(holds("  ", "M&M")).toBe(true);
  });
});
