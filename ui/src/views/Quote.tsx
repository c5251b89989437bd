// Quotes as the chat asked for them.
import { useMemo, useState } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { absent, count, moment, price } from "../model/format.ts";
import { missing, readQuotes, type Quote } from "../model/quotes.ts";
import { holds } from "../model/sort.ts";
import { Gain, Percent } from "../widgets/Money.tsx";
import { Rows } from "../widgets/Rows.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { FilterBox, Toolbar } from "../widgets/Toolbar.tsx";
import { useListing } from "./Footer.tsx";
import { tableWidth, useShared, useWidth } from "./context.ts";

const Symbol = ({ q }: { q: Quote }) => (
  <span class="instrument">
    <strong>{q.symbol || absent}</strong> <small>{q.exchange}</small>
  </span>
);

const columns: readonly Column<Quote>[] = [
  { key: "symbol", title: "Instrument", cell: (q) => <Symbol q={q} />, value: (q) => q.symbol },
  { key: "last", title: "Last", numeric: true, cell: (q) => price(q.last), value: (q) => q.last },
  { key: "change", title: "Change", numeric: true, cell: (q) => <Gain amount={q.change} />, value: (q) => q.change },
  { key: "percent", title: "Change %", numeric: true, cell: (q) => <Percent value={q.changePercent} />, value: (q) => q.changePercent },
  { key: "open", title: "Open", numeric: true, cell: (q) => price(q.open), value: (q) => q.open },
  { key: "high", title: "High", numeric: true, cell: (q) => price(q.high), value: (q) => q.high },
  { key: "low", title: "Low", numeric: true, cell: (q) => price(q.low), value: (q) => q.low },
  { key: "close", title: "Prev. close", numeric: true, cell: (q) => price(q.close), value: (q) => q.close },
  { key: "volume", title: "Volume", numeric: true, cell: (q) => count(q.volume), value: (q) => q.volume },
  { key: "timestamp", title: "Quote time", cell: (q) => moment(q.timestamp) || absent, value: (q) => q.timestamp },
];

export function QuoteList({ main }: { main: Main }) {
  const { session } = useShared();
  const wide = useWidth(tableWidth);
  const [query, setQuery] = useState("");
  const all = useMemo(() => readQuotes(main.data), [main.data]);
  const without = missing(main.data);
  const shown = useMemo(() => all.filter((q) => holds(query, q.id)), [all, query]);
  useListing(shown, query && `text “${query}”`);
  const selected = session.selection.value?.rowKey;
  const select = (q: Quote) => session.select({ id: q.id, rowKey: q.id, token: q.token, row: q.row, from: "quote", receivedAt: main.receivedAt });
  return (
    <section aria-label="Quotes">
      {all.length > 8 && (
        <Toolbar>
          <FilterBox value={query} onChange={setQuery} />
        </Toolbar>
      )}
      {without.length > 0 && (
        <p class="notice" role="note">
          No quote for: {without.join(", ")}
        </p>
      )}
      {shown.length === 0 ? (
        <p class="empty">{all.length === 0 ? "Kite sent no quotes." : "No quote matches the filter."}</p>
      ) : wide ? (
        <Table label="Quotes" rows={shown} columns={columns} rowKey={(q) => q.id} selected={selected} onSelect={select} />
      ) : (
        <Rows
          label="Quotes"
          rows={shown}
          rowKey={(q) => q.id}
          selected={selected}
          onSelect={select}
          lead={(q) => (
            <>
              <Symbol q={q} />
              {q.timestamp !== "" && <small>{q.timestamp}</small>}
            </>
          )}
          value={(q) => (
            <>
              <span>{price(q.last)}</span>
              <small>
                <Percent value={q.changePercent} />
              </small>
            </>
          )}
        />
      )}
    </section>
  );
}
