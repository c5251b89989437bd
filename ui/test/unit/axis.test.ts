import { describe, expect, it } from "vitest";

import { priceMarks, roundStep, timeMarks } from "../../src/model/axis.ts";
import { intervalName, intervals } from "../../src/model/candles.ts";
import * as f from "../fixtures/results.ts";

describe("C-2 marks of prices", () => {
  it.each([
    [119.25, 5, 25],
    [100, 5, 20],
    [12, 5, 2.5],
    [1, 5, 0.2],
    [0.011, 5, 0.0025],
    [90_000, 5, 20_000],
  ])("over %d, at most %d of them, are %d apart", (spread, most, step) => expect(roundStep(spread, most)).toBeCloseTo(step, 12));

  it("are round, within the range, and exact", () => {
    expect(priceMarks(1441.75, 1561, 6)).toEqual([1460, 1480, 1500, 1520, 1540, 1560]);
    expect(priceMarks(0.1, 0.7, 6)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    expect(priceMarks(-3, 3, 3)).toEqual([-2, 0, 2]);
    expect(priceMarks(5, 5, 6)).toEqual([5]);
  });
});

describe("C-7 marks of times", () => {
  const dates = (n: number, from: string, minutes = 0) => f.candles(n, undefined, from, minutes).map((c) => String(c["date"]));
  /** The texts of the marks under so many bars in so many pixels. */
  const marks = (all: readonly string[], width: number) => timeMarks(all, (bar) => Math.min(Math.max(((bar + 0.5) * width) / all.length, 42), width - 42), 84);
  const texts = (all: readonly string[], width: number) => marks(all, width).map((m) => m.text);

  it("begin months and years where days are many, the year once and where it changes", () => {
    expect(texts(dates(120, "2025-10-15"), 800)).toEqual(["03 Nov 2025", "01 Dec", "01 Jan 2026", "02 Feb", "02 Mar", "23 Mar"]);
    expect(texts(dates(1040, "2022-12-01"), 500)).toEqual(["02 Jan 2023", "01 Jan 2024", "01 Jan 2025", "01 Jan 2026"]);
  });

  it("are the days where they are few", () => expect(texts(dates(3, "2026-01-01"), 300)).toEqual(["01 Jan 2026", "02 Jan", "05 Jan"]));

  it("are times of the day within days, and the day where it changes", () => {
    expect(texts(dates(150, "2026-11-30", 5), 800)).toEqual(["30 Nov", "12:00", "14:00", "01 Dec", "11:00", "13:00", "15:00"]);
    expect(texts(dates(75, "2026-11-30", 5), 230)).toEqual(["30 Nov", "13:00"]);
    expect(texts(dates(50, "2026-12-31", 15), 400)).toEqual(["31 Dec", "01 Jan 2027", "12:00"]);
  });

  it.each([60, 228, 292, 880])("never touch each other in %d pixels", (width) => {
    for (const all of [dates(60, "2026-01-01"), dates(500, "2025-01-01"), dates(400, "2026-11-30", 5), dates(1, "2026-01-01")]) {
      const places = marks(all, width).map(({ bar }) => Math.min(Math.max(((bar + 0.5) * width) / all.length, 42), width - 42));
      expect(places.every((x, i) => i === 0 || x - places[i - 1]! >= 84)).toBe(true);
      expect(places.length).toBeGreaterThan(0);
    }
  });

  it("are left out under what has no time", () => expect(texts(["", "x".repeat(10_000), "2026-01-01", "yesterday"], 300)).toEqual(["01 Jan 2026"]));
});

it("C-1 intervals have names", () => expect(intervals.map(intervalName)).toEqual(["1 minute", "3 minutes", "5 minutes", "10 minutes", "15 minutes", "30 minutes", "60 minutes", "1 day"]));
