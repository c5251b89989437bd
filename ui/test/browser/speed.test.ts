// Sizes and counts must hold; times are told beside their targets.
import { loadavg } from "node:os";
import { gzipSync } from "node:zlib";

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles } from "../host/profiles.ts";
import { server } from "./script.ts";
import { appHtml, launch, Stage, type Answerer, type Json } from "./stage.ts";

let browser: Browser;
let stage: Stage | null = null;
const told: [string, string, string][] = [];

beforeAll(async () => void (browser = await launch()));
afterEach(async () => {
  await stage?.close();
  stage = null;
});
afterAll(async () => {
  await browser.close();
  const lines = told.map(([what, is, target]) => `  ${what.padEnd(44)}${is.padStart(14)}   target ${target}`);
  process.stdout.write(`\nSizes, counts and times of the app (load of the machine ${loadavg()[0]?.toFixed(1) ?? "unknown"})\n` + lines.join("\n") + "\n\n");
});

const median = (all: number[]) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;
const ms = (n: number) => n.toFixed(1) + " ms";

/** From a change to the next task after it has been painted, in the view's own clock. */
const timed = (change: string, of: Stage, times = 5): Promise<number[]> =>
  of.view.evaluate(
    async ([what, n]) => {
      const run: Record<string, (i: number) => void> = {
        sort: () => document.querySelector<HTMLButtonElement>("th:nth-child(4) .head-button")?.click(),
        filter: (i) => {
          const input = document.querySelector<HTMLInputElement>("input[type=search]");
          if (!input) return;
          input.value = i % 2 === 0 ? "inf" : "";
          input.dispatchEvent(new Event("input", { bubbles: true }));
        },
        scroll: (i) => {
          const box = document.querySelector(".scroll");
          if (box) box.scrollTop = 200 * (i + 1);
        },
        jump: (i) => {
          const box = document.querySelector(".scroll");
          if (box) box.scrollTop = 3000 * (i + 1);
        },
        candles: () => document.querySelector("canvas")?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true })),
      };
      const all: number[] = [];
      for (let i = 0; i < Number(n); i++) {
        const began = performance.now();
        run[String(what)]?.(i);
        await new Promise<void>((done) =>
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => done();
            port2.postMessage(0);
          }),
        );
        all.push(performance.now() - began);
      }
      return all;
    },
    [change, times] as const,
  );

/** From a result's arrival in the view to the paint after its first row. */
async function painted(of: Stage, args: Json, result: Json, first: string): Promise<number> {
  await of.view.evaluate((sign) => {
    const w = window as unknown as { arrived?: number; took?: number };
    delete w.took;
    addEventListener("message", (e: MessageEvent<{ method?: string }>) => {
      if (e.data.method === "ui/notifications/tool-result") w.arrived = performance.now();
    });
    new MutationObserver((_, watch) => {
      if (!document.querySelector(sign)) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => (w.took = performance.now() - (w.arrived ?? 0)), 0));
    }).observe(document.body, { subtree: true, childList: true });
  }, first);
  await of.deliver(args, result);
  await of.view.waitForFunction(() => (window as unknown as { took?: number }).took !== undefined);
  return of.view.evaluate(() => (window as unknown as { took: number }).took);
}

it("X-1 the file is small: 400 KB, 110 KB compressed", () => {
  const [raw, packed] = [Buffer.byteLength(appHtml) / 1024, gzipSync(appHtml, { level: 9 }).length / 1024];
  told.push(["app.html", raw.toFixed(0) + " KB", "400 KB"], ["app.html, gzip", packed.toFixed(0) + " KB", "110 KB"]);
  expect(raw).toBeLessThanOrEqual(400);
  expect(packed).toBeLessThanOrEqual(110);
});

it("B-13 an idle view has no timer and sends nothing", async () => {
  const starts: number[] = [];
  for (let i = 0; i < 3; i++) {
    stage = await Stage.open(browser, profiles.full, { answer: server() });
    starts.push(stage.startedIn);
    if (i < 2) await stage.close();
  }
  told.push(["frame appended to initialized", ms(median(starts)), "500 ms"]);
  told.push(["100 holdings to painted", ms(await painted(stage!, f.holdingsArgs(), f.holdings(100), ".row-button")), "150 ms"]);
  await stage!.idle();
  const before = (await stage!.messages()).length;
  await timed("nothing", stage!, 30);
  expect((await stage!.messages()).length).toBe(before);
  told.push(["messages and timers when idle", "0", "0"]);
});

