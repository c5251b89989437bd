// Today's orders as rows, and what an order went through.
import { num, rows, str, type Obj } from "../contract/json.ts";
import { rowKeys } from "./keys.ts";

export type OrderState = "open" | "complete" | "rejected" | "cancelled";

export interface Order {
  readonly key: string;
  /** EXCHANGE:TRADINGSYMBOL. */
  readonly id: string;
  readonly orderId: string;
  readonly symbol: string;
  readonly exchange: string;
  readonly token: number | null;
  /** BUY or SELL. */
  readonly side: string;
  readonly product: string;
  readonly type: string;
  readonly quantity: number | null;
  readonly filled: number | null;
  readonly pending: number | null;
  readonly cancelled: number | null;
  /** Rupees; null for an order without a limit. */
  readonly price: number | null;
  readonly trigger: number | null;
  /** Rupees; null before the first fill. */
  readonly average: number | null;
  /** As Kite writes it. */
  readonly status: string;
  /** Why it was rejected or cancelled, in the exchange's words; "" when nothing is said. */
  readonly reason: string;
  /** When it was placed, as Kite writes it. */
  readonly placedAt: string;
  readonly row: Obj;
}

/** Kite writes 0 for a price that an order does not have. */
const given = (v: unknown): number | null => num(v) || null;

export function readOrders(data: Obj): Order[] {
  const keyOf = rowKeys();
  return rows(data["data"]).map((row) => {
    const symbol = str(row["tradingsymbol"]);
    const exchange = str(row["exchange"]);
    const orderId = str(row["order_id"]);
    return {
      key: keyOf(orderId),
      id: exchange + ":" + symbol,
      orderId,
      symbol,
      exchange,
      token: num(row["instrument_token"]),
      side: str(row["transaction_type"]),
      product: str(row["product"]),
      type: str(row["order_type"]),
      quantity: num(row["quantity"]),
      filled: num(row["filled_quantity"]),
      pending: num(row["pending_quantity"]),
      cancelled: num(row["cancelled_quantity"]),
      price: given(row["price"]),
      trigger: given(row["trigger_price"]),
      average: given(row["average_price"]),
      status: str(row["status"]),
      reason: str(row["status_message"]) || str(row["status_message_raw"]),
      placedAt: str(row["order_timestamp"]),
      row,
    };
  });
}

/** What a status means for the person. Kite has many words for orders that are not finished. */
export function stateOf({ status }: Order): OrderState {
  switch (status) {
    case "COMPLETE":
      return "complete";
    case "REJECTED":
      return "rejected";
    case "CANCELLED":
      return "cancelled";
    default:
      return "open";
  }
}

/** How much of an order is filled, from 0 to 1; null when it is not known. */
export const progress = (o: Order): number | null => (o.quantity === null || o.filled === null || o.quantity <= 0 ? null : Math.min(1, Math.max(0, o.filled / o.quantity)));

/** A part of an order that was executed. */
export interface Fill {
  readonly key: string;
  readonly tradeId: string;
  readonly at: string;
  readonly quantity: number | null;
  readonly price: number | null;
}

export function readFills(data: Obj): Fill[] {
  const keyOf = rowKeys();
  return rows(data["data"]).map((row) => ({
    key: keyOf(str(row["trade_id"])),
    tradeId: str(row["trade_id"]),
    at: str(row["fill_timestamp"]) || str(row["exchange_timestamp"]),
    quantity: num(row["quantity"]),
    price: given(row["average_price"]),
  }));
}
