// Instruments that a search found. What a row does not say is absent: nothing is
// read out of a trading symbol.
import { at, num, obj, rows, str, type Obj } from "../contract/json.ts";
import type { Request } from "../contract/result.ts";
import { rowKeys } from "./keys.ts";
import { readQuote } from "./quotes.ts";

/** What the server searches in, as its argument filter_on has it. */
export const fields = [
  ["id", "Instrument ID"],
  ["name", "Company name"],
  ["tradingsymbol", "Trading symbol"],
  ["isin", "ISIN"],
  ["underlying", "Underlying"],
] as const;

export type Field = (typeof fields)[number][0];

export const isField = (v: unknown): v is Field => fields.some(([key]) => key === v);

/** What the person asks for. */
export interface Query {
  readonly field: Field;
  readonly text: string;
  readonly quotes: boolean;
}

/** The longest text that the server takes, in characters. */
export const longestQuery = 100;

/** A search as a request. The text is sent as it was typed: spaces are part of it. */
export const searchFor = ({ field, text, quotes }: Query): Request => ({
  tool: "market",
  arguments: { mode: "search", search_mode: "search", query: text, filter_on: field, verbosity: "compact", ...(quotes ? { include_live_quote: true } : {}), from: 0, limit: 50 },
});

/** What was asked for, for the form; a lookup by another argument leaves the text empty. */
export function askedFor(request: Request | null): Query {
  const args = request?.arguments ?? {};
  const field = args["filter_on"];
  return { field: isField(field) ? field : "id", text: str(args["query"]), quotes: args["include_live_quote"] === true };
}

const lookups: Readonly<Record<string, readonly string[]>> = {
  get_by_id: ["id"],
  get_by_tradingsymbol: ["exchange", "tradingsymbol"],
  get_by_isin: ["isin"],
  get_by_inst_token: ["inst_token"],
  get_by_exch_token: ["exchange", "exch_token"],
};

/** How one instrument was looked up, in words; "" for a search. */
export function lookedUp(request: Request | null): string {
  const args = request?.arguments ?? {};
  const by = lookups[str(args["search_mode"])];
  return by ? by.map((name) => `${name.replaceAll("_", " ")} ${String(args[name] ?? "")}`).join(", ") : "";
}

export interface Instrument {
  readonly key: string;
  /** EXCHANGE:TRADINGSYMBOL. */
  readonly id: string;
  readonly symbol: string;
  readonly exchange: string;
  readonly token: number | null;
  readonly name: string;
  readonly type: string;
  /** YYYY-MM-DD; "" when the row has none. */
  readonly expiry: string;
  readonly strike: number | null;
  readonly lot: number | null;
  /** Rupees; null unless the rows carry current quotes. */
  readonly last: number | null;
  readonly changePercent: number | null;
  readonly quotedAt: string;
  readonly row: Obj;
}

/** Whether the rows carry current quotes. Full rows have a last_price besides, of the start of the day. */
export const isQuoted = (data: Obj): boolean => at(data, "meta", "live_quote_enriched") === true;

export function readInstruments(data: Obj): Instrument[] {
  const keyOf = rowKeys();
  const quoted = isQuoted(data);
  return rows(data["data"]).map((row) => {
    const exchange = str(row["exchange"]);
    const symbol = str(row["tradingsymbol"]);
    const id = str(row["id"]) || exchange + ":" + symbol;
    const quote = readQuote(id, quoted ? row : obj(null));
    return {
      key: keyOf(id),
      id,
      symbol,
      exchange,
      token: num(row["instrument_token"]),
      name: str(row["name"]),
      type: str(row["instrument_type"]),
      expiry: str(row["expiry"]),
      strike: num(row["strike"]),
      lot: num(row["lot_size"]),
      last: quote.last,
      changePercent: quote.changePercent,
      quotedAt: quote.timestamp,
      row,
    };
  });
}

/** The values of a page that its filters offer, in order. */
export const valuesOf = (all: readonly Instrument[], of: (i: Instrument) => string): string[] => [...new Set(all.map(of).filter((v) => v !== ""))].sort();

export interface Group {
  readonly expiry: string;
  readonly rows: readonly Instrument[];
}

/** Contracts by their expiry, the nearest first and those without one last. */
export function byExpiry(shown: readonly Instrument[]): Group[] {
  const groups = new Map<string, Instrument[]>();
  for (const i of shown) groups.set(i.expiry, [...(groups.get(i.expiry) ?? []), i]);
  return [...groups].map(([expiry, of]) => ({ expiry, rows: of })).sort((a, b) => Number(a.expiry === "") - Number(b.expiry === "") || a.expiry.localeCompare(b.expiry));
}
