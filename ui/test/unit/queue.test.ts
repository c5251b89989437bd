import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Aborted, QuoteQueue } from "../../src/bridge/queue.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

describe("the quote queue", () => {
  it("Q-1 starts requests at least 1,100 ms apart, first come first served", async () => {
    const queue = new QuoteQueue(1100, () => performance.now());
    const starts: [string, number][] = [];
    for (const name of ["a", "b", "c"]) void queue.turn(never).then(() => starts.push([name, performance.now()]));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(starts.map(([name]) => name)).toEqual(["a", "b", "c"]);
    const [a, b, c] = starts.map(([, at]) => at);
    expect(b! - a!).toBeGreaterThanOrEqual(1100);
    expect(c! - b!).toBeGreaterThanOrEqual(1100);
    expect(c! - a!).toBeLessThan(2300);
  });

  it("Q-2 never starts what was aborted while it waited, and wastes no turn on it", async () => {
    const queue = new QuoteQueue(1100, () => performance.now());
    const started: string[] = [];
    const gone = new AbortController();
    void queue.turn(never).then(() => started.push("a"));
    const b = queue.turn(gone.signal).then(() => started.push("b"));
    const failed = expect(b).rejects.toBeInstanceOf(Aborted);
    void queue.turn(never).then(() => started.push("c"));
    gone.abort();
    await failed;
    await vi.advanceTimersByTimeAsync(1200);
    expect(started).toEqual(["a", "c"]);
  });

  it("refuses a turn to what is aborted already", async () => {
    const gone = new AbortController();
    gone.abort();
    await expect(new QuoteQueue().turn(gone.signal)).rejects.toBeInstanceOf(Aborted);
  });

  it("does not burst after a timer that was held back, as in a hidden tab", async () => {
    let clock = 0;
    const queue = new QuoteQueue(1100, () => clock);
    const starts: number[] = [];
    for (let i = 0; i < 4; i++) void queue.turn(never).then(() => starts.push(clock));
    await vi.advanceTimersByTimeAsync(0);
    clock = 60_000; // the page was hidden for a minute
    await vi.advanceTimersByTimeAsync(1100);
    expect(starts).toEqual([0, 60_000]);
    clock += 1100;
    await vi.advanceTimersByTimeAsync(1100);
    expect(starts).toEqual([0, 60_000, 61_100]);
  });

  it("leaves no timer behind", async () => {
    const queue = new QuoteQueue(1100, () => performance.now());
    const gone = new AbortController();
    void queue.turn(never);
    queue.turn(gone.signal).catch(() => {});
    gone.abort();
    await vi.advanceTimersByTimeAsync(5000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
