// Candles on a canvas, one tab stop: the arrow keys, Home and End move the
// inspected candle, Escape clears it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { drawsLine, group, type Candle } from "../model/candles.ts";
import { absent, candleTime, count, price } from "../model/format.ts";
import { barAt, gutter, height, paint, type Series } from "./plot.ts";

/** Bars of fewer pixels cannot be told apart. */
const leastBar = 3;

interface Props {
  readonly candles: readonly Candle[];
  readonly name: string;
  /** Grows when colours have changed. */
  readonly look: number;
}

/** What a candle says, part by part. */
const values = (c: Candle): string[] => [
  `open ${price(c.open)}`,
  `high ${price(c.high)}`,
  `low ${price(c.low)}`,
  `close ${price(c.close)}`,
  ...(c.volume === null ? [] : [`volume ${count(c.volume)}`]),
  ...(c.oi === null ? [] : [`OI ${count(c.oi)}`]),
];

const dateOf = (c: Candle): string => candleTime(c.date) || absent;

/** The box's width and how many device pixels make one of its own. */
function useBox(canvas: { readonly current: HTMLCanvasElement | null }): { width: number; dots: number } {
  const [width, setWidth] = useState(0);
  const [dots, setDots] = useState(() => window.devicePixelRatio || 1);
  useLayoutEffect(() => {
    const e = canvas.current?.parentElement;
    if (!e) return;
    const watch = new ResizeObserver(() => setWidth(Math.floor(e.clientWidth)));
    watch.observe(e);
    return () => watch.disconnect();
  }, []);
  // Another screen, or another zoom.
  useEffect(() => {
    const same = window.matchMedia(`(resolution: ${String(dots)}dppx)`);
    const look = () => setDots(window.devicePixelRatio || 1);
    same.addEventListener("change", look);
    return () => same.removeEventListener("change", look);
  }, [dots]);
  return { width, dots };
}

export function Candles({ candles, name, look }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, dots } = useBox(canvas);
  const [chosen, setChosen] = useState<number | null>(null);
  const series = useMemo((): Series => {
    const line = drawsLine(candles);
    const of = (most: number) => {
      const bars = group(candles, Math.max(1, most));
      return { bars, line, dates: bars.map((b) => candles[b.first]?.date ?? "") };
    };
    const all = of(candles.length);
    return of((width - gutter(all)) / leastBar);
  }, [candles, width]);
  const here = chosen === null ? null : Math.min(chosen, candles.length - 1);

  useLayoutEffect(() => {
    if (!canvas.current || width === 0) return;
    const candle = here === null ? undefined : candles[here];
    const bar = series.bars.findIndex((b) => here !== null && here >= b.first && here <= b.last);
    paint(canvas.current, width, dots, series, candle && bar >= 0 ? { bar, date: candle.date, close: candle.close } : null);
  }, [series, width, dots, here, look]);

  const onKeyDown = (event: KeyboardEvent) => {
    const last = candles.length - 1;
    const from = here ?? last + 1;
    const to = { ArrowLeft: Math.max(0, from - 1), ArrowRight: here === null ? last : Math.min(last, from + 1), Home: 0, End: last }[event.key];
    if (event.key === "Escape" && here !== null) {
      event.stopPropagation();
      setChosen(null);
    } else if (to !== undefined) {
      event.preventDefault();
      setChosen(to);
    }
  };
  const onPointerMove = (event: PointerEvent) => {
    const bar = barAt(event.clientX - (event.currentTarget as HTMLElement).getBoundingClientRect().left, width, series);
    if (bar) setChosen(bar.last);
  };
  // A finger that is lifted has still chosen; a mouse that has left has not.
  const onPointerLeave = (event: PointerEvent) => {
    if (event.pointerType === "mouse" && document.activeElement !== canvas.current) setChosen(null);
  };
  const candle = here === null ? undefined : candles[here];
  const told = candle ?? candles.at(-1);
  return (
    <div class="candles">
      {told && (
        <p class="candle-text">
          <strong>{dateOf(told)}</strong>
          {values(told).map((v) => (
            <span key={v}>{v}</span>
          ))}
        </p>
      )}
      <div class="canvas-box">
        <canvas
          ref={canvas}
          height={height}
          style={{ height: `${String(height)}px` }}
          tabIndex={0}
          role="slider"
          aria-label={`${series.line ? "Closing prices" : "Candles"} of ${name}`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, candles.length - 1)}
          aria-valuenow={here ?? Math.max(0, candles.length - 1)}
          aria-valuetext={candle ? `${dateOf(candle)}: ${values(candle).join(", ")}` : "No candle chosen"}
          onKeyDown={onKeyDown}
          onPointerMove={onPointerMove}
          onPointerDown={onPointerMove}
          onPointerLeave={onPointerLeave}
        />
      </div>
      <p class="note">Move over the chart, or focus it and use the arrow keys, to read a candle.</p>
    </div>
  );
}
