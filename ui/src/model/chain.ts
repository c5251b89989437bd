// The option chain: underlyings, expiries, and strikes with a call and a put each.
import { at, isObj, list, num, obj, rows, str, type Obj } from "../contract/json.ts";
import type { Request } from "../contract/result.ts";
import { readQuote, type Quote } from "./quotes.ts";

export const exchanges = [
  ["NFO", "NFO"],
  ["BFO", "BFO"],
] as const;

/** How far the person has chosen. */
export type Stage = "underlyings" | "expiries" | "strikes";

/** One of the two options of a strike. */
export interface Option {
  /** EXCHANGE:TRADINGSYMBOL. */
  readonly id: string;
  readonly token: number | null;
  readonly symbol: string;
  readonly row: Obj;
}

export interface Strike {
  /** Rupees. */
  readonly strike: number;
  /** Null when there is no such contract. */
  readonly call: Option | null;
  readonly put: Option | null;
}

/** What a result lists, by its rows; an empty one by what was asked for. */
export function stageOf(data: Obj, request: Request | null): Stage {
  const first = rows(data["data"])[0];
  if (first) return num(first["strike"]) !== null ? "strikes" : str(first["expiry"]) !== "" ? "expiries" : "underlyings";
  const args = request?.arguments ?? {};
  return str(args["expiry"]) !== "" ? "strikes" : str(args["underlying"]) !== "" ? "expiries" : "underlyings";
}

function readOption(v: unknown): Option | null {
  const id = str(at(v, "id"));
  return id === "" ? null : { id, token: num(at(v, "instrument_token")), symbol: str(at(v, "tradingsymbol")), row: obj(v) };
}

export const readStrikes = (data: Obj): Strike[] =>
  rows(data["data"]).flatMap((row) => {
    const strike = num(row["strike"]);
    return strike === null ? [] : [{ strike, call: readOption(row["call"]), put: readOption(row["put"]) }];
  });

/** What the strikes are compared with, as far as the instruments list has it. */
export interface References {
  readonly underlying: Option | null;
  readonly future: Option | null;
}

export const readReferences = (data: Obj): References => ({ underlying: readOption(at(data, "references", "underlying")), future: readOption(at(data, "references", "future")) });

/** The expiries that the person can choose, the nearest first. */
export const expiriesOf = (data: Obj): string[] => list(data["expiries"]).map(str).filter((e) => e !== "");

export const revisionOf = (data: Obj): string => str(at(data, "meta", "catalog_revision"));

/** Quotes that came with the rows. */
export function quotesWithin(strikes: readonly Strike[]): Map<string, Quote> {
  const out = new Map<string, Quote>();
  for (const s of strikes) {
    for (const o of [s.call, s.put]) if (o && isObj(o.row["quote"])) out.set(o.id, readQuote(o.id, o.row["quote"]));
  }
  return out;
}

/** The place of the strike that is nearest to a price; -1 without strikes. */
export function nearest(strikes: readonly Strike[], price: number): number {
  let best = -1;
  strikes.forEach((s, i) => {
    const b = strikes[best];
    if (!b || Math.abs(s.strike - price) < Math.abs(b.strike - price)) best = i;
  });
  return best;
}

/** All options, those around a place of the chain first. */
export function around(strikes: readonly Strike[], place: number): string[] {
  return strikes
    .map((s, i) => ({ s, away: Math.abs(i - place) }))
    .sort((a, b) => a.away - b.away)
    .flatMap(({ s }) => [s.call, s.put].flatMap((o) => (o ? [o.id] : [])));
}

/** Lists of at most so many. */
export const batches = <T>(all: readonly T[], most: number): T[][] => Array.from({ length: Math.ceil(all.length / most) }, (_, i) => all.slice(i * most, (i + 1) * most));
