// Newer prices of the instruments of a page. They stand beside the snapshot and
// never change its values.
import { useMemo } from "preact/hooks";

import { readQuotes, type Quote } from "../model/quotes.ts";
import { absent, momentOf, price } from "../model/format.ts";
import type { Column } from "../widgets/Table.tsx";
import { useShared } from "./context.ts";

/** Kite quotes at most so many instruments at once. */
const most = 500;

export interface Prices {
  readonly byId: ReadonlyMap<string, Quote>;
  readonly refresh: () => void;
}

export function usePrices(rows: readonly { readonly id: string }[]): Prices {
  const { session } = useShared();
  const loaded = session.prices.loaded.value;
  const byId = useMemo(() => new Map(loaded ? readQuotes(loaded.data).map((q) => [q.id, q]) : []), [loaded]);
  const refresh = () => {
    const instruments = [...new Set(rows.map((r) => r.id))].slice(0, most);
    if (instruments.length > 0) void session.prices.load({ tool: "market", arguments: { mode: "quote", instruments } }, instruments.join(","));
  };
  return { byId, refresh };
}

/** Columns beside the snapshot's, once newer prices are there. */
export function latestColumns<R extends { readonly id: string }>(latest: ReadonlyMap<string, Quote>, today: string): readonly Column<R>[] {
  if (latest.size === 0) return [];
  const last = (r: R) => latest.get(r.id)?.last ?? null;
  const time = (r: R) => latest.get(r.id)?.timestamp ?? "";
  return [
    { key: "latest", title: "Latest price", numeric: true, cell: (r) => price(last(r)), value: last },
    { key: "latest-time", title: "Quote time", cell: (r) => momentOf(time(r), today) || absent, value: (r) => time(r) || null },
  ];
}

/** The newer price of a compact row, and when it was one. */
export function Latest({ quote }: { quote: Quote | undefined }) {
  const { session } = useShared();
  if (!quote) return <>no latest price</>;
  return (
    <>
      latest price {price(quote.last)}
      {quote.timestamp !== "" && ` at ${momentOf(quote.timestamp, session.today())} IST`}
    </>
  );
}
