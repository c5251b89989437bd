// The rows on the screen, as they are handed to the chat or into a file.
import { isObj, type Obj } from "../contract/json.ts";

export interface Listing {
  /** The source's rows; id is EXCHANGE:TRADINGSYMBOL where a row has one. */
  readonly rows: readonly { readonly id?: string; readonly row: Obj }[];
  /** The person's filters in words, such as status open. */
  readonly filters: readonly string[];
}

type Plain = string | number | boolean;

const isPlain = (v: unknown): v is Plain => typeof v === "string" || typeof v === "number" || typeof v === "boolean";

type Hidden = (field: string) => boolean;

/** The plain fields of a row; those of an object within it as name.field. */
function fields(row: Obj, hidden: Hidden, prefix = ""): [string, Plain][] {
  return Object.entries(row).flatMap(([name, v]): [string, Plain][] => {
    if (hidden(name)) return [];
    if (isPlain(v)) return [[prefix + name, v]];
    return isObj(v) && prefix === "" ? fields(v, hidden, name + ".") : [];
  });
}

/** Spreadsheets run text that begins so as a formula, whole cells of it too. */
const formula = /^[\s\uFEFF]*[=+\-@\t\r\n＝＋－＠]/;

/** A number is written as it is; text is made harmless, and quoted where it must be. */
function cell(v: Plain | undefined): string {
  if (v === undefined) return "";
  if (typeof v !== "string") return String(v);
  const safe = formula.test(v) ? "'" + v : v;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Comma-separated values as RFC 4180 has them, the source's own fields and numbers. */
export function csv(listing: Listing, hidden: Hidden): string {
  const rows = listing.rows.map(({ id, row }) => new Map<string, Plain>([...(id ? ([["instrument", id]] as const) : []), ...fields(row, hidden)]));
  const names = [...new Set(rows.flatMap((r) => [...r.keys()]))];
  return [names, ...rows.map((r) => names.map((name) => r.get(name)))].map((line) => line.map(cell).join(",") + "\r\n").join("");
}

export interface Sight {
  readonly title: string;
  /** As "1 to 100 of 240"; "" when it is not known. */
  readonly page: string;
  readonly filters: readonly string[];
  readonly selected: string | null;
  readonly asOf: string;
}

/** Ids and times come from the source: what is none is not told to a model. */
const instrument = /^[A-Z]{2,6}:[A-Z0-9][A-Z0-9&\-_. ]{0,40}$/;
const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?$/;

/** What a person is looking at, in words and without amounts. */
export function told(s: Sight): string {
  return [
    `The person is looking at ${s.title} in the Kite app${s.page === "" ? "" : `, rows ${s.page}`}.`,
    s.filters.length > 0 && `Filters: ${s.filters.join("; ")}.`,
    s.selected !== null && instrument.test(s.selected) && `Chosen instrument: ${s.selected}.`,
    time.test(s.asOf) && `The data is of ${s.asOf}.`,
  ]
    .filter(Boolean)
    .join(" ");
}
