// Sorting and filtering of the rows of a page.

export type SortValue = number | string | null;

export interface SortBy {
  readonly column: string;
  readonly descending: boolean;
}

const letters = new Intl.Collator("en", { numeric: true });

/** Stable; numbers by value, text by its letters, absent values last in both directions. */
export function sortRows<T>(rows: readonly T[], value: (row: T) => SortValue, descending: boolean): T[] {
  const sign = descending ? -1 : 1;
  return rows
    .map((row, i) => ({ row, i, v: value(row) }))
    .sort((a, b) => {
      if (a.v === null || b.v === null) return a.v === b.v ? a.i - b.i : a.v === null ? 1 : -1;
      const order = typeof a.v === "number" && typeof b.v === "number" ? a.v - b.v : letters.compare(String(a.v), String(b.v));
      return order === 0 ? a.i - b.i : sign * order;
    })
    .map(({ row }) => row);
}

/** Whether a text occurs in a row, upper and lower case being the same. */
export const holds = (query: string, ...texts: readonly string[]): boolean => {
  const q = query.trim().toLowerCase();
  return q === "" || texts.some((t) => t.toLowerCase().includes(q));
};

/** One of the orders that a person can choose for rows without column heads. */
export interface Order<R> {
  readonly key: string;
  readonly title: string;
  readonly value: (row: R) => SortValue;
  /** Largest first. */
  readonly descending?: boolean;
}
