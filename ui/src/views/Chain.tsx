// The option chain: which underlying, which expiry, then calls and puts by strike.
import { useMemo, useState } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { num, rows, str, type Obj } from "../contract/json.ts";
import { exchanges, expiriesOf, stageOf, type Option, type Strike } from "../model/chain.ts";
import { absent, count, moment, price, timeOf } from "../model/format.ts";
import type { Quote } from "../model/quotes.ts";
import { holds } from "../model/sort.ts";
import { ChainTable } from "../widgets/ChainTable.tsx";
import { GainAndPercent } from "../widgets/Money.tsx";
import { FailureNote } from "../widgets/Status.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { Choice, FilterBox, Toolbar } from "../widgets/Toolbar.tsx";
import { useListing } from "./Footer.tsx";
import { tableWidth, useShared, useWidth } from "./context.ts";

export function Chain({ main }: { main: Main }) {
  const stage = stageOf(main.data, main.request);
  return (
    <section aria-label="Option chain">
      <Choices main={main} />
      {stage === "underlyings" && <Underlyings main={main} />}
      {stage === "expiries" && <Expiries main={main} />}
      {stage === "strikes" && <Strikes main={main} />}
    </section>
  );
}

/** What was chosen so far; an argument that the result tells too may come from a host that drops requests. */
const chosen = (main: Main, name: string): string => str(main.request?.arguments[name]) || str((main.data["meta"] as Obj | undefined)?.[name]);

/** Asks for one stage of the chain. */
function useChoose(main: Main): { readonly enabled: boolean; readonly choose: (args: Obj) => void } {
  const { session } = useShared();
  const exchange = chosen(main, "exchange") || "NFO";
  return {
    enabled: session.caps.can("market", "option_chain"),
    choose: (args) => void session.ask({ tool: "market", arguments: { mode: "option_chain", exchange, from: 0, limit: 250, ...args } }),
  };
}

function Choices({ main }: { main: Main }) {
  const { session } = useShared();
  const { enabled, choose } = useChoose(main);
  const underlying = chosen(main, "underlying");
  const expiry = chosen(main, "expiry");
  const expiries = expiriesOf(main.data);
  return (
    <Toolbar>
      {enabled && <Choice label="Exchange" value={chosen(main, "exchange") || "NFO"} options={exchanges} onChange={(exchange: string) => choose({ exchange })} />}
      {underlying !== "" && (
        <p class="chosen">
          <span class="note">Underlying</span>
          <strong>{underlying}</strong>
        </p>
      )}
      {enabled && underlying !== "" && expiries.length > 0 && (
        <Choice label="Expiry" value={expiry} options={[...new Set([...expiries, expiry])].filter((e) => e !== "").map((e) => [e, moment(e)] as const)} onChange={(e: string) => choose({ underlying, expiry: e })} />
      )}
      {enabled && underlying !== "" && (
        <button type="button" onClick={() => choose({})}>
          Other underlying
        </button>
      )}
      {!enabled && <p class="note">{session.caps.why("market", "option_chain")}</p>}
    </Toolbar>
  );
}

interface Listed {
  readonly name: string;
  readonly holds: number | null;
  readonly row: Obj;
}

function Underlyings({ main }: { main: Main }) {
  const { enabled, choose } = useChoose(main);
  const [query, setQuery] = useState("");
  const all = useMemo(() => rows(main.data["data"]).map((r): Listed => ({ name: str(r["underlying"]), holds: num(r["expiries"]), row: r })), [main.data]);
  const shown = all.filter((u) => holds(query, u.name));
  useListing(useMemo(() => shown.map(({ row }) => ({ row })), [all, query]), query && `text “${query}”`);
  if (all.length === 0) return <p class="empty">The instruments list has no options of this exchange.</p>;
  return (
    <>
      <Toolbar>
        <FilterBox value={query} onChange={setQuery} />
      </Toolbar>
      {shown.length === 0 ? (
        <p class="empty">No underlying of this page matches “{query}”.</p>
      ) : (
        <Table label="Underlyings" rows={shown} columns={listColumns("Underlying", "Expiries")} rowKey={(u) => u.name} onSelect={enabled ? (u) => choose({ underlying: u.name }) : undefined} />
      )}
    </>
  );
}

