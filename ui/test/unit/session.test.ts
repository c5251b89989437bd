import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Calls } from "../../src/bridge/calls.ts";
import { Capabilities } from "../../src/bridge/caps.ts";
import { QuoteQueue } from "../../src/bridge/queue.ts";
import { Session } from "../../src/bridge/session.ts";
import { readQuotes } from "../../src/model/quotes.ts";
import * as f from "../fixtures/results.ts";

type Json = Record<string, unknown>;

interface Sent {
  readonly tool: string;
  readonly args: Json;
  readonly at: number;
  readonly signal: AbortSignal;
  readonly answer: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A session whose calls the test answers, in any order. */
function start(options: { serverTools?: boolean } = {}) {
  const sent: Sent[] = [];
  const caps = new Capabilities();
  const now = () => performance.now();
  const calls = new Calls(
    (params, { signal }) =>
      new Promise((answer, reject) => {
        sent.push({ tool: params.name, args: params.arguments, at: now(), signal, answer, reject });
        // As the bridge does it: an abort looks like a timeout.
        signal.addEventListener("abort", () => reject(Object.assign(new Error("aborted"), { code: -32001 })));
      }),
    new QuoteQueue(1100, now),
    caps,
    now,
    "t",
  );
  caps.announced(options.serverTools ?? true);
  const session = new Session(calls, caps, now);
  session.connected();
  return { session, sent, of: (tool: string, word: string) => sent.filter((s) => s.tool === tool && (s.args["type"] === "summary" ? "summary" : s.args["mode"]) === word) };
}

const settle = () => vi.advanceTimersByTimeAsync(25);

/** Repeats the caller's number, as the server does. */
const told = (result: Json, args: Json): Json => {
  const meta = result["_meta"] as Json;
  const app = meta["trade.kite/app"] as Json;
  return { ...result, _meta: { ...meta, "trade.kite/app": { ...app, arguments: { ...(app["arguments"] as Json), _app_request_id: args["_app_request_id"] } } } };
};

const pick = (id: string, token = 1) => ({ id, rowKey: id, token, row: {}, from: "holdings" as const, receivedAt: 0 });
const quoteOf = (id: string) => ({ tool: "market", arguments: { mode: "quote", instruments: [id] } });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a main result", () => {
  it("B-2 is shown without a call for it, and H-1 asks for the summary once", async () => {
    const { session, sent, of } = start();
    session.toolInput(f.holdingsArgs());
    session.toolResult(f.holdings(10));
    await settle();
    expect(session.main.value?.kind).toBe("holdings");
    expect(sent).toHaveLength(1);
    expect(of("portfolio", "summary")).toHaveLength(1);
  });

  it("H-1 asks for no summary of other views", async () => {
    const { session, sent } = start();
    session.toolResult(f.positions("all"));
    await settle();
    expect(sent).toEqual([]);
  });

  it("H-4 keeps the summary and its time over pages; Refresh asks once more", async () => {
    const { session, of } = start();
    session.toolResult(f.holdings(100, 0, 100, 250));
    await settle();
    of("portfolio", "summary")[0]!.answer(f.summary());
    await settle();
    const before = session.summary.loaded.value;
    session.turn(100);
    await settle();
    const [page] = of("portfolio", "holdings");
    expect(page!.args).toMatchObject({ ...f.holdingsArgs(100) });
    page!.answer(f.holdings(100, 100, 100, 250));
    await settle();
    expect(session.main.value?.request?.arguments["from"]).toBe(100);
    expect(session.summary.loaded.value).toBe(before);
    expect(of("portfolio", "summary")).toHaveLength(1);
    session.refresh();
    await settle();
    of("portfolio", "holdings")[1]!.answer(f.holdings(100, 100, 100, 250));
    await settle();
    expect(of("portfolio", "summary")).toHaveLength(2);
  });

  it("B-4 is refreshed with the same tool, arguments, page and filters", async () => {
    const { session, sent } = start();
    const args = { mode: "positions", position_view: "day", from: 20, limit: 10 };
    session.toolResult(f.result("portfolio", args, { data: [] }));
    await settle();
    session.refresh();
    await settle();
    const { _app_request_id: id, ...rest } = sent[0]!.args;
    expect([sent[0]!.tool, rest]).toEqual(["portfolio", args]);
    expect(id).toMatch(/^t-\d+$/);
  });

