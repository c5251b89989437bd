// A chart with the range it shows and the table of its values.
import { useId, useMemo, useRef, useState } from "preact/hooks";

import type { Obj } from "../contract/json.ts";
import { fitted, intervalName, intervals, readCandles, wrongRange, drawsLine, type Candle, type Range } from "../model/candles.ts";
import { candleTime, count, price } from "../model/format.ts";
import { Candles } from "../widgets/Candles.tsx";
import { Collapsible } from "../widgets/Collapsible.tsx";
import { Table, type Column } from "../widgets/Table.tsx";
import { Choice } from "../widgets/Toolbar.tsx";
import { useShared } from "./context.ts";

/** Asks for a range; nothing is sent before it is submitted. */
export function RangeForm({ start, enabled, onSubmit }: { start: Range; enabled: boolean; onSubmit: (r: Range) => void }) {
  const { session } = useShared();
  const [range, setRange] = useState(fitted(start));
  const [wrong, setWrong] = useState("");
  const id = useId();
  const form = useRef<HTMLDivElement>(null);
  // Not a form: sandboxes without allow-forms block what it submits.
  const submit = () => {
    const why = wrongRange(range, session.today());
    setWrong(why);
    if (why === "") onSubmit(range);
    else form.current?.querySelector("input")?.focus(); // which reads the reason
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && enabled && event.target instanceof HTMLInputElement) submit();
  };
  const input = (name: "from" | "to", title: string) => (
    <label class="field" for={`${id}-${name}`}>
      <span>{title}</span>
      <input id={`${id}-${name}`} type={range.interval === "day" ? "date" : "datetime-local"} value={range[name]} aria-invalid={wrong !== ""} aria-describedby={`${id}-wrong`} onInput={(event) => setRange({ ...range, [name]: (event.target as HTMLInputElement).value })} />
    </label>
  );
  return (
    <div class="toolbar" role="group" aria-label="Range of the chart" ref={form} onKeyDown={onKeyDown}>
      {input("from", "From")}
      {input("to", "To")}
      <Choice label="Interval" value={range.interval} options={intervals.map((i) => [i, intervalName(i)] as const)} onChange={(interval) => setRange(fitted({ ...range, interval }))} />
      <button type="button" disabled={!enabled} onClick={submit}>
        Show
      </button>
      <p id={`${id}-wrong`} class="wrong">
        {wrong}
      </p>
    </div>
  );
}

const columnsOf = (candles: readonly Candle[]): readonly Column<Candle>[] => {
  const numbers = (key: "open" | "high" | "low" | "close", title: string): Column<Candle> => ({ key, title, numeric: true, cell: (c) => price(c[key]), value: (c) => c[key] });
  const counts = (key: "volume" | "oi", title: string): Column<Candle> => ({ key, title, numeric: true, cell: (c) => count(c[key]), value: (c) => c[key] });
  return [
    { key: "date", title: "Date", cell: (c) => candleTime(c.date), value: (c) => c.date },
    numbers("open", "Open"),
    numbers("high", "High"),
    numbers("low", "Low"),
    numbers("close", "Close"),
    ...(candles.some((c) => c.volume !== null) ? [counts("volume", "Volume")] : []),
    ...(candles.some((c) => c.oi !== null) ? [counts("oi", "OI")] : []),
  ];
};

export function ChartOf({ data, name }: { data: Obj; name: string }) {
  const { context } = useShared();
  const candles = useMemo(() => readCandles(data), [data]);
  const columns = useMemo(() => columnsOf(candles), [candles]);
  if (candles.length === 0) return <p class="empty">No candles in this range.</p>;
  return (
    <>
      <Candles candles={candles} name={name} look={context.look.value} />
      {drawsLine(candles) && <p class="note">Some candles lack open, high, low or close: the line joins closing prices.</p>}
      <p class="note">{count(candles.length)} candles, drawn at equal distances whatever time lies between them. Times are IST.</p>
      <Collapsible title="All candle values">
        <Table label={"Candle values of " + name} rows={candles} columns={columns} rowKey={(c) => c.date} />
      </Collapsible>
    </>
  );
}
