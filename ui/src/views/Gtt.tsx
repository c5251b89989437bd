// Triggers that wait for a price: each leg with its distance from the quote.
import { useMemo, useState } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { absent, count, moment, momentOf, percent, price } from "../model/format.ts";
import { distance, readLegs, type Leg } from "../model/gtt.ts";
import type { Quote } from "../model/quotes.ts";
import { holds, type Order } from "../model/sort.ts";
import { Name } from "../widgets/Name.tsx";
import { Rows } from "../widgets/Rows.tsx";
import { PanelStatus } from "../widgets/Status.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { Choice, FilterBox, Toolbar } from "../widgets/Toolbar.tsx";
import { useShared } from "./context.ts";
import { useListing } from "./Footer.tsx";
import { latestColumns, usePrices } from "./prices.tsx";
import { useOrder, useShape } from "./shape.tsx";

const orders: readonly Order<Leg>[] = [
  { key: "symbol", title: "Symbol", value: (l) => l.symbol },
  { key: "status", title: "Status", value: (l) => l.status || null },
];

export function Gtt({ main }: { main: Main }) {
  const { session } = useShared();
  const [query, setQuery] = useState("");
  const [status, setStatus] = useState("all");
  const { box, asTable, control } = useShape(main.data);
  const all = useMemo(() => readLegs(main.data), [main.data]);
  const statuses = useMemo(() => [...new Set(all.map((l) => l.status).filter((s) => s !== ""))], [all]);
  const shown = useMemo(
    () => all.filter((l) => (status === "all" || l.status === status) && holds(query, l.symbol, l.exchange, l.triggerId, l.product, l.side, l.status)),
    [all, status, query],
  );
  const prices = usePrices(all);
  useListing(useMemo(() => shown.map(listed), [shown]), query && `text “${query}”`, status === "all" ? "" : `status ${status}`);
  const order = useOrder(shown, orders);
  const list = {
    latest: prices.byId,
    selected: session.selection.value?.rowKey,
    onSelect: (l: Leg) => session.select({ id: l.id, rowKey: l.key, token: l.token, row: l.row, from: "gtt", receivedAt: main.receivedAt }),
  };
  if (all.length === 0) return <p class="empty">No good-till-triggered orders on this page.</p>;
  return (
    <section aria-label="GTT triggers">
      <Toolbar>
        <FilterBox value={query} onChange={setQuery} />
        <Choice label="Status" value={status} options={[["all", "All"], ...statuses.map((s) => [s, s] as const)]} onChange={setStatus} />
        {!asTable && order.control}
        {control}
        <button type="button" disabled={!session.caps.can("market", "quote")} onClick={prices.refresh}>
          Load current quotes
        </button>
      </Toolbar>
      <PanelStatus panel={session.prices} what="current quotes" />
      <p class="totals">
        Shown triggers: {count(new Set(shown.map((l) => l.triggerId)).size)}, {count(shown.length)} {shown.length === 1 ? "leg" : "legs"}
      </p>
      <div ref={box}>
        {shown.length === 0 ? (
          <p class="empty">No trigger of this page matches the filters.</p>
        ) : asTable ? (
          <LegTable rows={shown} {...list} />
        ) : (
          <LegRows rows={order.rows} {...list} />
        )}
      </div>
      {prices.byId.size > 0 && <p class="note">Distance is from the quote to the trigger, in percent of the quote: with a minus the price has to fall.</p>}
    </section>
  );
}

/** A leg as a row of a file, with the names that Kite has for its parts. */
const listed = (l: Leg) => ({
  id: l.id,
  row: { trigger_id: l.triggerId, leg: l.number, legs: l.of, status: l.status, trigger_price: l.trigger, transaction_type: l.side, product: l.product, order_type: l.type, quantity: l.quantity, price: l.price, expires_at: l.expiresAt },
});

interface ListProps {
  readonly rows: readonly Leg[];
  readonly latest: ReadonlyMap<string, Quote>;
  readonly selected: string | undefined;
  readonly onSelect: (l: Leg) => void;
}

const legOf = (l: Leg): string => (l.of === 1 ? "single" : `leg ${String(l.number)} of ${String(l.of)}`);

const columns: readonly Column<Leg>[] = [
  { key: "symbol", title: "Instrument", cell: (l) => <Name symbol={l.symbol} exchange={l.exchange} />, value: (l) => l.symbol },
  { key: "id", title: "Trigger ID", cell: (l) => l.triggerId || absent, value: (l) => l.triggerId },
  { key: "leg", title: "Leg", cell: (l) => legOf(l), value: (l) => legOf(l) },
  { key: "status", title: "Status", cell: (l) => l.status || absent, value: (l) => l.status },
  { key: "trigger", title: "Trigger price", numeric: true, cell: (l) => price(l.trigger), value: (l) => l.trigger },
  { key: "side", title: "Side", cell: (l) => l.side || absent, value: (l) => l.side },
  { key: "quantity", title: "Quantity", numeric: true, cell: (l) => count(l.quantity), value: (l) => l.quantity },
  { key: "price", title: "Order price", numeric: true, cell: (l) => price(l.price), value: (l) => l.price },
  { key: "expires", title: "Expires", cell: (l) => moment(l.expiresAt.slice(0, 10)) || absent, value: (l) => l.expiresAt || null },
];

function LegTable({ rows, latest, selected, onSelect }: ListProps) {
  const today = useShared().session.today();
  const shown = useMemo(() => {
    const away = (l: Leg) => distance(l, latest.get(l.id));
    const gap: Column<Leg> = { key: "distance", title: "Distance", numeric: true, cell: (l) => percent(away(l)), value: away };
    return latest.size === 0 ? columns : [...columns.slice(0, 5), gap, ...columns.slice(5), ...latestColumns<Leg>(latest, today)];
  }, [latest, today]);
  return <Table label="GTT triggers" rows={rows} columns={shown} rowKey={(l) => l.key} selected={selected} onSelect={onSelect} />;
}

function LegRows({ rows, latest, selected, onSelect }: ListProps) {
  const today = useShared().session.today();
  return (
    <Rows
      label="GTT triggers"
      rows={rows}
      rowKey={(l) => l.key}
      selected={selected}
      onSelect={onSelect}
      lead={(l) => (
        <>
          <Name symbol={l.symbol} exchange={l.exchange} />
          <small>
            {l.side || absent} {count(l.quantity)} at {price(l.price)}
            {l.of > 1 && `, ${legOf(l)}`}
          </small>
        </>
      )}
      value={(l) => (
        <>
          <span>
            {price(l.trigger)} <small>{l.status}</small>
          </span>
          <small>{away(l, latest, today)}</small>
        </>
      )}
    />
  );
}

/** The distance and the time of its quote; nothing without a quote. */
function away(l: Leg, latest: ReadonlyMap<string, Quote>, today: string): string {
  const quote = latest.get(l.id);
  const far = distance(l, quote);
  if (far === null || !quote) return "";
  const time = momentOf(quote.timestamp, today);
  return percent(far) + (time === "" ? "" : " at " + time);
}
