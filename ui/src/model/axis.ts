// Where the axes of a chart have marks, and what stands at them.
import { dayOf, readStamp, type Stamp } from "./format.ts";

/** The smallest of the round steps 1, 2, 2.5 and 5 times a power of ten that gives no more marks than asked for. */
export function roundStep(spread: number, most: number): number {
  const least = spread / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 2.5, 5].find((m) => m * power >= least * (1 - 1e-9)) ?? 10) * power;
}

/** Round prices from low to high, both included. */
export function priceMarks(low: number, high: number, most: number): number[] {
  if (!(high > low)) return [low];
  const size = roundStep(high - low, most);
  const [first, last] = [Math.ceil(low / size - 1e-9), Math.floor(high / size + 1e-9)];
  // Counted in steps: a sum of steps would drift.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(((first + i) * size).toPrecision(12)));
}

export interface TimeMark {
  /** Number of the bar that the mark belongs to. */
  readonly bar: number;
  readonly text: string;
}

/** How much a bar is the beginning of something: of a year most, then of a month, a day, a week, an hour. */
function rank(now: Stamp, before: Stamp | null, weekBegins: boolean): number {
  if (before === null) return now.clock === "" ? 0 : 3;
  if (now.year !== before.year) return 5;
  if (now.month !== before.month) return 4;
  if (now.day !== before.day) return now.clock !== "" ? 3 : weekBegins ? 2 : 0;
  return now.clock.endsWith(":00:00") ? 2 : now.clock.endsWith(":30:00") ? 1 : 0;
}

const weekday = (t: Stamp): number => (new Date(Date.UTC(Number(t.year), t.month - 1, Number(t.day))).getUTCDay() + 6) % 7;

/** Marks under bars of equal width, none nearer to another than their texts need. x is the middle of a bar, moved inside so far that its text fits. */
export function timeMarks(dates: readonly string[], x: (bar: number) => number, room: number): TimeMark[] {
  const stamps = dates.map(readStamp);
  const ranked = stamps.flatMap((now, bar) => {
    if (now === null) return [];
    const before = stamps[bar - 1] ?? null;
    return [{ bar, now, rank: rank(now, before, before !== null && weekday(now) < weekday(before)) }];
  });
  const chosen: typeof ranked = [];
  for (const r of ranked.sort((a, b) => b.rank - a.rank || a.bar - b.bar)) {
    // 12:35 is shown only where nothing rounder is.
    if (r.rank === 0 && r.now.clock !== "" && chosen.length > 1) continue;
    if (chosen.every((c) => Math.abs(x(c.bar) - x(r.bar)) >= room)) chosen.push(r);
  }
  let year = "";
  return chosen
    .sort((a, b) => a.bar - b.bar)
    .map(({ bar, now, rank }) => {
      const within = now.clock !== "" && rank < 3;
      const newYear = !within && now.year !== year && (year !== "" || now.clock === "");
      if (!within) year = now.year;
      return { bar, text: within ? now.clock.slice(0, 5) : dayOf(now) + (newYear ? " " + now.year : "") };
    });
}
