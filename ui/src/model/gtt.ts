// Good-till-triggered orders as rows: one for each leg, because each has a trigger
// price and an order of its own.
import { at, list, num, obj, rows, str, type Obj } from "../contract/json.ts";
import type { Quote } from "./quotes.ts";
import { rowKeys } from "./keys.ts";

export interface Leg {
  readonly key: string;
  /** EXCHANGE:TRADINGSYMBOL. */
  readonly id: string;
  readonly triggerId: string;
  readonly symbol: string;
  readonly exchange: string;
  readonly token: number | null;
  /** Which leg of how many, from 1. */
  readonly number: number;
  readonly of: number;
  /** active, triggered, disabled, expired, cancelled, rejected or deleted. */
  readonly status: string;
  /** Rupees. */
  readonly trigger: number | null;
  readonly side: string;
  readonly quantity: number | null;
  readonly product: string;
  readonly type: string;
  /** Rupees; null for an order without a limit. */
  readonly price: number | null;
  /** What became of the leg's order; "" while it has not triggered. */
  readonly outcome: string;
  readonly expiresAt: string;
  /** The trigger with all its legs. */
  readonly row: Obj;
}

function outcomeOf(order: Obj): string {
  const result = at(order, "result", "order_result");
  const parts = [str(at(result, "status")), str(at(result, "order_id")), str(at(result, "rejection_reason"))];
  return parts.filter((p) => p !== "").join(", ");
}

/** Triggers as legs. A trigger whose legs are missing still has a row. */
export function readLegs(data: Obj): Leg[] {
  const keyOf = rowKeys();
  return rows(data["data"]).flatMap((row) => {
    const condition = obj(row["condition"]);
    const symbol = str(condition["tradingsymbol"]);
    const exchange = str(condition["exchange"]);
    const triggers = list(condition["trigger_values"]);
    const orders = list(row["orders"]);
    const triggerId = num(row["id"]) === null ? str(row["id"]) : String(num(row["id"]));
    const of = Math.max(1, triggers.length, orders.length);
    return Array.from({ length: of }, (_, i): Leg => {
      const order = obj(orders[i]);
      return {
        key: keyOf([triggerId, String(i + 1)].join(" ")),
        id: exchange + ":" + symbol,
        triggerId,
        symbol,
        exchange,
        token: num(condition["instrument_token"]),
        number: i + 1,
        of,
        status: str(row["status"]),
        trigger: num(triggers[i]),
        side: str(order["transaction_type"]),
        quantity: num(order["quantity"]),
        product: str(order["product"]),
        type: str(order["order_type"]),
        price: num(order["price"]) || null,
        outcome: outcomeOf(order),
        expiresAt: str(row["expires_at"]),
        row,
      };
    });
  });
}

/** How far the price has to move to the trigger, in percent of the quote; null without a quote. */
export function distance(leg: Leg, quote: Quote | undefined): number | null {
  const last = quote?.last ?? null;
  return last === null || last === 0 || leg.trigger === null ? null : ((leg.trigger - last) / last) * 100;
}
