// The instrument finder: a form for the server's search, and filters of what it found.
import { useEffect, useId, useMemo, useState } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { at, str } from "../contract/json.ts";
import { absent, count, moment, price } from "../model/format.ts";
import { askedFor, byExpiry, fields, isQuoted, longestQuery, lookedUp, readInstruments, searchFor, valuesOf, type Field, type Group, type Instrument, type Query } from "../model/search.ts";
import { Collapsible } from "../widgets/Collapsible.tsx";
import { Percent } from "../widgets/Money.tsx";
import { Name } from "../widgets/Name.tsx";
import { Rows } from "../widgets/Rows.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { Choice, Toolbar } from "../widgets/Toolbar.tsx";
import { useListing } from "./Footer.tsx";
import { tableWidth, useShared, useWidth } from "./context.ts";

export function Search({ main }: { main: Main }) {
  const asked = askedFor(main.request);
  return (
    <section aria-label="Instrument finder">
      <SearchForm asked={asked} />
      {!main.blank && <Found key={JSON.stringify(asked)} main={main} asked={asked} />}
    </section>
  );
}

function SearchForm({ asked }: { asked: Query }) {
  const { session } = useShared();
  const [query, setQuery] = useState<Query>(asked);
  // Another search fills the form anew; another page of one leaves it alone.
  useEffect(() => setQuery(asked), [JSON.stringify(asked)]);
  const id = useId();
  const enabled = session.caps.can("market", "search");
  const search = () => {
    if (enabled && query.text !== "") void session.ask(searchFor(query));
  };
  // Not a form: sandboxes without allow-forms block what it submits.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) search();
  };
  return (
    <div class="search" role="search" onKeyDown={onKeyDown}>
      <Toolbar>
        <Choice label="Search in" value={query.field} options={fields} onChange={(field: Field) => setQuery({ ...query, field })} />
        <label class="field" for={id}>
          <span>Text</span>
          <input
            id={id}
            type="search"
            value={query.text}
            maxLength={longestQuery}
            autoComplete="off"
            autoCapitalize="off"
            spellcheck={false}
            onInput={(event) => setQuery({ ...query, text: (event.target as HTMLInputElement).value })}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={query.quotes} onChange={(event) => setQuery({ ...query, quotes: (event.target as HTMLInputElement).checked })} />
          <span>Include current quotes</span>
        </label>
        <button type="button" disabled={!enabled || query.text === ""} onClick={search}>
          Search
        </button>
      </Toolbar>
      <p class="note">The text is searched for as it is written: spaces are part of it.</p>
      {!enabled && <p class="note">{session.caps.why("market", "search")}</p>}
    </div>
  );
}

const all = "all";

function Found({ main, asked }: { main: Main; asked: Query }) {
  const found = useMemo(() => readInstruments(main.data), [main.data]);
  const [exchange, setExchange] = useState(all);
  const [type, setType] = useState(all);
  const [expiry, setExpiry] = useState(all);
  const shown = useMemo(
    () => found.filter((i) => (exchange === all || i.exchange === exchange) && (type === all || i.type === type) && (expiry === all || i.expiry === expiry)),
    [found, exchange, type, expiry],
  );
  const only = (name: string, value: string) => (value === all ? "" : `${name} ${value}`);
  useListing(shown, asked.text && `search for “${asked.text}”`, only("exchange", exchange), only("type", type), only("expiry", expiry));
  const quoteError = str(at(main.data, "meta", "live_quote_error"));
  const lookup = lookedUp(main.request);
  const label = fields.find(([key]) => key === asked.field)?.[1] ?? "";
  return (
    <>
      {lookup !== "" && <p class="note">Looked up by {lookup}.</p>}
      {quoteError !== "" && (
        <p class="notice" role="note">
          Current quotes could not be had: {quoteError}
        </p>
      )}
      {found.length === 0 ? (
        <p class="empty">{asked.text === "" ? "No instrument was found." : `No instrument has “${asked.text}” in its ${label.toLowerCase()}.`}</p>
      ) : (
        <>
          <Toolbar>
            <PageFilter label="Exchange on this page" value={exchange} values={valuesOf(found, (i) => i.exchange)} onChange={setExchange} />
            <PageFilter label="Type on this page" value={type} values={valuesOf(found, (i) => i.type)} onChange={setType} />
            <PageFilter label="Expiry on this page" value={expiry} values={valuesOf(found, (i) => i.expiry)} onChange={setExpiry} />
          </Toolbar>
          <p class="totals">
            Shown instruments: {count(shown.length)}
            {shown.length === found.length ? "" : ` of ${count(found.length)} on this page`}
          </p>
          {shown.length === 0 ? <p class="empty">No instrument of this page matches the filters.</p> : <Groups main={main} shown={shown} />}
        </>
      )}
    </>
  );
}

