// Holdings: the account's totals, the rows of this page, and how they are spread.
import { useMemo, useState } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { absent, count, money, percent, price, rupees, signedMoney, timeOf, trend } from "../model/format.ts";
import { allocation, readHoldings, readSummary, shownTotals, type Holding, type Sizing } from "../model/holdings.ts";
import type { Quote } from "../model/quotes.ts";
import { holds, type Order } from "../model/sort.ts";
import { Collapsible } from "../widgets/Collapsible.tsx";
import { Gain, Percent } from "../widgets/Money.tsx";
import { Name } from "../widgets/Name.tsx";
import { Rows } from "../widgets/Rows.tsx";
import { FailureNote, PanelStatus } from "../widgets/Status.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { Choice, FilterBox, Toolbar } from "../widgets/Toolbar.tsx";
import { Treemap } from "../widgets/Treemap.tsx";
import { useShared } from "./context.ts";
import { useListing } from "./Footer.tsx";
import { Latest, latestColumns, usePrices } from "./prices.tsx";
import { useOrder, useShape } from "./shape.tsx";

const orders: readonly Order<Holding>[] = [
  { key: "symbol", title: "Symbol", value: (h) => h.symbol },
  { key: "current", title: "Current value", value: (h) => h.current, descending: true },
  { key: "pnl", title: "P&L", value: (h) => h.pnl, descending: true },
  { key: "day", title: "Day change", value: (h) => h.dayPercent, descending: true },
];

export function Holdings({ main }: { main: Main }) {
  const { session } = useShared();
  const [query, setQuery] = useState("");
  const { box, asTable, control } = useShape(main.data);
  const all = useMemo(() => readHoldings(main.data), [main.data]);
  const shown = useMemo(() => all.filter((h) => holds(query, h.symbol, h.exchange)), [all, query]);
  const prices = usePrices(all);
  useListing(shown, query && `text “${query}”`);
  const order = useOrder(shown, orders);
  const selected = session.selection.value?.rowKey;
  const select = (h: Holding) => session.select({ id: h.id, rowKey: h.key, token: h.token, row: h.row, from: "holdings", receivedAt: main.receivedAt });
  return (
    <section aria-label="Holdings">
      <Cards unknown={all.filter((h) => h.average === null).length} />
      <Toolbar>
        <FilterBox value={query} onChange={setQuery} />
        {!asTable && order.control}
        {control}
        <button type="button" disabled={!session.caps.can("market") || all.length === 0} onClick={prices.refresh}>
          Refresh prices
        </button>
      </Toolbar>
      <PanelStatus panel={session.prices} what="latest prices" />
      <Totals shown={shown} of={all.length} />
      <div ref={box}>
        {shown.length === 0 ? (
          <p class="empty">{all.length === 0 ? "No holdings on this page." : `No holding of this page matches “${query}”.`}</p>
        ) : asTable ? (
          <HoldingsTable rows={shown} latest={prices.byId} selected={selected} onSelect={select} />
        ) : (
          <HoldingRows rows={order.rows} latest={prices.byId} selected={selected} onSelect={select} />
        )}
      </div>
      {shown.length > 0 && <Allocation shown={shown} />}
    </section>
  );
}

