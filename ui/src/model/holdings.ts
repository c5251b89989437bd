// Holdings as rows: values are derived from the portfolio snapshot only.
import { num, obj, rows, str, type Obj } from "../contract/json.ts";
import { rowKeys } from "./keys.ts";

export interface Holding {
  readonly key: string;
  readonly id: string;
  readonly symbol: string;
  readonly exchange: string;
  readonly token: number | null;
  /** Settled shares. */
  readonly settled: number | null;
  /** Bought, not yet settled. */
  readonly t1: number;
  /** Settled and T1 together. */
  readonly quantity: number | null;
  /** Rupees; null when Kite does not know the cost. */
  readonly average: number | null;
  readonly last: number | null;
  readonly invested: number | null;
  readonly current: number | null;
  readonly pnl: number | null;
  /** Today's change per share in percent. */
  readonly dayPercent: number | null;
  readonly dayChange: number | null;
  readonly row: Obj;
}

const times = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

export function readHoldings(data: Obj): Holding[] {
  const keyOf = rowKeys();
  return rows(data["data"]).map((row) => {
    const symbol = str(row["tradingsymbol"]);
    const exchange = str(row["exchange"]);
    const settled = num(row["quantity"]);
    const t1 = num(row["t1_quantity"]) ?? 0;
    const quantity = settled === null ? null : settled + t1;
    const cost = num(row["average_price"]);
    const average = cost === 0 ? null : cost; // Kite writes 0 for a cost it does not know
    const last = num(row["last_price"]);
    return {
      key: keyOf(exchange + ":" + symbol),
      id: exchange + ":" + symbol,
      symbol,
      exchange,
      token: num(row["instrument_token"]),
      settled,
      t1,
      quantity,
      average,
      last,
      invested: times(average, quantity),
      current: times(last, quantity),
      pnl: average === null ? null : num(row["pnl"]),
      dayPercent: num(row["day_change_percentage"]),
      dayChange: num(row["day_change"]),
      row,
    };
  });
}

/** The totals of the whole account, as the server computed them. */
export interface Summary {
  readonly invested: number | null;
  readonly current: number | null;
  readonly pnl: number | null;
  readonly pnlPercent: number | null;
  readonly today: number | null;
  readonly todayPercent: number | null;
}

export function readSummary(data: Obj): Summary {
  const s = obj(data);
  return {
    invested: num(s["invested_amount"]),
    current: num(s["current_value"]),
    pnl: num(s["total_pnl"]),
    pnlPercent: num(s["total_pnl_percent"]),
    today: num(s["today_pnl"]),
    todayPercent: num(s["today_pnl_percent"]),
  };
}

export interface ShownTotals {
  readonly rows: number;
  readonly pnl: number;
  /** Rows without a profit, because their cost or price is not known. */
  readonly without: number;
}

/** Sums what is shown; it is not the account. */
export function shownTotals(shown: readonly { readonly pnl: number | null }[]): ShownTotals {
  let pnl = 0;
  let without = 0;
  for (const h of shown) {
    if (h.pnl === null) without++;
    else pnl += h.pnl;
  }
  return { rows: shown.length, pnl, without };
}

export type Sizing = "current" | "invested" | "pnl";

export interface Share {
  readonly holding: Holding;
  readonly size: number;
}

/** What a treemap draws, and what it cannot: sizes that are zero, negative or unknown. */
export function allocation(shown: readonly Holding[], by: Sizing): { drawn: Share[]; listed: Holding[] } {
  const drawn: Share[] = [];
  const listed: Holding[] = [];
  for (const holding of shown) {
    const value = by === "pnl" ? Math.abs(holding.pnl ?? 0) : (holding[by] ?? 0);
    if (value > 0) drawn.push({ holding, size: value });
    else listed.push(holding);
  }
  return { drawn, listed };
}
