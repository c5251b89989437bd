// Candles and what a chart draws of them.
import { num, rows, str, type Obj } from "../contract/json.ts";

export interface Candle {
  readonly date: string;
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
  readonly volume: number | null;
  readonly oi: number | null;
}

export const readCandles = (data: Obj): Candle[] =>
  rows(data["data"]).map((c) => ({
    date: str(c["date"]),
    open: num(c["open"]),
    high: num(c["high"]),
    low: num(c["low"]),
    close: num(c["close"]),
    volume: num(c["volume"]),
    oi: num(c["oi"]),
  }));

const whole = (c: Candle): boolean => c.open !== null && c.high !== null && c.low !== null && c.close !== null;

/** Candles are drawn when every one is whole, else the line of closing prices. */
export const drawsLine = (candles: readonly Candle[]): boolean => !candles.every(whole);

export const hasVolume = (candles: readonly Candle[]): boolean => candles.some((c) => c.volume !== null);

/** One drawn bar: the candles from first to last, both included. */
export interface Bar {
  readonly first: number;
  readonly last: number;
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
  readonly volume: number | null;
}

const best = (a: number | null, b: number | null, pick: (a: number, b: number) => number): number | null =>
  a === null ? b : b === null ? a : pick(a, b);

/** Joins neighbours until there are at most as many bars as can be seen. Highs and lows stay true. */
export function group(candles: readonly Candle[], most: number): Bar[] {
  const size = Math.max(1, Math.ceil(candles.length / Math.max(1, Math.floor(most))));
  const bars: Bar[] = [];
  for (let first = 0; first < candles.length; first += size) {
    const part = candles.slice(first, first + size);
    let [high, low, volume]: (number | null)[] = [null, null, null];
    for (const c of part) {
      high = best(high ?? null, c.high, Math.max);
      low = best(low ?? null, c.low, Math.min);
      volume = best(volume ?? null, c.volume, (a, b) => a + b);
    }
    const closes = part.filter((c) => c.close !== null);
    bars.push({ first, last: first + part.length - 1, open: part[0]?.open ?? null, high: high ?? null, low: low ?? null, close: closes.at(-1)?.close ?? null, volume: volume ?? null });
  }
  return bars;
}

export const intervals = ["minute", "3minute", "5minute", "10minute", "15minute", "30minute", "60minute", "day"] as const;

/** An interval of Kite in words: "15minute" is 15 minutes. */
export function intervalName(interval: string): string {
  const [, n, unit = ""] = /^(\d*)(minute|day)$/.exec(interval) ?? [];
  if (unit === "day") return "1 day";
  return unit === "" ? interval : n === "" ? "1 minute" : `${n ?? ""} minutes`;
}

export interface Range {
  readonly interval: string;
  /** YYYY-MM-DD, or YYYY-MM-DDTHH:MM as a browser's fields have it; times are India's. */
  readonly from: string;
  readonly to: string;
}

const time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?)?$/;

/** Why a range cannot be asked for; "" when it can. Today is a day in India. */
export function wrongRange(r: Range, today: string): string {
  if (!time.test(r.from) || !time.test(r.to)) return "Choose when it starts and ends.";
  // A day alone starts with its first minute and ends with its last.
  if (r.from > r.to && !r.from.startsWith(r.to)) return "The start is after the end.";
  if (r.from.slice(0, 10) > today) return "The start is in the future.";
  if (r.to.slice(0, 10) > today) return "The end is in the future.";
  return "";
}

/** The time as the server takes it. */
export const sent = (t: string): string => (t.includes("T") ? t.replace("T", " ").padEnd(19, ":00") : t);

/** The server's time as a browser's field takes it. */
export const shownTime = (t: string): string => (/^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}/.test(t) ? t.slice(0, 19).replace(" ", "T") : t.slice(0, 10));

/** The range in the form of its interval: days for days, else times within the trading day. */
export function fitted(r: Range): Range {
  if (r.interval === "day") return { ...r, from: r.from.slice(0, 10), to: r.to.slice(0, 10) };
  const timed = (t: string, clock: string) => (t.length === 10 ? t + clock : t);
  return { ...r, from: timed(r.from, "T09:15"), to: timed(r.to, "T15:30") };
}

/** Today in India as YYYY-MM-DD. */
export const today = (epoch: number): string => new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Kolkata" }).format(epoch);

/** A day some days earlier. */
export const daysBefore = (dayText: string, n: number): string => new Date(Date.parse(dayText + "T00:00:00Z") - n * 86_400_000).toISOString().slice(0, 10);