/** Cards of the whole account; unknown tells how many rows of the page have no cost. */
function Cards({ unknown }: { unknown: number }) {
  const { session } = useShared();
  const { state, loaded } = session.summary;
  const s = loaded.value ? readSummary(loaded.value.data) : null;
  const failed = state.value.kind === "failed" ? state.value.failure : null;
  const cards: readonly (readonly [string, string, string, number | null])[] = [
    ["Invested amount", rupees(s?.invested ?? null), "", null],
    ["Current value", rupees(s?.current ?? null), "", null],
    ["Total P&L", signedMoney(s?.pnl ?? null, "₹"), percent(s?.pnlPercent ?? null), s?.pnl ?? null],
    ["Today’s P&L", signedMoney(s?.today ?? null, "₹"), percent(s?.todayPercent ?? null), s?.today ?? null],
  ];
  return (
    <section class="summary" aria-label="Whole account">
      <dl class="cards" style={{ "--longest": Math.max(10, ...cards.map(([, value]) => value.length)) }}>
        {cards.map(([title, value, detail, direction]) => (
          <div class="card" key={title}>
            <dt>{title}</dt>
            <dd class={trend(direction)}>
              <span class="amount">{value}</span>
              {detail !== "" && detail !== absent && <span class="detail">({detail})</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p class="note">
        Whole account.{" "}
        {loaded.value
          ? `Received ${timeOf(loaded.value.receivedAt)}.`
          : state.value.kind === "loading"
            ? "Loading…"
            : session.caps.can("portfolio")
              ? ""
              : "The totals of the account cannot be asked for here; those of the shown rows are below."}
        {s !== null && s.pnl !== null && unknown > 0 && ` Total P&L includes ${unknown === 1 ? "a holding" : `${count(unknown)} holdings`} whose cost Kite does not know; the rows below leave that out.`}
      </p>
      {failed && session.caps.can("portfolio") && <FailureNote failure={failed} onRetry={() => session.summary.retry()} />}
    </section>
  );
}

function Totals({ shown, of }: { shown: readonly Holding[]; of: number }) {
  const totals = shownTotals(shown);
  return (
    <p class="totals">
      Shown rows: {count(totals.rows)}
      {totals.rows === of ? "" : ` of ${count(of)} on this page`}, P&L <Gain amount={totals.rows === totals.without ? null : totals.pnl} unit="₹" />
      {totals.without > 0 && <span class="note"> ({count(totals.without)} without a known cost)</span>}
    </p>
  );
}

interface ListProps {
  readonly rows: readonly Holding[];
  readonly latest: ReadonlyMap<string, Quote>;
  readonly selected: string | undefined;
  readonly onSelect: (h: Holding) => void;
}

const columns: readonly Column<Holding>[] = [
  { key: "symbol", title: "Instrument", cell: (h) => <Name symbol={h.symbol} exchange={h.exchange} />, value: (h) => h.symbol },
  { key: "quantity", title: "Quantity", numeric: true, cell: (h) => <Quantity h={h} />, value: (h) => h.quantity },
  { key: "average", title: "Average", numeric: true, cell: (h) => price(h.average), value: (h) => h.average },
  { key: "last", title: "Last", numeric: true, cell: (h) => price(h.last), value: (h) => h.last },
  { key: "invested", title: "Invested", numeric: true, cell: (h) => money(h.invested), value: (h) => h.invested },
  { key: "current", title: "Current", numeric: true, cell: (h) => money(h.current), value: (h) => h.current },
  { key: "pnl", title: "P&L", numeric: true, cell: (h) => <Gain amount={h.pnl} />, value: (h) => h.pnl },
  { key: "day", title: "Day", numeric: true, cell: (h) => <Percent value={h.dayPercent} />, value: (h) => h.dayPercent },
];

/** The T1 part stands before the quantity, so that digits stay under each other. */
const Quantity = ({ h }: { h: Holding }) => (
  <>
    {h.t1 > 0 && <small>(T1 {count(h.t1)}) </small>}
    {count(h.quantity)}
  </>
);

function HoldingsTable({ rows, latest, selected, onSelect }: ListProps) {
  const today = useShared().session.today();
  const shown = useMemo(() => [...columns, ...latestColumns<Holding>(latest, today)], [latest, today]);
  return <Table label="Holdings" rows={rows} columns={shown} rowKey={(h) => h.key} selected={selected} onSelect={onSelect} />;
}

const HoldingRows = ({ rows, latest, selected, onSelect }: ListProps) => (
  <Rows
    label="Holdings"
    rows={rows}
    rowKey={(h) => h.key}
    selected={selected}
    onSelect={onSelect}
    extra={latest.size > 0 ? (h) => <Latest quote={latest.get(h.id)} /> : undefined}
    lead={(h) => (
      <>
        <Name symbol={h.symbol} exchange={h.exchange} />
        <small>
          {count(h.quantity)}
          {h.t1 > 0 && ` (T1 ${count(h.t1)})`}
          {h.average === null ? ", cost not known" : ` at ${price(h.average)}`}
        </small>
      </>
    )}
    mid={(h) => (
      <>
        <span>last {price(h.last)}</span>
        <small>
          <Percent value={h.dayPercent} /> today
        </small>
      </>
    )}
    value={(h) => (
      <>
        <span>{money(h.current)}</span>
        <small>
          <Gain amount={h.pnl} />
        </small>
      </>
    )}
  />
);

function Allocation({ shown }: { shown: readonly Holding[] }) {
  const [by, setBy] = useState<Sizing>("current");
  return (
    <Collapsible title="Allocation of the shown rows">
      <Choice label="Size by" value={by} options={[["current", "Current value"], ["invested", "Invested amount"], ["pnl", "Absolute P&L"]]} onChange={setBy} />
      <Shares shown={shown} by={by} />
    </Collapsible>
  );
}

/** A component of its own: nothing of it is computed while it is folded. */
function Shares({ shown, by }: { shown: readonly Holding[]; by: Sizing }) {
  const { drawn, listed } = useMemo(() => allocation(shown, by), [shown, by]);
  const whole = drawn.reduce((sum, s) => sum + s.size, 0);
  const tiles = drawn.map(({ holding, size }) => ({
    key: holding.key,
    name: holding.symbol,
    size,
    text: by === "pnl" ? signedMoney(holding.pnl) : money(size),
    trend: trend(holding.pnl),
  }));
  return (
    <>
      {drawn.length > 0 && <Treemap label={`Treemap of ${String(drawn.length)} holdings; the list below has the same numbers`} tiles={tiles} />}
      <p class="note">Covers the {count(shown.length)} shown rows of this page, from the portfolio snapshot.</p>
      <ul class="shares">
        {[...drawn].sort((a, b) => b.size - a.size).map(({ holding, size }) => (
          <li key={holding.key}>
            <span>{holding.symbol}</span>
            <span>{by === "pnl" ? <Gain amount={holding.pnl} /> : money(size)}</span>
            <span>{totalsShare(size, whole)}</span>
          </li>
        ))}
        {listed.map((h) => (
          <li key={h.key}>
            <span>{h.symbol}</span>
            <span>{by === "pnl" ? <Gain amount={h.pnl} /> : money(h[by])}</span>
            <span>not drawn</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const totalsShare = (size: number, whole: number): string => percent((size / whole) * 100).replace("+", "");
