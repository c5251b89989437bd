// Calls to the left of the strike, puts to the right.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { nearest, type Option, type Strike } from "../model/chain.ts";
import { count, price } from "../model/format.ts";
import { readDepth, type Quote } from "../model/quotes.ts";
import { rowHeight, useWindow } from "./Window.ts";

interface Props {
  readonly strikes: readonly Strike[];
  readonly quotes: ReadonlyMap<string, Quote>;
  /** Every column, or last prices only. */
  readonly full: boolean;
  /** The price that strikes are compared with, in rupees. */
  readonly reference: number | null;
  readonly selected: string | undefined;
  readonly onSelect: (o: Option) => void;
}

/** Two rows of headings. */
const headHeight = 2 * rowHeight;

interface Cell {
  readonly key: string;
  readonly title: string;
  readonly of: (q: Quote) => ComponentChildren;
}

const last: Cell = { key: "last", title: "LTP", of: (q) => price(q.last) };

/** From the outside to the strike. */
const outer: readonly Cell[] = [
  { key: "oi", title: "OI", of: (q) => count(q.oi) },
  { key: "volume", title: "Volume", of: (q) => count(q.volume) },
  { key: "bid", title: "Bid", of: (q) => price(readDepth(q.row, "buy")[0]?.price ?? null) },
  { key: "ask", title: "Ask", of: (q) => price(readDepth(q.row, "sell")[0]?.price ?? null) },
];

export function ChainTable({ strikes, quotes, full, reference, selected, onSelect }: Props) {
  const win = useWindow<HTMLDivElement>(strikes.length, rowHeight, headHeight, false);
  const mark = useMemo(() => (reference === null ? -1 : nearest(strikes, reference)), [strikes, reference]);
  useScrollOnce(win.box, mark);
  const cells = full ? [...outer, last] : [last];
  const mirrored = full ? [last, ...outer.slice().reverse()] : [last];
  const side = (o: Option | null, of: readonly Cell[], name: string) =>
    of.map((c) => (
      <td key={name + c.key} class="number">
        {o && <Value option={o} quote={quotes.get(o.id)} cell={c} selected={selected} onSelect={onSelect} />}
      </td>
    ));
  return (
    <div class="scroll chain" ref={win.box} onScroll={win.onScroll} role="region" aria-label="Strikes" tabIndex={0}>
      <table aria-rowcount={strikes.length + 2} aria-label="Option chain">
        <thead>
          <tr aria-rowindex={1}>
            <th scope="colgroup" colSpan={cells.length} class="group">
              Calls
            </th>
            <td class="strike" />
            <th scope="colgroup" colSpan={cells.length} class="group">
              Puts
            </th>
          </tr>
          <tr aria-rowindex={2}>
            {cells.map((c) => (
              <Title key={c.key} cell={c} side="call" />
            ))}
            <th scope="col" class="number strike">
              Strike
            </th>
            {mirrored.map((c) => (
              <Title key={c.key} cell={c} side="put" />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={win.above} columns={2 * cells.length + 1} />
          {strikes.slice(win.first, win.end).map((s, i) => {
            const number = win.first + i;
            return (
              <tr key={s.strike} aria-rowindex={number + 3} class={number === mark ? "nearest" : undefined}>
                {side(s.call, cells, "call")}
                <th scope="row" class="number strike">
                  {count(s.strike)}
                  {number === mark && <span class="unseen"> nearest to the reference</span>}
                </th>
                {side(s.put, mirrored, "put")}
              </tr>
            );
          })}
          <Spacer height={win.below} columns={2 * cells.length + 1} />
        </tbody>
      </table>
    </div>
  );
}

const Title = ({ cell, side }: { cell: Cell; side: string }) => (
  <th scope="col" class="number">
    <span class="unseen">{side} </span>
    {cell.title}
  </th>
);

const Spacer = ({ height, columns }: { height: number; columns: number }) =>
  height > 0 ? (
    <tr aria-hidden="true" class="spacer" style={{ height: `${String(height)}px` }}>
      <td colSpan={columns} />
    </tr>
  ) : null;

interface ValueProps {
  readonly option: Option;
  readonly quote: Quote | undefined;
  readonly cell: Cell;
  readonly selected: string | undefined;
  readonly onSelect: (o: Option) => void;
}

/** The last price opens the contract; what has no quote yet is a dash. */
function Value({ option, quote, cell, selected, onSelect }: ValueProps) {
  const text = quote ? cell.of(quote) : price(null);
  if (cell.key !== "last") return <>{text}</>;
  return (
    <button type="button" class="row-button" data-key={option.id} aria-pressed={option.id === selected} aria-label={`${option.symbol}, last price ${quote ? price(quote.last) : "not known"}`} onClick={() => onSelect(option)}>
      {text}
    </button>
  );
}

/** Brings the marked strike into the middle, the first time that it is known. */
function useScrollOnce(box: { readonly current: HTMLDivElement | null }, mark: number): void {
  const done = useRef(false);
  useEffect(() => {
    const e = box.current;
    if (mark < 0 || done.current || !e) return;
    done.current = true;
    e.scrollTop = mark * rowHeight - (e.clientHeight - headHeight - rowHeight) / 2;
  }, [mark]);
}
