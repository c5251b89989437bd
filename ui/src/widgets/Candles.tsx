// Candles on a canvas, one tab stop: the arrow keys, Home and End move the
// inspected candle, Escape clears it.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { drawsLine, group, type Bar, type Candle } from "../model/candles.ts";
import { absent, count, moment, price } from "../model/format.ts";

const height = 280;
const volumeShare = 0.2;
const gutter = 64;
const leastBar = 3;

interface Props {
  readonly candles: readonly Candle[];
  readonly name: string;
  /** Grows when colours have changed. */
  readonly look: number;
}

export function valueText(c: Candle): string {
  const volume = c.volume === null ? "" : `, volume ${count(c.volume)}`;
  const oi = c.oi === null ? "" : `, OI ${count(c.oi)}`;
  return `${moment(c.date) || absent}: open ${price(c.open)}, high ${price(c.high)}, low ${price(c.low)}, close ${price(c.close)}${volume}${oi}`;
}

export function Candles({ candles, name, look }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [chosen, setChosen] = useState<number | null>(null);
  const line = drawsLine(candles);
  const bars = useMemo(() => group(candles, Math.max(1, (width - gutter) / leastBar)), [candles, width]);
  const here = chosen === null ? null : Math.min(chosen, candles.length - 1);

  useLayoutEffect(() => {
    const e = canvas.current?.parentElement;
    if (!e) return;
    const watch = new ResizeObserver(() => setWidth(Math.floor(e.clientWidth)));
    watch.observe(e);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (canvas.current && width > 0) paint(canvas.current, width, bars, line, here);
  }, [bars, width, line, here, look]);

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
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const bar = bars[Math.floor(((event.clientX - box.left) / Math.max(1, box.width - gutter)) * bars.length)];
    if (bar) setChosen(bar.last);
  };
  const candle = here === null ? undefined : candles[here];
  const text = candle ? valueText(candle) : "Move over the chart, or focus it and use the arrow keys, to read a candle.";
  return (
    <div class="candles">
      <div class="canvas-box">
        <canvas
          ref={canvas}
          height={height}
          style={{ height: `${String(height)}px` }}
          tabIndex={0}
          role="slider"
          aria-label={`${line ? "Closing prices" : "Candles"} of ${name}`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, candles.length - 1)}
          aria-valuenow={here ?? Math.max(0, candles.length - 1)}
          aria-valuetext={candle ? text : "No candle chosen"}
          onKeyDown={onKeyDown}
          onPointerMove={onPointerMove}
        />
      </div>
      <p class="ends" aria-hidden="true" style={{ paddingRight: `${String(gutter)}px` }}>
        <span>{moment(candles[0]?.date ?? "")}</span>
        <span>{candles.length > 1 ? moment(candles.at(-1)?.date ?? "") : ""}</span>
      </p>
      <p class="candle-text">{text}</p>
    </div>
  );
}

interface Area {
  readonly width: number;
  readonly priceHeight: number;
  readonly y: (price: number) => number;
  readonly x: (bar: number) => number;
  readonly step: number;
}

/** Maps bars and prices to pixels. */
function layOut(width: number, bars: readonly Bar[], line: boolean): Area | null {
  const lows = bars.map((b) => (line ? b.close : b.low)).filter((n): n is number => n !== null);
  const highs = bars.map((b) => (line ? b.close : b.high)).filter((n): n is number => n !== null);
  if (lows.length === 0) return null;
  const low = lows.reduce((a, b) => Math.min(a, b));
  const high = highs.reduce((a, b) => Math.max(a, b));
  const spread = high - low || Math.abs(high) * 0.01 || 1;
  const volumes = bars.some((b) => b.volume !== null && b.volume > 0);
  const priceHeight = volumes ? height * (1 - volumeShare) - 8 : height;
  const pad = 14;
  const step = (width - gutter) / bars.length;
  return {
    width: width - gutter,
    priceHeight,
    y: (p) => pad + ((high - p) / spread) * (priceHeight - 2 * pad),
    x: (bar) => (bar + 0.5) * step,
    step,
  };
}

