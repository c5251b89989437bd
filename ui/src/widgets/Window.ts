// Only the rows that can be seen are in the page. Rows have one fixed height, so
// that where a row is follows from its number.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows above and below those in view, drawn before they are scrolled to. */
/** The height of a table's row, as --row has it: a finger needs more than a mouse. */
export const rowHeight = window.matchMedia("(pointer: coarse)").matches ? 44 : 36;

const spare = 4;
/** How high a scroll box is until it has been measured. */
const usualHeight = 420;

export interface Windowed<E extends HTMLElement> {
  readonly box: { current: E | null };
  readonly first: number;
  readonly end: number;
  readonly above: number;
  readonly below: number;
  readonly onScroll: () => void;
  readonly reveal: (row: number) => void;
  /** The key of a row's element, which must tell the row's number as data-row. */
  readonly keyOf: (row: number) => number;
}

/** What to draw of so many rows in a scroll box; head is the height of what stays on top. */
export function useWindow<E extends HTMLElement>(total: number, height: number, head: number, all: boolean): Windowed<E> {
  const box = useRef<E>(null);
  const rowsAt = (top: number, high: number) => ({ first: Math.floor((top - head) / height) - spare, end: Math.ceil((top + high) / height) + spare });
  const [view, setView] = useState(() => rowsAt(0, usualHeight));
  const look = () => {
    if (!box.current) return;
    const now = rowsAt(box.current.scrollTop, box.current.clientHeight);
    if (now.first !== view.first || now.end !== view.end) setView(now);
  };
  const latest = useRef(look);
  latest.current = look;
  useLayoutEffect(() => {
    const e = box.current;
    if (!e) return;
    const watch = new ResizeObserver(() => latest.current());
    watch.observe(e);
    return () => watch.disconnect();
  }, []);
  // Of fewer rows than before the last are shown, as the browser will scroll to them;
  // asking it where it is would make it lay everything out at once.
  const first = all ? 0 : Math.max(0, Math.min(view.first, total - (view.end - view.first)));
  const end = all ? total : Math.min(total, view.end);
  const keyOf = useElements(box.current, first, end);
  return {
    box,
    first,
    end,
    above: first * height,
    below: Math.max(0, total - end) * height,
    onScroll: look,
    keyOf,
    reveal: (row) => {
      const e = box.current;
      if (!e) return;
      const [top, bottom] = [row * height, (row + 1) * height + head];
      if (top < e.scrollTop) e.scrollTop = top;
      else if (bottom > e.scrollTop + e.clientHeight) e.scrollTop = bottom - e.clientHeight;
    },
  };
}

/**
 * Elements for the rows from first to end. A row keeps its element while it is in
 * view; one that comes takes over that of one that went, far cheaper than a new one.
 * An element with the focus is not taken over: it would mean another row.
 */
function useElements(box: HTMLElement | null, first: number, end: number): (row: number) => number {
  const [elements] = useState(() => ({ of: new Map<number, number>(), made: 0 }));
  const focused = box?.querySelector("[data-row]:focus-within")?.getAttribute("data-row");
  const inView = (row: number) => row >= first && row < end;
  const free = [...elements.of].filter(([row]) => !inView(row) && String(row) !== focused).map(([, element]) => element);
  const now = new Map<number, number>(); // in the order of the page, so that few elements move
  for (let row = first; row < end; row++) now.set(row, elements.of.get(row) ?? free.shift() ?? elements.made++);
  elements.of = now;
  return (row) => now.get(row) ?? -1;
}
