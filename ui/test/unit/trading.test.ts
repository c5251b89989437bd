import { describe, expect, it } from "vitest";

import { distance, readLegs } from "../../src/model/gtt.ts";
import { progress, readFills, readOrders, stateOf } from "../../src/model/orders.ts";
import { readQuote } from "../../src/model/quotes.ts";
import * as f from "../fixtures/results.ts";

describe("orders", () => {
  it("D-1 an order's price is absent where Kite writes zero, its reason and state are told", () => {
    const [open, complete, rejected, cancelled, waiting] = readOrders({ data: [...f.orderBook] });
    expect(open).toMatchObject({ orderId: "2044000000000000001", id: "NSE:HDFCBANK", filled: 150, pending: 250, price: 1051.2, trigger: null, average: 1051.2, reason: "" });
    expect([open, complete, rejected, cancelled, waiting].map((o) => stateOf(o!))).toEqual(["open", "complete", "rejected", "cancelled", "open"]);
    expect(rejected).toMatchObject({ reason: f.rejection, average: null });
    expect(cancelled).toMatchObject({ price: null, cancelled: 100 });
    expect(waiting!.trigger).toBe(224.35);
  });

  it("D-1 progress is the filled part, and unknown when a quantity is", () => {
    const of = (quantity: unknown, filled: unknown) => progress(readOrders({ data: [f.order({ quantity, filled_quantity: filled })] })[0]!);
    expect([of(400, 150), of(400, 0), of(400, 400), of(400, 500), of(0, 0), of(null, 1), of("400", 1)]).toEqual([0.375, 0, 1, 1, null, null, null]);
  });

  it("keeps rows apart that are missing everything", () => {
    const all = readOrders({ data: [{}, {}, null, 5, "x"] });
    expect(new Set(all.map((o) => o.key)).size).toBe(2);
    expect(all[0]).toMatchObject({ symbol: "", orderId: "", quantity: null, price: null, status: "", reason: "" });
    expect(readFills({ data: [{}, null] })).toMatchObject([{ tradeId: "", at: "", quantity: null, price: null }]);
  });
});

describe("triggers", () => {
  const legs = readLegs({ data: [...f.triggerList] });

  it("G-1 each leg has its own trigger, order and outcome", () => {
    expect(legs.map((l) => [l.triggerId, l.symbol, l.number, l.of, l.trigger, l.price])).toEqual([
      ["900001", "INFY", 1, 1, 1408, 1410],
      ["900002", "RELIANCE", 1, 2, 1372.9, 1367.9],
      ["900002", "RELIANCE", 2, 2, 1742.9, 1747.9],
      ["900003", "TCS", 1, 1, 3291.8, 3286.8],
    ]);
    expect(legs.map((l) => l.outcome)).toEqual(["", "", "", "failed, Holdings are not authorised for sale."]);
  });

  it("G-2 the distance is (trigger - last) / last in percent, and absent without a quote", () => {
    const quoted = (last: unknown) => readQuote("NSE:RELIANCE", { last_price: last });
    expect(distance(legs[1]!, quoted(1708.3))).toBeCloseTo(((1372.9 - 1708.3) / 1708.3) * 100, 10);
    expect(distance(legs[2]!, quoted(1708.3))).toBeCloseTo(2.0254, 4);
    expect([distance(legs[1]!, undefined), distance(legs[1]!, quoted(null)), distance(legs[1]!, quoted(0)), distance({ ...legs[1]!, trigger: null }, quoted(5))]).toEqual([null, null, null, null]);
  });

  it("reads triggers that are missing everything", () => {
    const all = readLegs({ data: [{}, {}, { condition: 5, orders: "x" }, null] });
    expect(all).toHaveLength(3);
    expect(new Set(all.map((l) => l.key)).size).toBe(3);
    expect(all[0]).toMatchObject({ symbol: "", triggerId: "", number: 1, of: 1, trigger: null, price: null, outcome: "" });
  });
});
