// Only the rows that can be seen are in the page. Rows have one fixed height, so
// that where a row is follows from its number.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const spare = 8;

export interface Windowed<E extends HTMLElement> {
  readonly box: { current: E | null };
  readonly first: number;
  readonly end: number;
  readonly above: number;
  readonly below: number;
  readonly onScroll: () => void;
  readonly reveal: (row: number) => void;
}

/** What to draw of so many rows in a scroll box; head is the height of what stays on top. */
export function useWindow<E extends HTMLElement>(total: number, height: number, head: number, all: boolean): Windowed<E> {
  const box = useRef<E>(null);
  const [view, setView] = useState({ top: 0, height: 420 });
  const look = () => {
    const e = box.current;
    if (e && (e.scrollTop !== view.top || e.clientHeight !== view.height)) setView({ top: e.scrollTop, height: e.clientHeight });
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
  useLayoutEffect(look, [total]); // fewer rows may have moved the place
  const first = all ? 0 : Math.max(0, Math.min(Math.floor((view.top - head) / height) - spare, total - 1));
  const end = all ? total : Math.min(total, Math.ceil((view.top + view.height) / height) + spare);
  return {
    box,
    first,
    end,
    above: first * height,
    below: Math.max(0, total - end) * height,
    onScroll: look,
    reveal: (row) => {
      const e = box.current;
      if (!e) return;
      const [top, bottom] = [row * height, (row + 1) * height + head];
      if (top < e.scrollTop) e.scrollTop = top;
      else if (bottom > e.scrollTop + e.clientHeight) e.scrollTop = bottom - e.clientHeight;
    },
  };
}
