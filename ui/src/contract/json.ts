// Readers of data that may be anything: they never throw, and never turn what is
// absent into a number.

export type Obj = Readonly<Record<string, unknown>>;

const none: Obj = Object.freeze({});

export const isObj = (v: unknown): v is Obj => typeof v === "object" && v !== null && !Array.isArray(v);

/** An object, or an empty one. */
export const obj = (v: unknown): Obj => (isObj(v) ? v : none);

/** A list, or an empty one. */
export const list = (v: unknown): readonly unknown[] => (Array.isArray(v) ? v : []);

/** The objects of a list; what else it holds is left out. */
export const rows = (v: unknown): readonly Obj[] => list(v).filter(isObj);

/** A finite number, or null. Digits in a string are not a number. */
export const num = (v: unknown): number | null => (typeof v === "number" && Number.isFinite(v) ? v : null);

/** A string, or "". */
export const str = (v: unknown): string => (typeof v === "string" ? v : "");

/** The value at a path of member names, or undefined. */
export function at(v: unknown, ...path: string[]): unknown {
  let here = v;
  for (const step of path) {
    if (!isObj(here)) return undefined;
    here = Object.hasOwn(here, step) ? here[step] : undefined;
  }
  return here;
}
