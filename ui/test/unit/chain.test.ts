import { beforeEach, describe, expect, it, vi } from "vitest";

import { Calls } from "../../src/bridge/calls.ts";
import { Capabilities } from "../../src/bridge/caps.ts";
import { Chain } from "../../src/bridge/chain.ts";
import { QuoteQueue } from "../../src/bridge/queue.ts";
import { around, batches, nearest, readStrikes, stageOf } from "../../src/model/chain.ts";
import * as f from "../fixtures/results.ts";

type Json = Record<string, unknown>;
const data = (result: Json) => result["structuredContent"] as Json;
const request = { tool: "market", arguments: { mode: "option_chain", exchange: "NFO", underlying: "NIFTY", expiry: "2026-12-29", from: 0, limit: 250 } };

interface Asked {
  readonly args: Json;
  readonly signal: AbortSignal;
  readonly at: number;
}

/** A chain whose calls are answered by a function. */
function loader(answer: (args: Json, n: number) => Json | Promise<Json>) {
  const asked: Asked[] = [];
  const caps = new Capabilities();
  caps.announced(true);
  const call = async (params: { arguments: Json }, { signal }: { signal: AbortSignal }) => {
    asked.push({ args: params.arguments, signal, at: Date.now() });
    return answer(params.arguments, asked.length);
  };
  const chain = new Chain(new Calls(call, new QuoteQueue(1100, () => Date.now()), caps, () => 1_700_000_000_000, "t"));
  return { chain, asked, of: (mode: string) => asked.filter((a) => a.args["mode"] === mode) };
}

const quotesOf = (args: Json) => f.chainQuotes(args["instruments"] as string[]);

describe("loading a chain", () => {
  beforeEach(() => void vi.useFakeTimers());

  it("O-2 loads every page, each with the revision of the first", async () => {
    const { chain, of } = loader((args) => (args["mode"] === "quote" ? quotesOf(args) : f.chain(600, { from: args["from"] as number })));
    chain.show(data(f.chain(600)), request);
    const done = chain.resume();
    await vi.runAllTimersAsync();
    await done;
    expect(of("option_chain").map((a) => [a.args["from"], a.args["catalog_revision"], a.args["expiry"]])).toEqual([
      [250, "r1", "2026-12-29"],
      [500, "r1", "2026-12-29"],
    ]);
    expect(chain.strikes.value.map((s) => s.strike)).toEqual(Array.from({ length: 600 }, (_, i) => 20000 + 100 * i));
    expect(chain.state.value.kind).toBe("done");
  });

  it("O-2 a page from the middle is completed from the first strike on", async () => {
    const { chain, of } = loader((args) => (args["mode"] === "quote" ? quotesOf(args) : f.chain(300, { from: args["from"] as number })));
    chain.show(data(f.chain(300, { from: 250 })), request);
    const done = chain.resume();
    await vi.runAllTimersAsync();
    await done;
    expect(of("option_chain").map((a) => a.args["from"])).toEqual([0, 250]);
    expect(chain.strikes.value).toHaveLength(300);
  });

  const refusal = () => f.failure("market", {}, "The list changed", "catalog_changed");
  const answers: readonly (readonly [string, (args: Json) => Json])[] = [
    ["a refusal", (args) => (args["catalog_revision"] === "r1" ? refusal() : f.chain(300, { from: args["from"] as number, revision: "r2" }))],
    ["a page of another revision", (args) => f.chain(300, { from: args["from"] as number, revision: "r2" })],
  ];
  it.each(answers)("O-3 after %s the chain starts once from page one, and two revisions never mix", async (_name, page) => {
    const { chain, of } = loader((args) => (args["mode"] === "quote" ? quotesOf(args) : page(args)));
    const seen: string[] = [];
    chain.show(data(f.chain(300)), request);
    const stop = chain.strikes.subscribe((s) => seen.push(String(s.length)));
    const done = chain.resume();
    await vi.runAllTimersAsync();
    await done;
    stop();
    expect(of("option_chain").map((a) => [a.args["from"], a.args["catalog_revision"]])).toEqual([
      [250, "r1"],
      [0, undefined],
      [250, "r2"],
    ]);
    expect(seen).toEqual(["250", "250", "300"]);
    expect(chain.state.value.kind).toBe("done");
  });

  it("O-3 a revision that changes again fails, and says so", async () => {
    let revision = 1;
    const { chain } = loader((args) => f.chain(800, { from: args["from"] as number, revision: "r" + String(++revision) }));
    chain.show(data(f.chain(800)), request);
    await chain.resume();
    expect(chain.state.value).toMatchObject({ kind: "failed", failure: { code: "catalog_changed" } });
  });

  it("O-5, O-6 quotes the references first, then at most 500 at once around the nearest strike, 1.1 seconds apart", async () => {
    const { chain, of } = loader((args) => (args["mode"] === "quote" ? quotesOf(args) : f.chain(600, { from: args["from"] as number })));
    chain.show(data(f.chain(600)), request);
    const done = chain.resume();
    await vi.runAllTimersAsync();
    await done;
    const lists = of("quote").map((a) => a.args["instruments"] as string[]);
    expect(lists.map((l) => l.length)).toEqual([2, 500, 500, 199]);
    expect(lists[0]).toEqual(["NSE:NIFTY 50", "NFO:NIFTY26DECFUT"]);
    expect(lists[1]!.slice(0, 4)).toEqual(["NFO:NIFTY26DEC20500CE", "NFO:NIFTY26DEC20500PE", "NFO:NIFTY26DEC20400CE", "NFO:NIFTY26DEC20400PE"]);
    expect(new Set(lists.flat()).size).toBe(1201);
    const starts = of("quote").map((a) => a.at);
    for (let i = 1; i < starts.length; i++) expect(starts[i]! - starts[i - 1]!).toBeGreaterThanOrEqual(1100);
    expect(chain.reference()).toBe(20540);
  });

  it("O-5 without references nothing is derived: the batches begin in the middle", async () => {
    const { chain, of } = loader((args) => quotesOf(args));
    chain.show(data(f.chain(5, { references: { underlying: null, future: null } })), request);
    const done = chain.resume();
    await vi.runAllTimersAsync();
    await done;
    expect(of("quote")).toHaveLength(1);
    expect((of("quote")[0]!.args["instruments"] as string[])[0]).toBe("NFO:NIFTY26DEC20200CE");
    expect(chain.reference()).toBeNull();
  });

  it("O-6 progress is told while batches run, and a failed one can be asked for again", async () => {
    let fails = true;
    const { chain } = loader((args) => (args["mode"] === "quote" && fails && (args["instruments"] as string[]).length > 2 ? f.failure("market", args, "Kite is down") : quotesOf(args)));
    const states: string[] = [];
    chain.state.subscribe((s) => states.push(s.kind === "quotes" ? `quotes ${String(s.done)} of ${String(s.of)}` : s.kind));
    chain.show(data(f.chain(10)), request);
    const done = chain.resume();
    await vi.runAllTimersAsync();
    await done;
    expect(states).toEqual(["idle", "quotes 0 of 21", "quotes 2 of 21", "failed"]);
    fails = false;
    chain.again();
    await vi.runAllTimersAsync();
    expect(chain.state.value.kind).toBe("done");
    expect(chain.quotes.value.size).toBe(21);
  });

  it("O-8 another expiry aborts what waits and what runs, and late answers change nothing", async () => {
    const late: (() => void)[] = [];
    const { chain, asked } = loader((args) => (args["mode"] === "quote" ? quotesOf(args) : new Promise<Json>((resolve) => late.push(() => resolve(f.chain(600, { from: args["from"] as number }))))));
    chain.show(data(f.chain(600)), request);
    void chain.resume();
    await vi.advanceTimersByTimeAsync(10);
    expect(asked).toHaveLength(1);
    chain.interrupted();
    chain.show(data(f.chain(4, { expiry: "2027-01-25" })), { tool: "market", arguments: { ...request.arguments, expiry: "2027-01-25" } });
    expect(asked[0]!.signal.aborted).toBe(true);
    late.forEach((go) => go());
    await vi.runAllTimersAsync();
    expect(chain.strikes.value).toHaveLength(4);
    expect(asked).toHaveLength(1);
    const done = chain.resume();
    await vi.advanceTimersByTimeAsync(10);
    chain.interrupted(); // between the references and the first batch
    await vi.runAllTimersAsync();
    await done;
    expect(asked).toHaveLength(2);
    expect(chain.state.value.kind).toBe("idle");
  });
});

