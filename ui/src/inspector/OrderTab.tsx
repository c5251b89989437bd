// One order: what it is, what it went through, and how it was filled.
import { useEffect } from "preact/hooks";

import type { Panel } from "../bridge/panel.ts";
import type { Selection } from "../bridge/session.ts";
import { str } from "../contract/json.ts";
import { absent, count, moment, price } from "../model/format.ts";
import { readFills, readOrders, type Fill, type Order } from "../model/orders.ts";
import { useShared } from "../views/context.ts";
import { Facts, type Fact } from "../widgets/Facts.tsx";
import { PanelStatus } from "../widgets/Status.tsx";
import { Table, type Column } from "../widgets/Table.tsx";

function orderFacts(o: Order): readonly Fact[] {
  return [
    ["Status", o.status || absent],
    ["Order", [o.side, o.product, o.type, str(o.row["variety"]), str(o.row["validity"])].filter((s) => s !== "").join(", ")],
    ["Quantity", count(o.quantity)],
    ["Filled", count(o.filled)],
    ["Pending", count(o.pending)],
    ["Cancelled", count(o.cancelled)],
    ["Limit price", price(o.price)],
    ["Trigger price", price(o.trigger)],
    ["Average price", price(o.average)],
    ["Placed", moment(o.placedAt) || absent],
    ["Order ID", o.orderId || absent],
    ["Exchange order ID", str(o.row["exchange_order_id"]) || absent],
    ["Tag", str(o.row["tag"]) || absent],
  ];
}

const steps: readonly Column<Order>[] = [
  { key: "status", title: "Status", cell: (o) => o.status || absent, value: (o) => o.status },
  { key: "at", title: "Time", cell: (o) => timeOfStep(o) || absent, value: (o) => timeOfStep(o) || null },
  { key: "filled", title: "Filled", numeric: true, cell: (o) => count(o.filled), value: (o) => o.filled },
  { key: "price", title: "Price", numeric: true, cell: (o) => price(o.price), value: (o) => o.price },
];

/** A step has the exchange's time once the exchange has it. */
const timeOfStep = (o: Order): string => (str(o.row["exchange_update_timestamp"]) || o.placedAt).slice(11);

const fills: readonly Column<Fill>[] = [
  { key: "at", title: "Time", cell: (f) => f.at.slice(11) || f.at || absent, value: (f) => f.at || null },
  { key: "quantity", title: "Quantity", numeric: true, cell: (f) => count(f.quantity), value: (f) => f.quantity },
  { key: "price", title: "Price", numeric: true, cell: (f) => price(f.price), value: (f) => f.price },
  { key: "trade", title: "Trade ID", cell: (f) => f.tradeId || absent, value: (f) => f.tradeId },
];

export function OrderTab({ selection }: { selection: Selection }) {
  const { session } = useShared();
  const [order] = readOrders({ data: [selection.row] });
  const orderId = order?.orderId ?? "";
  useEffect(() => {
    if (orderId === "" || !session.caps.can("orders_read")) return;
    ask(session.order, "history", orderId);
    ask(session.fills, "trades", orderId);
  }, [orderId]);
  if (!order) return null;
  return (
    <>
      {order.reason !== "" && <p class="notice said">{order.reason}</p>}
      <Facts title="Order" facts={orderFacts(order)} />
      {!session.caps.can("orders_read") && <p class="note">{session.caps.why("orders_read")}</p>}
      <Steps panel={session.order} />
      <Fills panel={session.fills} />
    </>
  );
}

const ask = (panel: Panel, mode: string, orderId: string): void => {
  if (panel.state.value.kind === "idle") void panel.load({ tool: "orders_read", arguments: { mode, order_id: orderId } }, orderId);
};

function Steps({ panel }: { panel: Panel }) {
  const loaded = panel.loaded.value;
  return (
    <section>
      <h3>Status history</h3>
      {loaded && <Table label="Status history" rows={readOrders(loaded.data).map((o, i) => ({ ...o, key: String(i) }))} columns={steps} rowKey={(o) => o.key} />}
      <PanelStatus panel={panel} what="status history" />
    </section>
  );
}

function Fills({ panel }: { panel: Panel }) {
  const loaded = panel.loaded.value;
  const all = loaded ? readFills(loaded.data) : [];
  return (
    <section>
      <h3>Fills</h3>
      {loaded && (all.length === 0 ? <p class="empty">Nothing of this order has been filled.</p> : <Table label="Fills" rows={all} columns={fills} rowKey={(f) => f.key} />)}
      <PanelStatus panel={panel} what="fills" />
    </section>
  );
}