  it("L-3 of the launcher is refreshed with the source, not with kite_explorer", async () => {
    const { session, sent } = start();
    session.toolInput({});
    session.toolResult(f.result("portfolio", f.holdingsArgs(), { data: [f.holding(0)] }, { tool: "kite_explorer", arguments: {} }));
    await settle();
    session.refresh();
    await settle();
    expect(sent.map((s) => s.tool)).toEqual(["portfolio", "portfolio"]);
    expect(sent[1]!.args).toMatchObject(f.holdingsArgs());
  });

  it("B-15 of a burst is the last one, and the others are never shown", async () => {
    const { session, sent } = start();
    const seen: unknown[] = [];
    session.main.subscribe((m) => void seen.push(m?.request?.arguments["from"]));
    for (let i = 0; i < 50; i++) session.toolResult(f.result("portfolio", f.holdingsArgs(i), { data: [] }));
    await settle();
    expect(seen).toEqual([undefined, 49]);
    expect(sent).toHaveLength(1);
  });

  it("B-15 of a burst that lasts is the last one too", async () => {
    const { session } = start();
    const seen: unknown[] = [];
    session.main.subscribe((m) => void seen.push(m?.request?.arguments["from"]));
    for (let i = 0; i < 50; i++) {
      session.toolResult(f.result("portfolio", f.holdingsArgs(i), { data: [] }));
      await vi.advanceTimersByTimeAsync(5);
    }
    await settle();
    expect(seen).toEqual([undefined, 49]);
  });

  it("never gives way to a failure or to nothing", async () => {
    const { session } = start();
    session.toolResult(f.positions("net"));
    await settle();
    const shown = session.main.value;
    for (const bad of [f.failure("portfolio", f.holdingsArgs(), "no"), { content: [] }, {}, null, "x", { structuredContent: 7 }]) {
      session.toolResult(bad);
      await settle();
      expect(session.main.value).toBe(shown);
      expect(session.trouble.value).not.toBeNull();
    }
  });

  it("Q-3 cancels what runs for the one before", async () => {
    const { session, sent } = start();
    session.toolResult(f.holdings(3));
    await settle();
    void session.history.load({ tool: "market", arguments: { mode: "historical" } }, "a");
    void session.quote.load(quoteOf("NSE:INFY"), "NSE:INFY");
    await settle();
    session.toolResult(f.funds());
    await settle();
    expect(sent.map((s) => s.signal.aborted)).toEqual([true, true, true]);
  });

  it("Q-5 is not mistaken for an echo: equal arguments without our number count", async () => {
    const { session, sent } = start();
    session.toolResult(f.holdings(3));
    await settle();
    sent[0]!.answer(f.summary());
    session.toolResult(told(f.summary(), sent[0]!.args)); // delivered again by the host
    await settle();
    expect(session.main.value?.kind).toBe("holdings");
    session.toolResult(f.summary()); // the chat asked the same
    await settle();
    expect(session.main.value?.kind).toBe("other");
  });
});

describe("a request of the person", () => {
  it("Q-6 ten clicks on Refresh make one running call and no more", async () => {
    const { session, of } = start();
    session.toolResult(f.holdings(3));
    await settle();
    for (let i = 0; i < 10; i++) session.refresh();
    await settle();
    expect(of("portfolio", "holdings")).toHaveLength(1);
  });

  it.each([
    ["a tool error", (s: Sent) => s.answer(f.failure("portfolio", {}, "Kite is down"))],
    ["a rejected call", (s: Sent) => s.reject(Object.assign(new Error("no"), { code: -32000 }))],
    ["a timeout", (s: Sent) => s.reject(Object.assign(new Error("Request timed out"), { code: -32001 }))],
    ["an answer without data", (s: Sent) => s.answer({ content: [] })],
  ])("B-6 is repeated by Retry after %s of the next page, and the shown page stays", async (_, fail) => {
    const { session, of } = start();
    session.toolResult(f.holdings(100, 0, 100, 250));
    await settle();
    of("portfolio", "summary")[0]!.answer(f.summary());
    await settle();
    session.turn(100);
    await settle();
    fail(of("portfolio", "holdings")[0]!);
    await settle();
    expect(session.main.value?.request?.arguments["from"]).toBe(0);
    expect(session.trouble.value?.request?.arguments["from"]).toBe(100);
    session.retry();
    await settle();
    expect(of("portfolio", "holdings")[1]!.args).toMatchObject(f.holdingsArgs(100));
    of("portfolio", "holdings")[1]!.answer(f.holdings(100, 100, 100, 250));
    await settle();
    expect(session.main.value?.request?.arguments["from"]).toBe(100);
    expect(session.trouble.value).toBeNull();
    expect(of("portfolio", "summary")).toHaveLength(1);
  });

  it("Q-1 quotes of the main view and of panels share one queue", async () => {
    const { session, of } = start();
    session.toolResult(f.quotes(["NSE:INFY"]));
    await settle();
    session.refresh();
    await settle();
    of("market", "quote")[0]!.answer(f.quotes(["NSE:INFY"]));
    await settle();
    void session.prices.load(quoteOf("NSE:TCS"), "p");
    void session.quote.load(quoteOf("NSE:SBIN"), "NSE:SBIN");
    await vi.advanceTimersByTimeAsync(5000);
    const starts = of("market", "quote").map((s) => s.at);
    expect(starts).toHaveLength(3);
    for (let i = 1; i < starts.length; i++) expect(starts[i]! - starts[i - 1]!).toBeGreaterThanOrEqual(1100);
  });

  it("Q-4 panels do not cancel each other", async () => {
    const { session, sent } = start();
    session.toolResult(f.holdings(3));
    await settle();
    void session.history.load({ tool: "market", arguments: { mode: "historical" } }, "a");
    void session.detail.load({ tool: "market", arguments: { mode: "search" } }, "a");
    void session.quote.load(quoteOf("NSE:INFY"), "a");
    await vi.advanceTimersByTimeAsync(2000);
    expect(sent.map((s) => s.signal.aborted)).toEqual([false, false, false, false]);
  });
});

