// A table of rows that can be sorted, windowed, and walked with the arrow keys.
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";

import { sortRows, type SortBy, type SortValue } from "../model/sort.ts";
import { rowHeight, useWindow } from "./Window.ts";

export interface Column<R> {
  readonly key: string;
  readonly title: string;
  readonly numeric?: boolean;
  readonly cell: (row: R) => ComponentChildren;
  readonly value: (row: R) => SortValue;
}

interface Props<R> {
  readonly label: string;
  readonly rows: readonly R[];
  /** The first column names the row. */
  readonly columns: readonly Column<R>[];
  readonly rowKey: (row: R) => string;
  readonly selected?: string | undefined;
  readonly onSelect?: ((row: R) => void) | undefined;
}

const headHeight = rowHeight;
/** More rows than this are never all in the page. */
const plainLimit = 500;

export function Table<R>({ label, rows, columns, rowKey, selected, onSelect }: Props<R>) {
  const [sort, setSort] = useState<SortBy | null>(null);
  const [plain, setPlain] = useState(false);
  const sorted = useMemo(() => {
    const by = columns.find((c) => c.key === sort?.column);
    return by && sort ? sortRows(rows, by.value, sort.descending) : rows;
  }, [rows, columns, sort]);
  const win = useWindow<HTMLDivElement>(sorted.length, rowHeight, headHeight, plain);
  const focus = useRef<number | null>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    const row = (event.target as HTMLElement).closest("tr[data-row]");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!row || step === undefined) return;
    const next = Number(row.getAttribute("data-row")) + step;
    if (next < 0 || next >= sorted.length) return;
    event.preventDefault();
    win.reveal(next);
    focus.current = next;
    requestAnimationFrame(() => {
      win.box.current?.querySelector<HTMLElement>(`tr[data-row="${String(next)}"] .row-button`)?.focus();
    });
  };

  return (
    <div class="table-widget">
      <div class={plain ? "scroll plain" : "scroll"} ref={win.box} onScroll={win.onScroll} onKeyDown={onKeyDown} tabIndex={onSelect ? undefined : 0} role="region" aria-label={label}>
        <table aria-rowcount={sorted.length + 1} aria-label={label}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((c) => (
                <Head key={c.key} column={c} sort={sort} onSort={setSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {win.above > 0 && (
              <tr aria-hidden="true" class="spacer" style={{ height: `${String(win.above)}px` }}>
                <td colSpan={columns.length} />
              </tr>
            )}
            {sorted.slice(win.first, win.end).map((row, i) => {
              const key = rowKey(row);
              const number = win.first + i;
              return (
                <tr key={win.keyOf(number)} data-row={number} aria-rowindex={number + 2} class={key === selected ? "selected" : undefined}>
                  {columns.map((c, n) =>
                    n === 0 ? (
                      <th key={c.key} scope="row">
                        {onSelect ? (
                          <button type="button" class="row-button" data-key={key} aria-pressed={key === selected} onClick={() => onSelect(row)}>
                            {c.cell(row)}
                          </button>
                        ) : (
                          c.cell(row)
                        )}
                      </th>
                    ) : (
                      <td key={c.key} class={c.numeric ? "number" : undefined}>
                        {c.cell(row)}
                      </td>
                    ),
                  )}
                </tr>
              );
            })}
            {win.below > 0 && (
              <tr aria-hidden="true" class="spacer" style={{ height: `${String(win.below)}px` }}>
                <td colSpan={columns.length} />
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {sorted.length > 12 && sorted.length <= plainLimit && (
        <button type="button" class="quiet" aria-pressed={plain} onClick={() => setPlain(!plain)}>
          {plain ? "Show as scrolling table" : "Show as plain table"}
        </button>
      )}
    </div>
  );
}

function Head<R>({ column, sort, onSort }: { column: Column<R>; sort: SortBy | null; onSort: (s: SortBy) => void }) {
  const active = sort?.column === column.key;
  const next = { column: column.key, descending: active ? !sort.descending : column.numeric === true };
  return (
    <th scope="col" class={column.numeric ? "number" : undefined} aria-sort={active ? (sort.descending ? "descending" : "ascending") : "none"}>
      <button type="button" class="head-button" onClick={() => onSort(next)}>
        {column.title}
        <span aria-hidden="true" class="sort-mark">
          {active ? (sort.descending ? "▾" : "▴") : ""}
        </span>
      </button>
    </th>
  );
}
