// Loads a whole option chain: the strikes that its first page left out, all of one
// revision of the instruments list, and then quotes in batches.
import { batch, signal } from "@preact/signals";

import type { Obj } from "../contract/json.ts";
import { readPage, type Failure, type Request } from "../contract/result.ts";
import { around, batches, nearest, quotesWithin, readReferences, readStrikes, revisionOf, type References, type Strike } from "../model/chain.ts";
import { readQuotes, type Quote } from "../model/quotes.ts";
import type { Calls, Outcome } from "./calls.ts";

export type ChainState =
  | { readonly kind: "idle" | "done" }
  | { readonly kind: "strikes" | "quotes"; readonly done: number; readonly of: number }
  | { readonly kind: "failed"; readonly failure: Failure };

const idle: ChainState = { kind: "idle" };

/** Kite quotes at most so many instruments at once. */
const most = 500;

const changedTwice: Failure = { message: "The instruments list changed while the chain was read.", code: "catalog_changed", hint: "Refresh the chain." };
const noData: Failure = { message: "The result holds no data.", code: "empty", hint: "" };

export class Chain {
  readonly state = signal(idle);
  readonly strikes = signal<readonly Strike[]>([]);
  readonly references = signal<References>({ underlying: null, future: null });
  readonly quotes = signal<ReadonlyMap<string, Quote>>(new Map());
  /** When the newest quotes were received, in epoch milliseconds of this device. */
  readonly quotedAt = signal<number | null>(null);
  /** Pages of one revision, from the first strike. */
  private pages: readonly Obj[] = [];
  private request: Request | null = null;
  private subject = "";
  private run = 0;

  constructor(private readonly calls: Calls) {}

  /** Shows one page of a chain; resume loads the others. */
  show(page: Obj, request: Request | null): void {
    const args = request?.arguments;
    const subject = JSON.stringify([args?.["exchange"], args?.["underlying"], args?.["expiry"]]);
    batch(() => {
      if (subject !== this.subject) this.clear();
      this.subject = subject;
      this.request = request;
      this.pages = readPage(page)?.from ? [] : [page];
      this.state.value = idle;
      this.adopt([page]);
    });
  }

  /** Loads what is missing: the other strikes, then quotes. */
  async resume(): Promise<void> {
    const request = this.request;
    if (request === null || this.state.value.kind !== "idle") return;
    const run = ++this.run;
    const failure = (await this.loadStrikes(run, request)) ?? (await this.loadQuotes(run));
    if (run === this.run) this.state.value = failure ? { kind: "failed", failure } : { kind: "done" };
  }

  /** Asks for quotes again, and for strikes that are still missing. */
  again(): void {
    if (this.state.value.kind !== "done" && this.state.value.kind !== "failed") return;
    this.state.value = idle;
    void this.resume();
  }

  /** A main request ended what ran here. */
  interrupted(): void {
    this.run++;
    this.calls.abort("chain");
    const { kind } = this.state.value;
    if (kind === "strikes" || kind === "quotes") this.state.value = idle;
  }

  clear(): void {
    this.interrupted();
    this.pages = [];
    this.request = null;
    this.subject = "";
    this.state.value = idle;
    this.strikes.value = [];
    this.references.value = { underlying: null, future: null };
    this.quotes.value = new Map();
    this.quotedAt.value = null;
  }

  private adopt(pages: readonly Obj[]): void {
    const strikes = pages.flatMap(readStrikes);
    this.strikes.value = strikes;
    if (pages[0]) this.references.value = readReferences(pages[0]);
    const within = quotesWithin(strikes);
    if (within.size > 0) this.quotes.value = new Map([...within, ...this.quotes.value]);
  }

  /** Where the next page begins; null when there is none. */
  private next(): number | null {
    const last = this.pages.at(-1);
    if (!last) return 0;
    const page = readPage(last);
    const from = page === null ? 0 : page.from + page.returned;
    return page === null || page.returned === 0 || from >= page.total ? null : from;
  }

  /** Whether an answer came too late for its run. */
  private isOver(run: number, outcome: Outcome): boolean {
    if (run === this.run && outcome.kind === "aborted") this.interrupted();
    return run !== this.run;
  }

  /** All pages of one revision. A revision that changes meanwhile starts them anew, once. */
  private async loadStrikes(run: number, request: Request): Promise<Failure | null> {
    const { catalog_revision: _, ...args } = request.arguments;
    for (let restarted = false; ; ) {
      const from = this.next();
      if (from === null) return null;
      this.state.value = { kind: "strikes", done: from, of: readPage(this.pages[0] ?? null)?.total ?? 0 };
      const revision = revisionOf(this.pages[0] ?? {});
      const outcome = await this.calls.call("chain", { tool: request.tool, arguments: { ...args, from, ...(revision === "" ? {} : { catalog_revision: revision }) } });
      if (this.isOver(run, outcome) || outcome.kind === "aborted") return null;
      const page = outcome.kind === "answer" ? outcome.answer.data : null;
      const changed = outcome.kind === "failure" ? outcome.failure.code === "catalog_changed" : page !== null && revision !== "" && revisionOf(page) !== revision;
      if (changed && restarted) return changedTwice;
      if (changed) {
        restarted = true;
        this.pages = [];
        continue;
      }
      if (page === null) return outcome.kind === "failure" ? outcome.failure : noData;
      this.pages = [...this.pages, page];
      this.adopt(this.pages);
    }
  }

  /** Quotes the references first: they say around which strike the batches begin. */
  private async loadQuotes(run: number): Promise<Failure | null> {
    if (run !== this.run) return null;
    const { underlying, future } = this.references.value;
    const references = [underlying, future].flatMap((o) => (o ? [o.id] : []));
    const strikes = this.strikes.value;
    const of = references.length + around(strikes, 0).length;
    let done = 0;
    const ask = async (instruments: readonly string[]): Promise<Failure | null> => {
      this.state.value = { kind: "quotes", done, of };
      const outcome = await this.calls.call("chain", { tool: "market", arguments: { mode: "quote", instruments } });
      if (this.isOver(run, outcome) || outcome.kind === "aborted") return null;
      if (outcome.kind === "failure") return outcome.failure;
      const found = readQuotes(outcome.answer.data ?? {});
      batch(() => {
        this.quotes.value = new Map([...this.quotes.value, ...found.map((q) => [q.id, q] as const)]);
        this.quotedAt.value = outcome.receivedAt;
      });
      done += instruments.length;
      return null;
    };
    const failure = references.length > 0 ? await ask(references) : null;
    if (failure || run !== this.run) return failure;
    for (const instruments of batches(around(strikes, this.middle()), most)) {
      const failed = await ask(instruments);
      if (failed || run !== this.run) return failed;
    }
    return null;
  }

  /** The place of the strike nearest to the reference, else the middle. */
  private middle(): number {
    const strikes = this.strikes.value;
    const price = this.reference();
    return price === null ? Math.floor(strikes.length / 2) : nearest(strikes, price);
  }

  /** The price that strikes are compared with, in rupees; null until it has been quoted. */
  reference(): number | null {
    const { underlying, future } = this.references.value;
    for (const o of [underlying, future]) {
      const last = o ? (this.quotes.value.get(o.id)?.last ?? null) : null;
      if (last !== null) return last;
    }
    return null;
  }
}
