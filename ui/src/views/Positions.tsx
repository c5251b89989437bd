// Positions: net exposure, or today's activity, never both in one figure.
import { useMemo, useState } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { absent, count, price } from "../model/format.ts";
import { shownTotals } from "../model/holdings.ts";
import { bars, countOf, direction, hasStatus, readPositions, type Position, type PositionView, type Status } from "../model/positions.ts";
import type { Quote } from "../model/quotes.ts";
import { holds, type Order } from "../model/sort.ts";
import { readPage } from "../contract/result.ts";
import { Bars } from "../widgets/Bars.tsx";
import { Collapsible } from "../widgets/Collapsible.tsx";
import { Gain } from "../widgets/Money.tsx";
import { Name } from "../widgets/Name.tsx";
import { Rows } from "../widgets/Rows.tsx";
import { PanelStatus } from "../widgets/Status.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { Tabs } from "../widgets/Tabs.tsx";
import { Choice, FilterBox, Toolbar } from "../widgets/Toolbar.tsx";
import { useShared } from "./context.ts";
import { useListing } from "./Footer.tsx";
import { Latest, latestColumns, usePrices } from "./prices.tsx";
import { useOrder, useShape } from "./shape.tsx";

const statuses: readonly (readonly [Status, string])[] = [
  ["all", "All"],
  ["open", "Open"],
  ["closed", "Closed"],
  ["long", "Long"],
  ["short", "Short"],
];

const orders: readonly Order<Position>[] = [
  { key: "symbol", title: "Symbol", value: (p) => p.symbol },
  { key: "pnl", title: "P&L", value: (p) => p.pnl, descending: true },
  { key: "quantity", title: "Quantity", value: (p) => p.quantity, descending: true },
  { key: "product", title: "Product", value: (p) => p.product },
];

const views = [
  { key: "net", title: "Net exposure" },
  { key: "day", title: "Today’s activity" },
] as const;

export function Positions({ main }: { main: Main }) {
  const asked = main.request?.arguments["position_view"];
  const all = useMemo(() => readPositions(main.data, asked), [main.data, asked]);
  const given = all.length > 0 && all.every((p) => p.view === "day") ? "day" : "net";
  const [chosen, setChosen] = useState<PositionView | null>(null);
  const view = chosen ?? given;
  return (
    <section aria-label="Positions">
      <Tabs label="Which positions" tabs={views} active={view} onChoose={setChosen}>
        <PositionList key={view} main={main} rows={all.filter((p) => p.view === view)} view={view} />
      </Tabs>
    </section>
  );
}

function PositionList({ main, rows, view }: { main: Main; rows: readonly Position[]; view: PositionView }) {
  const { session } = useShared();
  const [query, setQuery] = useState("");
  const [status, setStatus] = useState<Status>("all");
  const { box, asTable, control } = useShape(main.data);
  const shown = useMemo(() => rows.filter((p) => hasStatus(p, status) && holds(query, p.symbol, p.exchange, p.product)), [rows, status, query]);
  const prices = usePrices(rows);
  useListing(shown, view === "net" ? "net exposure" : "today’s activity", query && `text “${query}”`, status === "all" ? "" : `status ${status}`);
  const totals = shownTotals(shown);
  const order = useOrder(shown, orders);
  const selected = session.selection.value?.rowKey;
  const select = (p: Position) => session.select({ id: p.id, rowKey: p.key, token: p.token, row: p.row, from: "positions", receivedAt: main.receivedAt });
  return (
    <>
      <Toolbar>
        <FilterBox value={query} onChange={setQuery} />
        <Choice label="Status" value={status} options={statuses} onChange={setStatus} />
        {!asTable && order.control}
        {control}
        <button type="button" disabled={!session.caps.can("market") || rows.length === 0} onClick={prices.refresh}>
          Refresh prices
        </button>
      </Toolbar>
      <PanelStatus panel={session.prices} what="latest prices" />
      <OtherPages main={main} shown={shown.length} view={view} />
      <p class="totals">
        Shown rows: {count(totals.rows)}, P&L of {view === "net" ? "net exposure" : "today’s activity"} <Gain amount={totals.rows === totals.without ? null : totals.pnl} unit="₹" />
      </p>
      <div ref={box}>
        {shown.length === 0 ? (
          <Nothing main={main} any={rows.length > 0} view={view} />
        ) : asTable ? (
          <PositionTable rows={shown} latest={prices.byId} selected={selected} onSelect={select} />
        ) : (
          <PositionRows rows={order.rows} latest={prices.byId} selected={selected} onSelect={select} />
        )}
      </div>
      {shown.length > 0 && (
        <Collapsible title={view === "net" ? "P&L of net exposure" : "P&L of today’s activity"}>
          <PnlBars shown={shown} />
        </Collapsible>
      )}
    </>
  );
}

