// Numbers, times and words as a person reads them. What is absent is a dash,
// never a zero.

export const absent = "–";

const grouped = (least: number, most: number) => new Intl.NumberFormat("en-IN", { minimumFractionDigits: least, maximumFractionDigits: most });
const prices = grouped(2, 4);
const totals = grouped(2, 2);
const counts = grouped(0, 4);

/** No amount of Kite's is as large: its digits would say nothing, and fill the screen. */
const beyond = 1e15;
const written = (f: Intl.NumberFormat, n: number): string => (Math.abs(n) < beyond ? f.format(n) : n.toExponential(3));

/** Rupees per unit, with two to four decimals as supplied. */
export const price = (n: number | null): string => (n === null ? absent : written(prices, n));

/** Rupees in all, with two decimals. */
export const money = (n: number | null): string => (n === null ? absent : written(totals, rounded(n)));

/** Shares, contracts or orders. */
export const count = (n: number | null): string => (n === null ? absent : written(counts, n));

/** -0.001 would be written as -0.00. */
const rounded = (n: number): number => (Math.abs(n) < 0.005 ? 0 : n);

/** A sign and an arrow, so that colour is not needed. */
export function signedMoney(n: number | null): string {
  if (n === null) return absent;
  const value = rounded(n);
  return value === 0 ? money(0) : (value > 0 ? "▲ +" : "▼ −") + money(Math.abs(value));
}

export function percent(n: number | null): string {
  if (n === null) return absent;
  const value = rounded(n);
  return (value > 0 ? "+" : value < 0 ? "−" : "") + written(totals, Math.abs(value)) + "%";
}

export type Trend = "up" | "down" | "flat";

export const trend = (n: number | null): Trend => (n === null || rounded(n) === 0 ? "flat" : n > 0 ? "up" : "down");

const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Kolkata", hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** Epoch milliseconds as a time of day in India. */
export const timeOf = (epoch: number): string => clock.format(epoch) + " IST";

/** A time as Kite writes it, without what is the same everywhere. */
export const moment = (s: string): string => s.replace(/T00:00:00\+05:30$/, "").replace("T", " ").replace(/\+05:30$/, "");

/** A name of a source field in words: "last_price" is "last price". */
export const words = (field: string): string => field.replaceAll("_", " ");