/** A filter with one value to choose from would do nothing. */
function PageFilter({ label, value, values, onChange }: { label: string; value: string; values: readonly string[]; onChange: (v: string) => void }) {
  if (values.length < 2 && value === all) return null;
  return <Choice label={label} value={value} options={[[all, "All"], ...[...new Set([...values, value])].filter((v) => v !== all).map((v) => [v, moment(v)] as const)]} onChange={onChange} />;
}

/** Groups beyond this many rows open by hand. */
const openRows = 60;

function Groups({ main, shown }: { main: Main; shown: readonly Instrument[] }) {
  const groups = useMemo(() => byExpiry(shown), [shown]);
  const [only] = groups;
  if (groups.length === 1 && only?.expiry === "") return <Instruments main={main} rows={shown} />;
  const titleOf = (g: Group) => `${g.expiry === "" ? "No expiry given" : "Expiry " + moment(g.expiry)} (${count(g.rows.length)})`;
  return (
    <>
      {groups.map((g, n) => (
        <Collapsible key={g.expiry} title={titleOf(g)} open={n === 0 || shown.length <= openRows}>
          <Instruments main={main} rows={g.rows} />
        </Collapsible>
      ))}
    </>
  );
}

function Instruments({ main, rows }: { main: Main; rows: readonly Instrument[] }) {
  const { session } = useShared();
  const wide = useWidth(tableWidth);
  const quoted = isQuoted(main.data);
  const shown = useMemo(() => {
    const some = (has: (i: Instrument) => boolean) => rows.some(has);
    return columns.filter((c) => (c.quote !== true || quoted) && (c.contract !== true || some((i) => c.value(i) !== null)));
  }, [rows, quoted]);
  const list = {
    label: "Instruments",
    rows,
    rowKey: (i: Instrument) => i.key,
    selected: session.selection.value?.rowKey,
    onSelect: (i: Instrument) => session.select({ id: i.id, rowKey: i.key, token: i.token, row: i.row, from: "search", receivedAt: main.receivedAt }),
  };
  if (wide) return <Table {...list} columns={shown} />;
  return <Rows {...list} lead={(i) => <Lead i={i} />} value={(i) => <Value i={i} quoted={quoted} />} />;
}

interface SearchColumn extends Column<Instrument> {
  /** Of rows with current quotes. */
  readonly quote?: boolean;
  /** Of contracts. */
  readonly contract?: boolean;
}

const columns: readonly SearchColumn[] = [
  { key: "symbol", title: "Instrument", cell: (i) => <Name symbol={i.symbol} exchange={i.exchange} />, value: (i) => i.symbol },
  { key: "name", title: "Name", cell: (i) => i.name || absent, value: (i) => i.name || null },
  { key: "type", title: "Type", cell: (i) => i.type || absent, value: (i) => i.type || null },
  { key: "last", title: "Last", numeric: true, quote: true, cell: (i) => price(i.last), value: (i) => i.last },
  { key: "change", title: "Change %", numeric: true, quote: true, cell: (i) => <Percent value={i.changePercent} />, value: (i) => i.changePercent },
  { key: "expiry", title: "Expiry", contract: true, cell: (i) => moment(i.expiry) || absent, value: (i) => i.expiry || null },
  { key: "strike", title: "Strike", numeric: true, contract: true, cell: (i) => price(i.strike), value: (i) => i.strike },
  { key: "lot", title: "Lot size", numeric: true, cell: (i) => count(i.lot), value: (i) => i.lot },
  { key: "quoted", title: "Quote time", quote: true, cell: (i) => moment(i.quotedAt) || absent, value: (i) => i.quotedAt || null },
];

const Lead = ({ i }: { i: Instrument }) => (
  <>
    <Name symbol={i.symbol} exchange={i.exchange} />
    <small>{i.name || absent}</small>
  </>
);

const Value = ({ i, quoted }: { i: Instrument; quoted: boolean }) => (
  <>
    <span>{quoted ? price(i.last) : i.type || absent}</span>
    <small>{quoted ? <Percent value={i.changePercent} /> : i.strike === null ? moment(i.expiry) : `${price(i.strike)}${i.expiry === "" ? "" : ", " + moment(i.expiry)}`}</small>
  </>
);