describe("a chain's data", () => {
  it("O-1 tells from its rows, else from the request, what a result lists", () => {
    expect([f.underlyings(), f.expiries("NIFTY"), f.chain(3)].map((r) => stageOf(data(r), null))).toEqual(["underlyings", "expiries", "strikes"]);
    const empty = (args: Json) => stageOf({ data: [] }, { tool: "market", arguments: args });
    expect([empty({}), empty({ underlying: "X" }), empty({ underlying: "X", expiry: "2026-12-29" })]).toEqual(["underlyings", "expiries", "strikes"]);
  });

  it("O-4 pairs call and put of a strike, and keeps a missing side apart from zero", () => {
    const [, , third] = readStrikes(data(f.chain(3)));
    expect(third).toMatchObject({ strike: 20200, put: null });
    expect(third!.call!.symbol).toBe("NIFTY26DEC20200CE");
    expect(readStrikes({ data: [{}, null, { strike: "1" }, { strike: 5, call: 7, put: {} }] })).toEqual([{ strike: 5, call: null, put: null }]);
  });

  it("O-9 finds the nearest strike and orders the others around it", () => {
    const strikes = readStrikes(data(f.chain(10)));
    expect([nearest(strikes, 20540), nearest(strikes, 20551), nearest(strikes, 1), nearest(strikes, 1e9), nearest([], 5)]).toEqual([5, 6, 0, 9, -1]);
    expect(around(strikes, 2).slice(0, 3)).toEqual(["NFO:NIFTY26DEC20200CE", "NFO:NIFTY26DEC20100CE", "NFO:NIFTY26DEC20100PE"]);
    expect([batches([1, 2, 3], 2), batches([], 2)]).toEqual([[[1, 2], [3]], []]);
  });
});
