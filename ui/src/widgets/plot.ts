// What a chart draws on its canvas, and where.
import { priceMarks, timeMarks } from "../model/axis.ts";
import type { Bar } from "../model/candles.ts";
import { brief, candleTime, price } from "../model/format.ts";

export const height = 300;
/** What lies below the bars: times and their marks. */
const axis = 22;
const volumeHeight = 48;
/** Between prices and volume. */
const gap = 12;
/** Above and below what is drawn of prices. */
const pad = 16;
const textSize = 11;
const tagHeight = 18;
/** Room of a date under the chart. */
const dateRoom = 84;

export interface Series {
  readonly bars: readonly Bar[];
  /** The date of the first candle of each bar. */
  readonly dates: readonly string[];
  /** Closing prices only. */
  readonly line: boolean;
}

interface Scale {
  /** Width of what is drawn, without the prices beside it. */
  readonly width: number;
  readonly bottom: number;
  readonly y: (price: number) => number;
  readonly x: (bar: number) => number;
  readonly body: number;
  readonly marks: readonly number[];
  readonly most: number;
}

/** Digits are never wider than this at the text's size. */
const digit = 7;

function ends({ bars, line }: Series): [number, number] | null {
  let [low, high] = [Infinity, -Infinity];
  for (const b of bars) {
    const [l, h] = line ? [b.close, b.close] : [b.low, b.high];
    if (l !== null && l < low) low = l;
    if (h !== null && h > high) high = h;
  }
  return low > high ? null : [low, high];
}

const priceText = (p: number): string => price(Number(p.toFixed(4)));

/** How much room the prices beside a chart take. */
export function gutter(series: Series): number {
  const [low, high] = ends(series) ?? [0, 0];
  const texts = [...priceMarks(low, high, 5), series.bars.at(-1)?.close ?? 0].map(priceText);
  return Math.min(130, Math.max(...texts.map((t) => t.length)) * digit + 14);
}

function scale(width: number, series: Series): Scale | null {
  const found = ends(series);
  if (!found) return null;
  const [low, high] = found;
  const most = series.bars.reduce((a, b) => Math.max(a, b.volume ?? 0), 0);
  const bottom = height - axis - (most > 0 ? volumeHeight + gap : 0);
  const spread = high - low || Math.abs(high) * 0.01 || 1;
  const unit = spread / (bottom - 2 * pad);
  const inner = Math.max(1, width - gutter(series));
  const step = inner / series.bars.length;
  return {
    width: inner,
    bottom,
    y: (p) => pad + (high - p) / unit,
    x: (bar) => (bar + 0.5) * step,
    body: Math.max(1, Math.min(14, step * 0.65)),
    marks: priceMarks(low - (pad - 8) * unit, high + (pad - 8) * unit, 6),
    most,
  };
}

/** The bar under a point; the last or the first when it is beside them. */
export const barAt = (x: number, width: number, series: Series): Bar | undefined => {
  const n = series.bars.length;
  return series.bars[Math.max(0, Math.min(n - 1, Math.floor((x / Math.max(1, width - gutter(series))) * n)))];
};

type Ink = (token: string) => string;

/** The candle that is inspected, and the number of its bar. */
export interface Inspected {
  readonly bar: number;
  readonly date: string;
  readonly close: number | null;
}

export function paint(canvas: HTMLCanvasElement, width: number, dots: number, series: Series, inspected: Inspected | null): void {
  canvas.width = Math.round(width * dots);
  canvas.height = Math.round(height * dots);
  const g = canvas.getContext("2d");
  const s = scale(width, series);
  if (!g || !s) return;
  const style = getComputedStyle(canvas);
  const ink: Ink = (token) => style.getPropertyValue(token).trim() || "gray";
  g.scale(dots, dots);
  g.font = `${String(textSize)}px ${style.fontFamily}`;
  g.textBaseline = "middle";
  const date = inspected && dateTag(g, s, inspected);
  if (inspected) band(g, s, inspected.bar, ink("--bg-3"));
  grid(g, s, series, { prices: [series.bars.at(-1)?.close ?? null, inspected?.close ?? null], date }, ink);
  if (s.most > 0) volumes(g, s, series.bars, ink);
  if (series.line) closes(g, s, series.bars, ink("--accent"));
  else bodies(g, s, series.bars, ink);
  last(g, s, series.bars, ink);
  if (inspected && date) cross(g, s, inspected, date, ink);
}

/** What has a tag of its own beside or below the chart: marks under it are left out. */
interface Tagged {
  readonly prices: readonly (number | null)[];
  readonly date: DateTag | null;
}

interface DateTag {
  readonly text: string;
  readonly middle: number;
  readonly half: number;
}

function dateTag(g: CanvasRenderingContext2D, s: Scale, { bar, date }: Inspected): DateTag {
  const text = candleTime(date).slice(0, 24);
  const half = g.measureText(text).width / 2 + 6;
  return { text, half, middle: Math.min(Math.max(s.x(bar), half), Math.max(half, s.width - half)) };
}

function rule(g: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number, colour: string, dash: readonly number[] = []): void {
  g.strokeStyle = colour;
  g.setLineDash([...dash]);
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
  g.setLineDash([]);
}

/** The middle of a device pixel, so that a line of one is sharp. */
const sharp = (n: number): number => Math.round(n) + 0.5;

