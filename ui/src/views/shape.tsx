// How a list is shown: as a table where that has room, else as compact rows in
// an order of the person's choice.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { sortRows, type Order } from "../model/sort.ts";
import { Choice } from "../widgets/Toolbar.tsx";
import { useShared, useWidth, wideRows } from "./context.ts";

interface Ref<E> {
  current: E | null;
}

export interface Shape {
  /** What the list is put into. */
  readonly box: Ref<HTMLDivElement>;
  readonly asTable: boolean;
  readonly control: ComponentChildren;
}

/**
 * The person's choice, or a table when all of its columns fit: that is measured
 * when it is drawn, and again when the box's width or the data change. While an
 * instrument is open the list keeps its shape: it is what was clicked on.
 */
export function useShape(data: unknown): Shape {
  const { session } = useShared();
  const box = useRef<HTMLDivElement>(null);
  const wide = useWidth(wideRows);
  const [chosen, choose] = useState<"table" | "rows" | null>(null);
  const [width, setWidth] = useState(0);
  const [needs, setNeeds] = useState(0);
  const open = session.selection.value !== null;
  useLayoutEffect(() => {
    const e = box.current;
    if (!e || open) return;
    // In the next frame: another shape has another height, which is observed too.
    let frame = 0;
    const watch = new ResizeObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setWidth(e.clientWidth));
    });
    watch.observe(e);
    return () => {
      cancelAnimationFrame(frame);
      watch.disconnect();
    };
  }, [open]);
  useLayoutEffect(() => {
    const e = box.current;
    const table = e?.querySelector(".table-widget > .scroll");
    if (!e || !table || open) return;
    setWidth(e.clientWidth);
    setNeeds(table.scrollWidth > table.clientWidth ? table.scrollWidth + e.clientWidth - table.clientWidth : 0);
  }, [width, data]);
  const asTable = wide && (chosen ?? (width >= needs ? "table" : "rows")) === "table";
  const control = wide && <Choice label="Show as" value={asTable ? "table" : "rows"} options={[["table", "Table"], ["rows", "Compact rows"]]} onChange={choose} />;
  return { box, asTable, control };
}

export interface Ordered<R> {
  readonly rows: readonly R[];
  readonly control: ComponentChildren;
}

/** The rows in the order that was chosen; at first as they came. */
export function useOrder<R>(rows: readonly R[], orders: readonly Order<R>[]): Ordered<R> {
  const [chosen, choose] = useState("");
  const order = orders.find((o) => o.key === chosen);
  const sorted = useMemo(() => (order ? sortRows(rows, order.value, order.descending === true) : rows), [rows, order]);
  const options = [["", "Kite’s order"], ...orders.map((o) => [o.key, o.title] as const)] as const;
  return { rows: sorted, control: <Choice label="Sort by" value={chosen} options={options} onChange={choose} /> };
}
