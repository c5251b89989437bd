// Positions as rows. Net exposure and today's activity describe the same trades
// twice and are never summed.
import { at, num, rows, str, type Obj } from "../contract/json.ts";
import { rowKeys } from "./keys.ts";

export type PositionView = "net" | "day";
export type Status = "all" | "open" | "closed" | "long" | "short";

export interface Position {
  readonly key: string;
  readonly id: string;
  readonly view: PositionView;
  readonly symbol: string;
  readonly exchange: string;
  readonly token: number | null;
  readonly product: string;
  readonly quantity: number | null;
  readonly average: number | null;
  readonly last: number | null;
  readonly pnl: number | null;
  readonly realised: number | null;
  readonly unrealised: number | null;
  readonly row: Obj;
}

export function readPositions(data: Obj, asked: unknown): Position[] {
  const keyOf = rowKeys();
  return rows(data["data"]).map((row) => {
    const symbol = str(row["tradingsymbol"]);
    const exchange = str(row["exchange"]);
    const view: PositionView = (str(row["position_view"]) || asked) === "day" ? "day" : "net";
    const average = num(row["average_price"]);
    return {
      key: keyOf([view, exchange + ":" + symbol, str(row["product"])].join(" ")),
      id: exchange + ":" + symbol,
      view,
      symbol,
      exchange,
      token: num(row["instrument_token"]),
      product: str(row["product"]),
      quantity: num(row["quantity"]),
      average: average === 0 ? null : average,
      last: num(row["last_price"]),
      pnl: num(row["pnl"]),
      realised: num(row["realised"]),
      unrealised: num(row["unrealised"]),
      row,
    };
  });
}

export const direction = (p: Position): "long" | "short" | "closed" | "" =>
  p.quantity === null ? "" : p.quantity > 0 ? "long" : p.quantity < 0 ? "short" : "closed";

export function hasStatus(p: Position, status: Status): boolean {
  const d = direction(p);
  switch (status) {
    case "all":
      return true;
    case "open":
      return d === "long" || d === "short";
    default:
      return d === status;
  }
}

/** How many positions of a view there are in the whole list; null when the server did not count. */
export const countOf = (data: Obj, view: PositionView): number | null => num(at(data, "meta", "counts", view));

/** Bars for gains and losses, the largest first. Products are not merged. */
export const bars = (shown: readonly Position[]): Position[] =>
  shown.filter((p) => p.pnl !== null).sort((a, b) => Math.abs(b.pnl ?? 0) - Math.abs(a.pnl ?? 0));
