// Instruments as compact rows, for narrow screens.
import type { ComponentChildren } from "preact";

import { useWindow } from "./Window.ts";

interface Props<R> {
  readonly label: string;
  readonly rows: readonly R[];
  readonly rowKey: (row: R) => string;
  readonly selected: string | undefined;
  readonly onSelect: ((row: R) => void) | undefined;
  readonly lead: (row: R) => ComponentChildren;
  readonly value: (row: R) => ComponentChildren;
}

const rowHeight = 56;

export function Rows<R>({ label, rows, rowKey, selected, onSelect, lead, value }: Props<R>) {
  const win = useWindow<HTMLUListElement>(rows.length, rowHeight, 0, false);
  return (
    <ul class="rows scroll" ref={win.box} onScroll={win.onScroll} aria-label={label} tabIndex={onSelect ? undefined : 0}>
      {win.above > 0 && <li aria-hidden="true" style={{ height: `${String(win.above)}px` }} />}
      {rows.slice(win.first, win.end).map((row, i) => {
        const key = rowKey(row);
        const number = win.first + i;
        const inside = (
          <>
            <span class="lead">{lead(row)}</span>
            <span class="value">{value(row)}</span>
          </>
        );
        return (
          <li key={win.keyOf(number)} data-row={number} aria-setsize={rows.length} aria-posinset={number + 1} class={key === selected ? "selected" : undefined}>
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