describe("hosts", () => {
  it("R-3 nothing is called where calls are not passed on", async () => {
    const { session, sent } = start({ serverTools: false });
    session.toolResult(f.holdings(3));
    await settle();
    session.refresh();
    void session.quote.load(quoteOf("NSE:INFY"), "a");
    await vi.advanceTimersByTimeAsync(5000);
    expect(sent).toEqual([]);
  });

  it("R-4 a host that announces calls and knows no method is treated the same after the first", async () => {
    const { session, sent } = start();
    session.toolResult(f.holdings(3));
    await settle();
    sent[0]!.reject(Object.assign(new Error("Method not found"), { code: -32601 }));
    await settle();
    expect(session.caps.calls.value).toBe(false);
    session.refresh();
    await settle();
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["the host", (s: Sent) => s.reject(Object.assign(new Error("unknown tool"), { code: -32602 }))],
  ])("R-5 one tool that %s refuses takes its own features only", async (_, refuse) => {
    const { session, of } = start();
    session.toolResult(f.holdings(3));
    await settle();
    void session.quote.load(quoteOf("NSE:INFY"), "a");
    await settle();
    refuse(of("market", "quote")[0]!);
    await settle();
    expect([session.caps.can("market"), session.caps.can("portfolio")]).toEqual([false, true]);
    expect(session.caps.why("market")).toContain("market");
  });

  it("R-5, R-6 a mode that the server has excluded takes its own features only", async () => {
    const { session, of } = start();
    session.toolResult(f.holdings(3));
    await settle();
    void session.quote.load(quoteOf("NSE:INFY"), "a");
    await settle();
    of("market", "quote")[0]!.answer(f.failure("market", {}, "market mode quote is excluded", "excluded"));
    await settle();
    expect([session.caps.can("market", "quote"), session.caps.can("market", "historical"), session.caps.can("market")]).toEqual([false, true, true]);
    expect(session.caps.why("market", "quote")).toBe("This server or chat app does not offer the tool market quote.");
  });

  it("waits three seconds before it says that nothing was delivered, and never calls by itself", async () => {
    const { session, sent } = start();
    await vi.advanceTimersByTimeAsync(2900);
    expect(session.waitedLong.value).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(session.waitedLong.value).toBe(true);
    expect(sent).toEqual([]);
    session.toolResult(f.funds());
    await settle();
    expect(session.waitedLong.value).toBe(false);
  });

  it("B-15 a cancelled request can be retried", async () => {
    const { session, sent } = start();
    session.hostToolIs("portfolio");
    session.toolInput({ mode: "margins" });
    session.toolCancelled();
    expect(session.cancelled.value).toBe(true);
    session.retry();
    await settle();
    expect(sent[0]).toMatchObject({ tool: "portfolio", args: { mode: "margins" } });
  });

  it("B-8 after teardown everything is aborted and nothing is sent", async () => {
    const { session, sent } = start();
    session.toolResult(f.holdings(3));
    await settle();
    void session.quote.load(quoteOf("NSE:INFY"), "a");
    void session.prices.load(quoteOf("NSE:TCS"), "b");
    await settle();
    const before = sent.length;
    session.close();
    session.refresh();
    session.toolResult(f.funds());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sent).toHaveLength(before);
    expect(sent.every((s) => s.signal.aborted || s.tool === "portfolio")).toBe(true);
    expect(session.main.value?.kind).toBe("holdings");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("X-8 calls nothing but the four reading tools", () => {
    const caps = new Capabilities();
    caps.announced(true);
    expect(["portfolio", "market", "orders_read", "gtt_read"].every((t) => caps.can(t))).toBe(true);
    for (const other of ["orders", "gtt", "alerts", "session", "open_kite_view", "kite_explorer", ""]) expect(caps.can(other)).toBe(false);
  });
});

/** A small generator, so that a failing seed can be run again. */
function random(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

it("I-5 whatever the order of answers, the inspector shows the chosen instrument and the list its own result", { timeout: 120_000 }, async () => {
  const ids = ["NSE:A", "NSE:B", "NSE:C"];
  for (let seed = 1; seed <= 1000; seed++) {
    const next = random(seed);
    const { session, sent } = start();
    session.toolResult(f.holdings(3));
    await settle();
    const open = new Set<Sent>();
    let known = 0;
    const collect = () => {
      for (; known < sent.length; known++) open.add(sent[known]!);
    };
    for (let step = 0; step < 25; step++) {
      collect();
      const dice = next();
      if (dice < 0.45) {
        const id = ids[Math.floor(next() * ids.length)]!;
        session.select(pick(id));
        void session.quote.load(quoteOf(id), id);
      } else if (dice < 0.5) session.select(null);
      else if (dice < 0.55) session.refresh();
      else if (dice < 0.6) session.toolResult(f.holdings(1 + Math.floor(next() * 5)));
      else if (open.size > 0) {
        const all = [...open];
        const call = all[Math.floor(next() * all.length)]!;
        open.delete(call);
        if (next() < 0.15) call.reject(new Error("lost"));
        else if (call.tool === "market") call.answer(f.quotes(call.args["instruments"] as string[]));
        else call.answer(call.args["type"] === "summary" ? f.summary() : f.holdings(4));
      }
      await vi.advanceTimersByTimeAsync(Math.floor(next() * 1500));
      const loaded = session.quote.loaded.value;
      const chosen = session.selection.value?.id ?? null;
      if (loaded !== null) expect(readQuotes(loaded.data).map((q) => q.id), `seed ${String(seed)}, step ${String(step)}`).toEqual([chosen]);
      expect(session.main.value?.kind).toBe("holdings");
    }
    session.close();
  }
});

describe("a link of the host", () => {
  const launch = f.result("portfolio", f.holdingsArgs(), { data: [f.holding(1)] }, { tool: "kite_explorer", arguments: {} });
  const mains = (sent: readonly Sent[]) => sent.filter((s) => s.args["type"] !== "summary").map((s) => s.args["mode"]);

  it("B-2, L-2 is followed once with each change, and the launcher's snapshot does not displace its view", async () => {
    const { session, sent } = start();
    session.hostToolIs("kite_explorer");
    session.linkIs("/funds");
    session.linkIs("/funds");
    session.toolInput({});
    session.toolResult(launch);
    await settle();
    expect([mains(sent), session.main.value]).toEqual([["margins"], null]);
    sent[0]?.answer(f.funds());
    await settle();
    expect(session.main.value?.kind).toBe("funds");
    session.linkIs("/funds"); // what is shown is not asked for again
    session.linkIs("/positions");
    expect(mains(sent)).toEqual(["margins", "positions"]);
    session.toolResult(launch); // launched anew
    await settle();
    expect(session.main.value?.kind).toBe("holdings");
  });

  it("L-2 to what the launcher brings makes no call, before and after it has come", async () => {
    const { session, sent } = start();
    session.hostToolIs("kite_explorer");
    session.linkIs("/holdings");
    session.toolInput({});
    session.toolResult(launch);
    await settle();
    session.linkIs(null);
    session.linkIs("/holdings");
    expect([session.main.value?.kind, mains(sent)]).toEqual(["holdings", []]);
  });

  it("L-2 that fails leaves the launcher's snapshot its place", async () => {
    const { session, sent } = start();
    session.linkIs("/positions");
    sent[0]?.reject(new Error("no"));
    await settle();
    session.toolResult(launch);
    await settle();
    expect([session.main.value?.kind, session.trouble.value]).toEqual(["holdings", null]);
  });

  it("R-3 is not followed where no calls are passed on", () => {
    const { session, sent } = start({ serverTools: false });
    session.linkIs("/positions");
    expect([sent, session.trouble.value]).toEqual([[], null]);
  });
});
