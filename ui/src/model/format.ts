// Numbers, times and words as a person reads them. What is absent is a dash,
// never a zero.

export const absent = "–";

const grouped = (least: number, most: number) => new Intl.NumberFormat("en-IN", { minimumFractionDigits: least, maximumFractionDigits: most });
const prices = grouped(2, 4);
const totals = grouped(2, 2);
const counts = grouped(0, 4);

/** No amount of Kite's is as large: its digits would say nothing, and fill the screen. */
const beyond = 1e15;
const written = (f: Intl.NumberFormat, n: number): string => (Math.abs(n) < beyond ? f.format(n) : n.toExponential(3)).replace("-", "−");

/** Rupees per unit, with two to four decimals as supplied. */
export const price = (n: number | null): string => (n === null ? absent : written(prices, n));

/** Rupees in all, with two decimals. */
export const money = (n: number | null): string => (n === null ? absent : written(totals, rounded(n)));

/** Shares, contracts or orders. */
export const count = (n: number | null): string => (n === null ? absent : written(counts, n));

/** Rupees in all, as such where no heading says it. */
export const rupees = (n: number | null): string => (n === null ? absent : money(n).replace(/^−?/, "$&₹"));

const units = [
  [1e7, " Cr"],
  [1e5, " L"],
  [1e3, " K"],
] as const;

/** A large count in lakh and crore, with three digits that matter. */
export function brief(n: number): string {
  const [size, unit] = units.find(([least]) => Math.abs(n) >= least) ?? [1, ""];
  return written(new Intl.NumberFormat("en-IN", { maximumSignificantDigits: 3 }), n / size) + unit;
}

/** -0.001 would be written as -0.00. */
const rounded = (n: number): number => (Math.abs(n) < 0.005 ? 0 : n);

/** A sign and an arrow, so that colour is not needed. */
export function signedMoney(n: number | null, unit: "₹" | "" = ""): string {
  if (n === null) return absent;
  const value = rounded(n);
  return value === 0 ? unit + money(0) : (value > 0 ? "▲ +" : "▼ −") + unit + money(Math.abs(value));
}

export function percent(n: number | null): string {
  if (n === null) return absent;
  const value = rounded(n);
  return (value > 0 ? "+" : value < 0 ? "−" : "") + written(totals, Math.abs(value)) + "%";
}

/** A percentage that stands alone: the arrow is its own. */
export const signedPercent = (n: number | null): string => ({ up: "▲ ", down: "▼ ", flat: "" })[trend(n)] + percent(n);

export type Trend = "up" | "down" | "flat";

export const trend = (n: number | null): Trend => (n === null || rounded(n) === 0 ? "flat" : n > 0 ? "up" : "down");

const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Kolkata", hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** Epoch milliseconds as a time of day in India. */
export const timeOf = (epoch: number): string => clock.format(epoch) + " IST";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A time as Kite writes it: a day, and the time of it. */
const stamp = /^(\d{4})-(0[1-9]|1[0-2])-(\d{2})(?:[T ](\d{2}:\d{2}:\d{2})(?:\+05:30)?)?$/;

export interface Stamp {
  readonly year: string;
  /** 1 is January. */
  readonly month: number;
  readonly day: string;
  /** HH:MM:SS in India; "" when it is a day, which Kite writes as midnight too. */
  readonly clock: string;
}

/** The parts of a time of the source; null when it is none. */
export function readStamp(s: string): Stamp | null {
  const [, year = "", month = "", day = "", clock = ""] = stamp.exec(s) ?? [];
  return year === "" ? null : { year, month: Number(month), day, clock: clock === "00:00:00" ? "" : clock };
}

/** A day as 02 Dec. */
export const dayOf = (t: Stamp): string => t.day + " " + (months[t.month - 1] ?? "");

/** A time of the source as 02 Dec 2026, 11:15:00; what is no time stays as it is. */
export function moment(s: string): string {
  const t = readStamp(s);
  return t === null ? s : `${dayOf(t)} ${t.year}${t.clock === "" ? "" : ", " + t.clock}`;
}

/** The same without the day when that is today. */
export const momentOf = (s: string, today: string): string => (s.startsWith(today) && readStamp(s)?.clock) || moment(s);

/** When a candle begins: no candle begins within a minute. */
export const candleTime = (s: string): string => moment(s).replace(/(, \d{2}:\d{2}):00$/, "$1");

/** A name of a source field in words: "last_price" is "last price". */
export const words = (field: string): string => field.replaceAll("_", " ");