it("A-3 of 5,000 rows at most sixty are in the page", async () => {
  stage = await Stage.open(browser, profiles.noServerTools, { width: 1440 });
  told.push(["5,000 rows: set and paint", ms(await painted(stage, f.holdingsArgs(), f.holdings(5000, 0, 5000), ".row-button")), "80 ms"]);
  const rows = stage.view.locator("tbody tr[data-row]");
  const counts = [await rows.count()];
  told.push(["5,000 rows: sort and paint", ms(median(await timed("sort", stage))), "50 ms"]);
  counts.push(await rows.count());
  told.push(["5,000 rows: filter and paint", ms(median(await timed("filter", stage, 6))), "50 ms"]);
  for (const [how, change] of [["scrolled by 200 px", "scroll"], ["scrolled by 3,000 px", "jump"]] as const) {
    const frames = await timed(change, stage, 30);
    told.push([`5,000 rows: a frame ${how}`, ms(median(frames)), "17 ms"], ["  of 30 those over 34 ms", String(frames.filter((t) => t > 34).length), "1"]);
    counts.push(await rows.count());
  }
  told.push(["rows in the page at most", String(Math.max(...counts)), "60"]);
  expect(Math.min(...counts)).toBeGreaterThan(10);
  expect(Math.max(...counts)).toBeLessThanOrEqual(60);
});

it("A-3 a scrolled table keeps its rows in order, and no row takes the focus of another", async () => {
  stage = await Stage.open(browser, profiles.noServerTools, { width: 1440 });
  await stage.deliver(f.holdingsArgs(), f.holdings(5000, 0, 5000));
  await stage.view.locator(".row-button").first().focus();
  for (const top of [200, 90_000, 89_640, 180_000, 90_100, 0]) {
    const seen = await stage.view.evaluate(async (to) => {
      const box = document.querySelector(".scroll");
      if (box) box.scrollTop = to;
      await new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      const focused = document.activeElement?.getAttribute("data-key") ?? "";
      return { focused, rows: [...document.querySelectorAll<HTMLElement>("tr[data-row]")].map((r) => [Number(r.dataset["row"]), Number(r.ariaRowIndex), r.querySelector("strong")?.textContent] as const) };
    }, top);
    const first = seen.rows[0]?.[0] ?? -1;
    expect(seen.rows).toEqual(seen.rows.map((_, i) => [first + i, first + i + 2, f.holding(first + i)["tradingsymbol"]]));
    expect(first).toBeLessThanOrEqual(top / 36);
    expect(first + seen.rows.length).toBeGreaterThanOrEqual(Math.min(5000, (top + 384) / 36));
    expect(["", "NSE:RELIANCE"]).toContain(seen.focused);
  }
});

it("C-7 two thousand candles are drawn in one frame's time or so", async () => {
  stage = await Stage.open(browser, profiles.noServerTools, { width: 1440 });
  await stage.deliver({ mode: "historical" }, f.history(1, f.candles(2000)));
  await stage.view.locator("canvas").waitFor();
  await stage.idle();
  const drawn = await stage.view.evaluate(async () => {
    const all: number[] = [];
    for (let i = 0; i < 5; i++) {
      const began = performance.now();
      document.querySelector("canvas")?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
      await new Promise<void>((done) => queueMicrotask(() => queueMicrotask(done))); // the view draws in a microtask
      all.push(performance.now() - began);
      await new Promise((done) => requestAnimationFrame(done));
    }
    return all;
  });
  told.push(["2,000 candles: draw", ms(median(drawn)), "16 ms"]);
  told.push(["2,000 candles: draw and paint", ms(median(await timed("candles", stage))), "16 ms + frame"]);
});

it("O-6 of 250 strikes at most sixty are in the page, and 500 quotes come in at once", async () => {
  let moved = 0;
  const answer: Answerer = (tool, args, n) => {
    if (args["mode"] !== "quote") return server()(tool, args, n);
    moved++;
    return { result: f.chainQuotes(args["instruments"] as string[], [], moved / 20) };
  };
  stage = await Stage.open(browser, profiles.full, { answer, width: 1440 });
  await stage.deliver({ view: "option_chain", underlying: "NIFTY", expiry: "2026-12-29" }, f.chain(250));
  await stage.shows(/^250 strikes\. Quotes received/);
  const took: number[] = [];
  for (let i = 0; i < 3; i++) {
    const update = stage.view.evaluate(
      () =>
        new Promise<number>((done) => {
          const heard = (e: MessageEvent<{ result?: { structuredContent?: { data?: object } } }>) => {
            if (Object.keys(e.data.result?.structuredContent?.data ?? {}).length < 400) return;
            removeEventListener("message", heard);
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - e.timeStamp), 0));
          };
          addEventListener("message", heard);
        }),
    );
    await stage.view.getByRole("button", { name: "Refresh quotes" }).click();
    took.push(await update);
    await stage.view.getByRole("button", { name: "Refresh quotes" }).waitFor();
  }
  told.push(["250 strikes: 500 quotes to painted", ms(median(took)), "40 ms"]);
  const rows = await stage.view.locator(".chain tbody tr[aria-rowindex]").count();
  told.push(["strikes in the page", String(rows), "60"]);
  expect(rows).toBeLessThanOrEqual(60);
});