/** A component of its own: nothing of it is computed while it is folded. */
const PnlBars = ({ shown }: { shown: readonly Position[] }) => (
  <Bars
    label="Profit and loss by position"
    bars={bars(shown).map((p) => ({ key: p.key, name: p.symbol, detail: [p.exchange, p.product].filter(Boolean).join(" "), amount: p.pnl ?? 0 }))}
  />
);

/** Filters know this page only. */
function OtherPages({ main, shown, view }: { main: Main; shown: number; view: PositionView }) {
  const page = readPage(main.data);
  const there = countOf(main.data, view);
  if (!page || page.returned >= page.total) return null;
  return (
    <p class="note">
      View and filters act on this page: {count(shown)} shown here{there === null ? "" : `, ${count(there)} ${view === "net" ? "net" : "day"} positions in all`}. Other pages may match too.
    </p>
  );
}

function Nothing({ main, any, view }: { main: Main; any: boolean; view: PositionView }) {
  const { session } = useShared();
  if (any) return <p class="empty">No position of this page matches the filters.</p>;
  const there = countOf(main.data, view);
  const request = main.request;
  const asksAll = request?.arguments["position_view"] === "all";
  if (there === 0 || asksAll) return <p class="empty">{view === "net" ? "No net positions on this page." : "No activity today on this page."}</p>;
  return (
    <div class="empty">
      <p>{view === "net" ? "Net exposure" : "Today’s activity"} is not part of this result.</p>
      <button
        type="button"
        disabled={!session.caps.can("portfolio")}
        onClick={() => void session.ask({ tool: "portfolio", arguments: { ...request?.arguments, mode: "positions", position_view: "all", from: 0 } })}
      >
        Load {view === "net" ? "net exposure" : "today’s activity"}
      </button>
    </div>
  );
}

interface ListProps {
  readonly rows: readonly Position[];
  readonly latest: ReadonlyMap<string, Quote>;
  readonly selected: string | undefined;
  readonly onSelect: (p: Position) => void;
}

const columns: readonly Column<Position>[] = [
  { key: "symbol", title: "Instrument", cell: (p) => <Name symbol={p.symbol} exchange={p.exchange} />, value: (p) => p.symbol },
  { key: "product", title: "Product", cell: (p) => p.product || absent, value: (p) => p.product },
  { key: "direction", title: "Direction", cell: (p) => direction(p) || absent, value: (p) => direction(p) },
  { key: "quantity", title: "Quantity", numeric: true, cell: (p) => count(p.quantity), value: (p) => p.quantity },
  { key: "average", title: "Average", numeric: true, cell: (p) => price(p.average), value: (p) => p.average },
  { key: "last", title: "Last", numeric: true, cell: (p) => price(p.last), value: (p) => p.last },
  { key: "pnl", title: "P&L", numeric: true, cell: (p) => <Gain amount={p.pnl} />, value: (p) => p.pnl },
  { key: "realised", title: "Realised", numeric: true, cell: (p) => <Gain amount={p.realised} />, value: (p) => p.realised },
  { key: "unrealised", title: "Unrealised", numeric: true, cell: (p) => <Gain amount={p.unrealised} />, value: (p) => p.unrealised },
];

function PositionTable({ rows, latest, selected, onSelect }: ListProps) {
  const today = useShared().session.today();
  const shown = useMemo(() => [...columns, ...latestColumns<Position>(latest, today)], [latest, today]);
  return <Table label="Positions" rows={rows} columns={shown} rowKey={(p) => p.key} selected={selected} onSelect={onSelect} />;
}

/** The direction says what a minus would. */
const held = (p: Position): string => {
  const d = direction(p);
  if (d === "" || p.quantity === null) return absent;
  return d === "closed" ? d : `${d} ${count(Math.abs(p.quantity))}${p.average === null ? "" : ` at ${price(p.average)}`}`;
};

const PositionRows = ({ rows, latest, selected, onSelect }: ListProps) => (
  <Rows
    label="Positions"
    rows={rows}
    rowKey={(p) => p.key}
    selected={selected}
    onSelect={onSelect}
    extra={latest.size > 0 ? (p) => <Latest quote={latest.get(p.id)} /> : undefined}
    lead={(p) => (
      <>
        <Name symbol={p.symbol} exchange={p.exchange} />
        <small>
          {p.product || absent}, {held(p)}
        </small>
      </>
    )}
    mid={(p) => (
      <>
        <small>
          realised <Gain amount={p.realised} />
        </small>
        <small>
          unrealised <Gain amount={p.unrealised} />
        </small>
      </>
    )}
    value={(p) => (
      <>
        <span>
          <Gain amount={p.pnl} />
        </span>
        <small>last {price(p.last)}</small>
      </>
    )}
  />
);
