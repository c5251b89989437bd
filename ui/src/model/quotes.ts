// Quotes by instrument, as a list.
import { at, list, num, obj, rows, str, type Obj } from "../contract/json.ts";
import { partsOf } from "./keys.ts";

export interface Quote {
  readonly id: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly token: number | null;
  readonly last: number | null;
  /** Change since the previous close in rupees and percent. */
  readonly change: number | null;
  readonly changePercent: number | null;
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
  readonly volume: number | null;
  readonly oi: number | null;
  readonly lowerCircuit: number | null;
  readonly upperCircuit: number | null;
  /** When the source says the quote was made; "" when it does not. */
  readonly timestamp: string;
  readonly row: Obj;
}

export function readQuote(id: string, row: Obj): Quote {
  const last = num(row["last_price"]);
  const close = num(at(row, "ohlc", "close"));
  const known = last !== null && close !== null && close !== 0;
  return {
    id,
    ...partsOf(id),
    token: num(row["instrument_token"]),
    last,
    change: known ? last - close : null,
    changePercent: known ? ((last - close) / close) * 100 : null,
    open: num(at(row, "ohlc", "open")),
    high: num(at(row, "ohlc", "high")),
    low: num(at(row, "ohlc", "low")),
    close,
    volume: num(row["volume"]),
    oi: num(row["oi"]),
    lowerCircuit: num(row["lower_circuit_limit"]),
    upperCircuit: num(row["upper_circuit_limit"]),
    timestamp: str(row["timestamp"]),
    row,
  };
}

export const readQuotes = (data: Obj): Quote[] => Object.entries(obj(data["data"])).map(([id, row]) => readQuote(id, obj(row)));

/** The instruments that were asked for and have no quote. */
export const missing = (data: Obj): string[] => list(at(data, "meta", "missing")).filter((id): id is string => typeof id === "string");

export interface Level {
  readonly price: number | null;
  readonly quantity: number | null;
  readonly orders: number | null;
}

/** Up to five levels of one side; Kite fills a thin book with levels at price 0. */
export const readDepth = (quote: Obj, side: "buy" | "sell"): Level[] =>
  rows(at(quote, "depth", side))
    .map((l) => ({ price: num(l["price"]), quantity: num(l["quantity"]), orders: num(l["orders"]) }))
    .filter((l) => l.price !== null && l.price !== 0)
    .slice(0, 5);