function paint(canvas: HTMLCanvasElement, width: number, bars: readonly Bar[], line: boolean, chosen: number | null): void {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const g = canvas.getContext("2d");
  const area = layOut(width, bars, line);
  if (!g || !area) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name).trim() || "gray";
  g.scale(scale, scale);
  grid(g, area, bars, line, colour("--line"), colour("--text-2"), style.fontFamily);
  if (line) closes(g, area, bars, colour("--accent"));
  else bodies(g, area, bars, colour("--up"), colour("--down"));
  volumes(g, area, bars, colour("--text-3"));
  const at = chosen === null ? -1 : bars.findIndex((b) => chosen >= b.first && chosen <= b.last);
  if (at >= 0) {
    g.strokeStyle = colour("--text-2");
    g.setLineDash([3, 3]);
    g.beginPath();
    g.moveTo(area.x(at), 0);
    g.lineTo(area.x(at), height);
    g.stroke();
    g.setLineDash([]);
  }
}

function grid(g: CanvasRenderingContext2D, area: Area, bars: readonly Bar[], line: boolean, rule: string, ink: string, font: string): void {
  const values = bars.flatMap((b) => (line ? [b.close] : [b.high, b.low])).filter((n): n is number => n !== null);
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  g.font = "11px " + font;
  g.textBaseline = "middle";
  const steps = low === high ? 0 : 4;
  for (let i = 0; i <= steps; i++) {
    const p = steps === 0 ? high : low + ((high - low) * i) / steps;
    const y = Math.round(area.y(p)) + 0.5;
    g.strokeStyle = rule;
    g.beginPath();
    g.moveTo(0, y);
    g.lineTo(area.width, y);
    g.stroke();
    g.fillStyle = ink;
    g.fillText(price(Math.round(p * 100) / 100), area.width + 6, y, gutter - 8);
  }
}

function bodies(g: CanvasRenderingContext2D, area: Area, bars: readonly Bar[], up: string, down: string): void {
  const body = Math.max(1, Math.min(14, area.step * 0.65));
  bars.forEach((b, i) => {
    if (b.open === null || b.high === null || b.low === null || b.close === null) return;
    const rising = b.close >= b.open;
    g.fillStyle = g.strokeStyle = rising ? up : down;
    const x = area.x(i);
    g.fillRect(x - 0.5, area.y(b.high), 1, Math.max(1, area.y(b.low) - area.y(b.high)));
    const [top, bottom] = [area.y(Math.max(b.open, b.close)), area.y(Math.min(b.open, b.close))];
    // A rising candle is hollow where there is room: colour is not needed.
    if (rising && body > 3) {
      g.clearRect(x - body / 2, top, body, Math.max(1, bottom - top));
      g.strokeRect(x - body / 2 + 0.5, top + 0.5, body - 1, Math.max(1, bottom - top - 1));
    } else {
      g.fillRect(x - body / 2, top, body, Math.max(1, bottom - top));
    }
  });
}

function closes(g: CanvasRenderingContext2D, area: Area, bars: readonly Bar[], ink: string): void {
  g.strokeStyle = g.fillStyle = ink;
  g.lineWidth = 1.5;
  g.beginPath();
  let drawing = false;
  bars.forEach((b, i) => {
    if (b.close === null) {
      drawing = false;
      return;
    }
    if (drawing) g.lineTo(area.x(i), area.y(b.close));
    else g.moveTo(area.x(i), area.y(b.close));
    drawing = true;
  });
  g.stroke();
  g.lineWidth = 1;
}

function volumes(g: CanvasRenderingContext2D, area: Area, bars: readonly Bar[], ink: string): void {
  const most = bars.reduce((a, b) => Math.max(a, b.volume ?? 0), 0);
  if (most === 0) return;
  const room = height * volumeShare;
  const body = Math.max(1, Math.min(14, area.step * 0.65));
  g.fillStyle = ink;
  g.globalAlpha = 0.5;
  bars.forEach((b, i) => {
    if (b.volume === null) return;
    const h = (b.volume / most) * room;
    g.fillRect(area.x(i) - body / 2, height - h, body, h);
  });
  g.globalAlpha = 1;
}

