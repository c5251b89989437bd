// The order book of today: what was asked, what was filled, and why not.
import { useMemo, useState } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { absent, count, price } from "../model/format.ts";
import { progress, readOrders, stateOf, type Order as OrderRow, type OrderState } from "../model/orders.ts";
import { holds, type Order } from "../model/sort.ts";
import { Collapsible } from "../widgets/Collapsible.tsx";
import { Name } from "../widgets/Name.tsx";
import { Rows } from "../widgets/Rows.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { Choice, FilterBox, Toolbar } from "../widgets/Toolbar.tsx";
import { useShared } from "./context.ts";
import { useListing } from "./Footer.tsx";
import { useOrder, useShape } from "./shape.tsx";

const states: readonly (readonly ["all" | OrderState, string])[] = [
  ["all", "All"],
  ["open", "Open"],
  ["complete", "Complete"],
  ["rejected", "Rejected"],
  ["cancelled", "Cancelled"],
];

const orders: readonly Order<OrderRow>[] = [
  { key: "symbol", title: "Symbol", value: (o) => o.symbol },
  { key: "placed", title: "Newest first", value: (o) => o.placedAt || null, descending: true },
  { key: "status", title: "Status", value: (o) => o.status || null },
];

export function Orders({ main }: { main: Main }) {
  const { session } = useShared();
  const [query, setQuery] = useState("");
  const [state, setState] = useState<"all" | OrderState>("all");
  const { box, asTable, control } = useShape(main.data);
  const all = useMemo(() => readOrders(main.data), [main.data]);
  const shown = useMemo(
    () => all.filter((o) => (state === "all" || stateOf(o) === state) && holds(query, o.symbol, o.exchange, o.orderId, o.product, o.side, o.status)),
    [all, state, query],
  );
  useListing(shown, query && `text “${query}”`, state === "all" ? "" : `status ${state}`);
  const order = useOrder(shown, orders);
  const list = { selected: session.selection.value?.rowKey, onSelect: (o: OrderRow) => session.select({ id: o.id, rowKey: o.key, token: o.token, row: o.row, from: "orders", receivedAt: main.receivedAt }) };
  if (all.length === 0) return <p class="empty">No orders. Kite keeps orders for one day: only those placed today are listed.</p>;
  return (
    <section aria-label="Orders">
      <Toolbar>
        <FilterBox value={query} onChange={setQuery} />
        <Choice label="Status" value={state} options={states} onChange={setState} />
        {!asTable && order.control}
        {control}
      </Toolbar>
      <p class="totals">
        Shown orders: {count(shown.length)}
        {shown.length === all.length ? "" : ` of ${count(all.length)} on this page`}. Only today’s orders exist here.
      </p>
      <div ref={box}>
        {shown.length === 0 ? (
          <p class="empty">No order of this page matches the filters.</p>
        ) : asTable ? (
          <Table label="Orders" rows={shown} columns={columns} rowKey={(o) => o.key} {...list} />
        ) : (
          <OrderRows rows={order.rows} {...list} />
        )}
      </div>
      <Reasons shown={shown} />
    </section>
  );
}

/** A limit, or that there is none. */
const limit = (o: OrderRow): string => (o.price === null ? (o.type === "MARKET" || o.type === "SL-M" ? "market" : absent) : price(o.price));

/** LIMIT 819.10, but MARKET alone. */
const terms = (o: OrderRow): string => (o.type === "MARKET" ? o.type : [o.type, limit(o)].filter((s) => s !== "").join(" "));

/** Numbers tell it; the bar repeats them. */
function Progress({ o }: { o: OrderRow }) {
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

const columns: readonly Column<OrderRow>[] = [
  { key: "symbol", title: "Instrument", cell: (o) => <Name symbol={o.symbol} exchange={o.exchange} />, value: (o) => o.symbol },
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

const Status = ({ o }: { o: OrderRow }) => <span class={"order-" + stateOf(o)}>{o.status || absent}</span>;

interface ListProps {
  readonly rows: readonly OrderRow[];
  readonly selected: string | undefined;
  readonly onSelect: (o: OrderRow) => void;
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
        <Name symbol={o.symbol} exchange={o.exchange} />
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
function Reasons({ shown }: { shown: readonly OrderRow[] }) {
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