function grid(g: CanvasRenderingContext2D, s: Scale, { dates }: Series, tagged: Tagged, ink: Ink): void {
  for (const p of s.marks) {
    const y = sharp(s.y(p));
    rule(g, 0, y, s.width, y, ink("--line"));
    if (tagged.prices.some((t) => t !== null && Math.abs(s.y(t) - y) < tagHeight)) continue;
    g.fillStyle = ink("--text-2");
    g.fillText(priceText(p), s.width + 8, y);
  }
  const floor = sharp(height - axis);
  rule(g, 0, floor, s.width, floor, ink("--line"));
  const inside = (bar: number) => Math.min(Math.max(s.x(bar), dateRoom / 2), s.width - dateRoom / 2);
  g.textAlign = "center";
  for (const { bar, text } of timeMarks(dates, inside, dateRoom)) {
    rule(g, sharp(s.x(bar)), floor, sharp(s.x(bar)), floor + 4, ink("--text-3"));
    const hidden = tagged.date && Math.abs(inside(bar) - tagged.date.middle) < tagged.date.half + g.measureText(text).width / 2 + 4;
    g.fillStyle = ink("--text-2");
    if (!hidden) g.fillText(text, inside(bar), height - axis / 2 + 3);
  }
  g.textAlign = "start";
}

function bodies(g: CanvasRenderingContext2D, s: Scale, bars: readonly Bar[], ink: Ink): void {
  const [up, down] = [ink("--up"), ink("--down")];
  bars.forEach((b, i) => {
    if (b.open === null || b.high === null || b.low === null || b.close === null) return;
    const rising = b.close >= b.open;
    g.fillStyle = g.strokeStyle = rising ? up : down;
    const x = s.x(i);
    const [top, bottom] = [s.y(Math.max(b.open, b.close)), s.y(Math.min(b.open, b.close))];
    // A rising candle is hollow where there is room: colour is not needed.
    if (rising && s.body > 3) {
      g.fillRect(x - 0.5, s.y(b.high), 1, Math.max(0, top - s.y(b.high)));
      g.fillRect(x - 0.5, bottom, 1, Math.max(0, s.y(b.low) - bottom));
      g.strokeRect(x - s.body / 2 + 0.5, top + 0.5, s.body - 1, Math.max(0, bottom - top - 1));
    } else {
      g.fillRect(x - 0.5, s.y(b.high), 1, Math.max(1, s.y(b.low) - s.y(b.high)));
      g.fillRect(x - s.body / 2, top, s.body, Math.max(1, bottom - top));
    }
  });
}

function closes(g: CanvasRenderingContext2D, s: Scale, bars: readonly Bar[], colour: string): void {
  g.strokeStyle = colour;
  g.lineWidth = 1.5;
  g.beginPath();
  let drawing = false;
  bars.forEach((b, i) => {
    if (b.close === null) drawing = false;
    else if (drawing) g.lineTo(s.x(i), s.y(b.close));
    else {
      g.moveTo(s.x(i), s.y(b.close));
      drawing = true;
    }
  });
  g.stroke();
  g.lineWidth = 1;
}

/** Volume has one mark: the most there is. */
function volumes(g: CanvasRenderingContext2D, s: Scale, bars: readonly Bar[], ink: Ink): void {
  const floor = height - axis;
  const top = floor - volumeHeight;
  g.fillStyle = ink("--text-3");
  g.globalAlpha = 0.5;
  bars.forEach((b, i) => {
    if (b.volume === null) return;
    const h = (b.volume / s.most) * volumeHeight;
    g.fillRect(s.x(i) - s.body / 2, floor - h, s.body, h);
  });
  g.globalAlpha = 1;
  rule(g, 0, sharp(top), s.width, sharp(top), ink("--line"));
  g.fillStyle = ink("--text-2");
  g.fillText(brief(s.most), s.width + 8, top + 1);
  g.fillText("volume", s.width + 8, top + 1 + textSize + 4);
}

/** A price on a ground of its own, beside the chart. */
function tag(g: CanvasRenderingContext2D, s: Scale, p: number, ground: string, colour: string): void {
  const y = Math.round(s.y(p));
  g.fillStyle = ground;
  g.beginPath();
  g.roundRect(s.width + 2, y - tagHeight / 2, g.measureText(priceText(p)).width + 12, tagHeight, 3);
  g.fill();
  g.fillStyle = colour;
  g.fillText(priceText(p), s.width + 8, y + 0.5);
}

function last(g: CanvasRenderingContext2D, s: Scale, bars: readonly Bar[], ink: Ink): void {
  const [close, before] = [bars.at(-1)?.close ?? null, bars.at(-2)?.close ?? bars.at(-1)?.open ?? null];
  if (close === null) return;
  const colour = before === null ? ink("--text-2") : ink(close >= before ? "--up" : "--down");
  rule(g, 0, sharp(s.y(close)), s.width, sharp(s.y(close)), colour, [1, 3]);
  tag(g, s, close, colour, ink("--bg"));
}

function band(g: CanvasRenderingContext2D, s: Scale, bar: number, colour: string): void {
  const half = Math.max(4, s.body / 2 + 2);
  g.fillStyle = colour;
  g.fillRect(s.x(bar) - half, 0, 2 * half, height - axis);
}

/** Lines through the inspected candle, and what it says where they end. */
function cross(g: CanvasRenderingContext2D, s: Scale, { bar, close }: Inspected, date: DateTag, ink: Ink): void {
  const x = sharp(s.x(bar));
  rule(g, x, 0, x, height - axis, ink("--text-2"), [3, 3]);
  g.fillStyle = ink("--text");
  g.beginPath();
  g.roundRect(date.middle - date.half, height - axis + 3, 2 * date.half, tagHeight, 3);
  g.fill();
  g.fillStyle = ink("--bg");
  g.textAlign = "center";
  g.fillText(date.text, date.middle, height - axis + 3 + tagHeight / 2 + 0.5);
  g.textAlign = "start";
  if (close === null) return;
  rule(g, 0, sharp(s.y(close)), s.width, sharp(s.y(close)), ink("--text-2"), [3, 3]);
  tag(g, s, close, ink("--text"), ink("--bg"));
}
