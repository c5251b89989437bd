// Quotes as the chat asked for them.
import { useMemo, useState } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { absent, brief, count, momentOf, price } from "../model/format.ts";
import { missing, readQuotes, type Quote } from "../model/quotes.ts";
import { holds, type Order } from "../model/sort.ts";
import { Gain, GainAndPercent, Percent } from "../widgets/Money.tsx";
import { Name } from "../widgets/Name.tsx";
import { Rows } from "../widgets/Rows.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { FilterBox, Toolbar } from "../widgets/Toolbar.tsx";
import { useListing } from "./Footer.tsx";
import { useShared } from "./context.ts";
import { useOrder, useShape } from "./shape.tsx";

const columnsOf = (today: string): readonly Column<Quote>[] => [
  { key: "symbol", title: "Instrument", cell: (q) => <Name symbol={q.symbol} exchange={q.exchange} />, value: (q) => q.symbol },
  { key: "last", title: "Last", numeric: true, cell: (q) => price(q.last), value: (q) => q.last },
  { key: "change", title: "Change", numeric: true, cell: (q) => <Gain amount={q.change} />, value: (q) => q.change },
  { key: "percent", title: "Change %", numeric: true, cell: (q) => <Percent value={q.changePercent} />, value: (q) => q.changePercent },
  { key: "open", title: "Open", numeric: true, cell: (q) => price(q.open), value: (q) => q.open },
  { key: "high", title: "High", numeric: true, cell: (q) => price(q.high), value: (q) => q.high },
  { key: "low", title: "Low", numeric: true, cell: (q) => price(q.low), value: (q) => q.low },
  { key: "close", title: "Prev. close", numeric: true, cell: (q) => price(q.close), value: (q) => q.close },
  { key: "volume", title: "Volume", numeric: true, cell: (q) => count(q.volume), value: (q) => q.volume },
  { key: "timestamp", title: "Quote time", cell: (q) => momentOf(q.timestamp, today) || absent, value: (q) => q.timestamp },
];

const orders: readonly Order<Quote>[] = [
  { key: "symbol", title: "Symbol", value: (q) => q.symbol },
  { key: "percent", title: "Change %", value: (q) => q.changePercent, descending: true },
  { key: "volume", title: "Volume", value: (q) => q.volume, descending: true },
];

export function QuoteList({ main }: { main: Main }) {
  const { session } = useShared();
  const today = session.today();
  const columns = useMemo(() => columnsOf(today), [today]);
  const { box, asTable, control } = useShape(main.data);
  const [query, setQuery] = useState("");
  const all = useMemo(() => readQuotes(main.data), [main.data]);
  const without = missing(main.data);
  const shown = useMemo(() => all.filter((q) => holds(query, q.id)), [all, query]);
  useListing(shown, query && `text “${query}”`);
  const order = useOrder(shown, orders);
  const selected = session.selection.value?.rowKey;
  const select = (q: Quote) => session.select({ id: q.id, rowKey: q.id, token: q.token, row: q.row, from: "quote", receivedAt: main.receivedAt });
  return (
    <section aria-label="Quotes">
      {all.length > 1 && (
        <Toolbar>
          {all.length > 8 && <FilterBox value={query} onChange={setQuery} />}
          {!asTable && order.control}
          {control}
        </Toolbar>
      )}
      {without.length > 0 && (
        <p class="notice" role="note">
          No quote for: {without.join(", ")}
        </p>
      )}
      <div ref={box}>
        {shown.length === 0 ? (
          <p class="empty">{all.length === 0 ? "Kite sent no quotes." : "No quote matches the filter."}</p>
        ) : asTable ? (
          <Table label="Quotes" rows={shown} columns={columns} rowKey={(q) => q.id} selected={selected} onSelect={select} />
        ) : (
          <Rows
            label="Quotes"
            rows={order.rows}
            rowKey={(q) => q.id}
            selected={selected}
            onSelect={select}
            lead={(q) => (
              <>
                <Name symbol={q.symbol} exchange={q.exchange} />
                {q.timestamp !== "" && <small>{momentOf(q.timestamp, today)} IST</small>}
              </>
            )}
            mid={(q) => (
              <>
                <small>
                  range {price(q.low)} to {price(q.high)}
                </small>
                <small>volume {q.volume === null ? absent : brief(q.volume)}</small>
              </>
            )}
            value={(q) => (
              <>
                <span>{price(q.last)}</span>
                <small>
                  <GainAndPercent amount={q.change} value={q.changePercent} />
                </small>
              </>
            )}
          />
        )}
      </div>
    </section>
  );
}