function Expiries({ main }: { main: Main }) {
  const { enabled, choose } = useChoose(main);
  const underlying = chosen(main, "underlying");
  const all = useMemo(() => rows(main.data["data"]).map((r): Listed => ({ name: str(r["expiry"]), holds: num(r["strikes"]), row: r })), [main.data]);
  useListing(all);
  if (all.length === 0) return <p class="empty">No options on {underlying || "this underlying"}.</p>;
  return (
    <Table
      label="Expiries"
      rows={all}
      columns={listColumns("Expiry", "Strikes")}
      rowKey={(e) => e.name}
      onSelect={enabled && underlying !== "" ? (e) => choose({ underlying, expiry: e.name }) : undefined}
    />
  );
}

const listColumns = (title: string, counted: string): readonly Column<Listed>[] => [
  { key: "name", title, cell: (l) => <strong>{moment(l.name) || absent}</strong>, value: (l) => l.name },
  { key: "holds", title: counted, numeric: true, cell: (l) => count(l.holds), value: (l) => l.holds },
];

function Strikes({ main }: { main: Main }) {
  const { session } = useShared();
  const wide = useWidth(tableWidth);
  const [every, setEvery] = useState(false);
  const { strikes, quotes } = session.chain;
  useListing(useMemo(() => listed(strikes.value, quotes.value), [strikes.value, quotes.value]), `${chosen(main, "underlying")} ${chosen(main, "expiry")}`);
  if (strikes.value.length === 0) return <p class="empty">No options of this expiry.</p>;
  const select = (o: Option) => session.select({ id: o.id, rowKey: o.id, token: o.token, row: o.row, from: "option_chain", receivedAt: main.receivedAt });
  return (
    <>
      <ReferenceLine />
      <Progress />
      {!wide && (
        <button type="button" class="quiet" aria-pressed={every} onClick={() => setEvery(!every)}>
          {every ? "Show last prices only" : "Show all columns"}
        </button>
      )}
      <ChainTable
        strikes={strikes.value}
        quotes={quotes.value}
        full={wide || every}
        reference={session.chain.reference()}
        selected={session.selection.value?.rowKey}
        onSelect={select}
      />
    </>
  );
}

/** Each option as a row of a file, with its quote. */
const listed = (strikes: readonly Strike[], quotes: ReadonlyMap<string, Quote>) =>
  strikes.flatMap(({ strike, call, put }) => [call, put].flatMap((o) => (o ? [{ id: o.id, row: { strike, ...o.row, quote: quotes.get(o.id)?.row ?? null } }] : [])));

/** The spot and the future of the expiry, each with its own quote. Neither is derived. */
function ReferenceLine() {
  const { session } = useShared();
  const { underlying, future } = session.chain.references.value;
  const quotes = session.chain.quotes.value;
  const known = [underlying, future].flatMap((o) => (o ? [o] : []));
  if (known.length === 0) return null;
  return (
    <p class="references">
      {known.map((o) => {
        const quote = quotes.get(o.id);
        return (
          <span key={o.id}>
            <strong>{o.symbol || o.id}</strong> {price(quote?.last ?? null)} {quote && <GainAndPercent amount={quote.change} value={quote.changePercent} />}{" "}
            {quote && quote.timestamp !== "" && <small>{moment(quote.timestamp)} IST</small>}
          </span>
        );
      })}
    </p>
  );
}

function Progress() {
  const { session } = useShared();
  const { chain, caps } = session;
  const state = chain.state.value;
  const at = chain.quotedAt.value;
  return (
    <div class="chain-state">
      <p class="note">
        {count(chain.strikes.value.length)} strikes
        {state.kind === "strikes" && `, loading the others of ${count(state.of)}…`}
        {state.kind === "quotes" && `, quotes ${count(state.done)} of ${count(state.of)}…`}
        {at !== null && `. Quotes received ${timeOf(at)}`}
      </p>
      {state.kind === "failed" && <FailureNote failure={state.failure} onRetry={caps.can("market", "option_chain") ? () => chain.again() : null} />}
      {state.kind === "done" && (
        <button type="button" class="quiet" disabled={!caps.can("market", "option_chain")} onClick={() => chain.again()}>
          Refresh quotes
        </button>
      )}
    </div>
  );
}
