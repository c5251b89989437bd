// Names of rows that stay the same when the rows are loaded again.

/** Gives each row its name; rows of one name are numbered. */
export function rowKeys(): (name: string) => string {
  const seen = new Map<string, number>();
  return (name) => {
    const n = (seen.get(name) ?? 0) + 1;
    seen.set(name, n);
    return n === 1 ? name : name + " #" + String(n);
  };
}

/** The parts of EXCHANGE:TRADINGSYMBOL. */
export function partsOf(id: string): { exchange: string; symbol: string } {
  const colon = id.indexOf(":");
  return { exchange: colon < 0 ? "" : id.slice(0, colon), symbol: id.slice(colon + 1) };
}
