// Instruments as compact rows, where a table has no room.
import type { ComponentChildren } from "preact";

import { useWidth, wideRows } from "../views/context.ts";
import { useWindow } from "./Window.ts";

interface Props<R> {
  readonly label: string;
  readonly rows: readonly R[];
  readonly rowKey: (row: R) => string;
  readonly selected: string | undefined;
  readonly onSelect: ((row: R) => void) | undefined;
  /** Two lines each; the middle part becomes one line below the others on narrow screens. */
  readonly lead: (row: R) => ComponentChildren;
  readonly mid?: (row: R) => ComponentChildren;
  readonly value: (row: R) => ComponentChildren;
  /** One more line, when there is more to say of rows. */
  readonly extra?: ((row: R) => ComponentChildren) | undefined;
}

export function Rows<R>({ label, rows, rowKey, selected, onSelect, lead, mid, value, extra }: Props<R>) {
  const beside = useWidth(wideRows);
  const rowHeight = (beside || !mid ? 56 : 76) + (extra ? 18 : 0);
  const win = useWindow<HTMLUListElement>(rows.length, rowHeight, 0, false);
  return (
    <ul class={mid && beside ? "rows scroll three" : "rows scroll"} ref={win.box} onScroll={win.onScroll} aria-label={label} tabIndex={onSelect ? undefined : 0}>
      {win.above > 0 && <li aria-hidden="true" style={{ height: `${String(win.above)}px` }} />}
      {rows.slice(win.first, win.end).map((row, i) => {
        const key = rowKey(row);
        const number = win.first + i;
        const inside = (
          <>
            <span class="lead">{lead(row)}</span>
            {mid && <span class="mid">{mid(row)}</span>}
            <span class="value">{value(row)}</span>
            {extra && <span class="extra">{extra(row)}</span>}
          </>
        );
        return (
          <li key={win.keyOf(number)} data-row={number} aria-setsize={rows.length} aria-posinset={number + 1} class={key === selected ? "selected" : undefined} style={{ height: `${String(rowHeight)}px` }}>
            {onSelect ? (
              <button type="button" class="row-button" data-key={key} aria-pressed={key === selected} onClick={() => onSelect(row)}>
                {inside}
              </button>
            ) : (
              <div class="row-button">{inside}</div>
            )}
          </li>
        );
      })}
      {win.below > 0 && <li aria-hidden="true" style={{ height: `${String(win.below)}px` }} />}
    </ul>
  );
}
