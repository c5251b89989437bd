// The order book of today: what was asked, what was filled, and why not.
import { useMemo, useState } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { absent, count, price } from "../model/format.ts";
import { progress, readOrders, stateOf, type Order, type OrderState } from "../model/orders.ts";
import { holds, sortRows, type SortValue } from "../model/sort.ts";
import { Collapsible } from "../widgets/Collapsible.tsx";
import { Rows } from "../widgets/Rows.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { Choice, FilterBox, Toolbar } from "../widgets/Toolbar.tsx";
import { useListing } from "./Footer.tsx";
import { tableWidth, useShared, useWidth } from "./context.ts";

const states: readonly (readonly ["all" | OrderState, string])[] = [
  ["all", "All"],
  ["open", "Open"],
  ["complete", "Complete"],
  ["rejected", "Rejected"],
  ["cancelled", "Cancelled"],
];

type Arrangement = "given" | "symbol" | "placed" | "status";

const arrangements: readonly (readonly [Arrangement, string])[] = [
  ["given", "As Kite lists them"],
  ["symbol", "Symbol"],
  ["placed", "Time"],
  ["status", "Status"],
];

const arrangedBy: Readonly<Record<Arrangement, (o: Order) => SortValue>> = {
  given: () => 0,
  symbol: (o) => o.symbol,
  placed: (o) => o.placedAt || null,
  status: (o) => o.status || null,
};

export function Orders({ main }: { main: Main }) {
  const { session } = useShared();
  const wide = useWidth(tableWidth);
  const [query, setQuery] = useState("");
  const [state, setState] = useState<"all" | OrderState>("all");
  const [arrangement, setArrangement] = useState<Arrangement>("given");
  const [shape, setShape] = useState<"rows" | "table" | null>(null);
  const all = useMemo(() => readOrders(main.data), [main.data]);
  const shown = useMemo(
    () => all.filter((o) => (state === "all" || stateOf(o) === state) && holds(query, o.symbol, o.exchange, o.orderId, o.product, o.side, o.status)),
    [all, state, query],
  );
  useListing(shown, query && `text “${query}”`, state === "all" ? "" : `status ${state}`);
  const asTable = wide && shape !== "rows";
  const list = { selected: session.selection.value?.rowKey, onSelect: (o: Order) => session.select({ id: o.id, rowKey: o.key, token: o.token, row: o.row, from: "orders", receivedAt: main.receivedAt }) };
  if (all.length === 0) return <p class="empty">No orders. Kite keeps orders for one day: only those placed today are listed.</p>;
  return (
    <section aria-label="Orders">
      <Toolbar>
        <FilterBox value={query} onChange={setQuery} />
        <Choice label="Status" value={state} options={states} onChange={setState} />
        {!asTable && <Choice label="Sort by" value={arrangement} options={arrangements} onChange={setArrangement} />}
        {wide && <Choice label="Show as" value={asTable ? "table" : "rows"} options={[["table", "Table"], ["rows", "Compact rows"]]} onChange={setShape} />}
      </Toolbar>
      <p class="totals">
        Shown orders: {count(shown.length)}
        {shown.length === all.length ? "" : ` of ${count(all.length)} on this page`}. Only today’s orders exist here.
      </p>
      {shown.length === 0 ? (
        <p class="empty">No order of this page matches the filters.</p>
      ) : asTable ? (
        <Table label="Orders" rows={shown} columns={columns} rowKey={(o) => o.key} {...list} />
      ) : (
        <OrderRows rows={arrangement === "given" ? shown : sortRows(shown, arrangedBy[arrangement], arrangement === "placed")} {...list} />
      )}
      <Reasons shown={shown} />
    </section>
  );
}

/** A limit, or that there is none. */
const limit = (o: Order): string => (o.price === null ? (o.type === "MARKET" || o.type === "SL-M" ? "market" : absent) : price(o.price));

/** LIMIT 819.10, but MARKET alone. */
const terms = (o: Order): string => (o.type === "MARKET" ? o.type : [o.type, limit(o)].filter((s) => s !== "").join(" "));

const Symbol = ({ o }: { o: Order }) => (
  <span class="instrument">
    <strong>{o.symbol || absent}</strong> <small>{o.exchange}</small>
  </span>
);

/** Numbers tell it; the bar repeats them. */
function Progress({ o }: { o: Order }) {
  const part = progress(o);
  return (
    <span class="progress">
      {part !== null && (
        <span class="progress-bar" aria-hidden="true">
          <span style={{ width: `${String(part * 100)}%` }} />
        </span>
      )}
      {count(o.filled)} of {count(o.quantity)}
    </span>
  );
}

const columns: readonly Column<Order>[] = [
  { key: "symbol", title: "Instrument", cell: (o) => <Symbol o={o} />, value: (o) => o.symbol },
  { key: "placed", title: "Time", cell: (o) => o.placedAt.slice(11) || o.placedAt || absent, value: (o) => o.placedAt || null },
  { key: "status", title: "Status", cell: (o) => <Status o={o} />, value: (o) => o.status },
  { key: "side", title: "Side", cell: (o) => o.side || absent, value: (o) => o.side },
  { key: "filled", title: "Filled", numeric: true, cell: (o) => <Progress o={o} />, value: (o) => progress(o) },
  { key: "price", title: "Price", numeric: true, cell: (o) => limit(o), value: (o) => o.price },
  { key: "average", title: "Average", numeric: true, cell: (o) => price(o.average), value: (o) => o.average },
  { key: "product", title: "Product", cell: (o) => o.product || absent, value: (o) => o.product },
  { key: "type", title: "Type", cell: (o) => o.type || absent, value: (o) => o.type },
  { key: "pending", title: "Pending", numeric: true, cell: (o) => count(o.pending), value: (o) => o.pending },
  { key: "cancelled", title: "Cancelled", numeric: true, cell: (o) => count(o.cancelled), value: (o) => o.cancelled },
];

const Status = ({ o }: { o: Order }) => <span class={"order-" + stateOf(o)}>{o.status || absent}</span>;

interface ListProps {
  readonly rows: readonly Order[];
  readonly selected: string | undefined;
  readonly onSelect: (o: Order) => void;
}

const OrderRows = ({ rows, selected, onSelect }: ListProps) => (
  <Rows
    label="Orders"
    rows={rows}
    rowKey={(o) => o.key}
    selected={selected}
    onSelect={onSelect}
    lead={(o) => (
      <>
        <Symbol o={o} />
        <small>
          {o.side || absent} {o.product}, {terms(o)}
        </small>
      </>
    )}
    value={(o) => (
      <>
        <span>
          <Status o={o} />
        </span>
        <small>
          <Progress o={o} />
        </small>
      </>
    )}
  />
);

/** Reasons are told in full: a row has no room for them. */
function Reasons({ shown }: { shown: readonly Order[] }) {
  const told = shown.filter((o) => o.reason !== "");
  if (told.length === 0) return null;
  return (
    <Collapsible title={`Messages from Kite (${count(told.length)})`} open={told.length <= 5}>
      <ul class="reasons">
        {told.map((o) => (
          <li key={o.key}>
            <strong>{o.symbol || absent}</strong> <small>{o.orderId}</small> {o.reason}
          </li>
        ))}
      </ul>
    </Collapsible>
  );
}
