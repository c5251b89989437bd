// What the view shows and what it waits for. Data flows one way: the host's
// messages and the person's actions change the signals here, and views draw them.
import { batch, computed, signal } from "@preact/signals";

import { at, isObj, str, type Obj } from "../contract/json.ts";
import { readAnswer, readPage, type Answer, type Failure, type Request } from "../contract/result.ts";
import { Calls, type Slot } from "./calls.ts";
import { Chain } from "./chain.ts";
import type { Capabilities } from "./caps.ts";
import { agrees, fromHost, kindOf, kindOfRequest, launcher, match, type Kind } from "./correlate.ts";
import { today } from "../model/candles.ts";
import type { Listing } from "../model/listing.ts";
import { stageOf } from "../model/chain.ts";
import { readRows } from "../model/rows.ts";
import { linked } from "./link.ts";
import { Panel } from "./panel.ts";
import type { Opening } from "./views.ts";

/** The result that fills the view. */
export interface Main {
  readonly kind: Kind;
  /** Repeats this result; null when nobody said what it was. */
  readonly request: Request | null;
  readonly data: Obj;
  /** Epoch milliseconds of this device. */
  readonly receivedAt: number;
  readonly superseded: boolean;
  /** A form that has not been sent yet: there is no result. */
  readonly blank: boolean;
}

/** An instrument that the person chose from a list. */
export interface Selection {
  /** EXCHANGE:TRADINGSYMBOL. */
  readonly id: string;
  /** The row of the list; two rows may hold one instrument. */
  readonly rowKey: string;
  readonly token: number | null;
  readonly row: Obj;
  readonly from: Kind;
  /** When the row was received, in epoch milliseconds of this device. */
  readonly receivedAt: number;
}

export interface Trouble {
  readonly failure: Failure;
  /** What was attempted; null when the host delivered the failure without it. */
  readonly request: Request | null;
}

/** Results of one burst are drawn once: the last of them, when no other has come for half a frame. */
const settle = 8;
/** How long a host may take to deliver something. */
const patience = 3000;

const sameRequest = (a: Request, b: Request): boolean => a.tool === b.tool && agrees(a.arguments, b.arguments) && agrees(b.arguments, a.arguments);

export const summaryRequest: Request = { tool: "portfolio", arguments: { mode: "holdings", type: "summary" } };

/** Whether a result holds the strikes of an expiry. */
export const isChain = (main: Main): boolean => main.kind === "option_chain" && stageOf(main.data, main.request) === "strikes";

export class Session {
  readonly main = signal<Main | null>(null);
  readonly trouble = signal<Trouble | null>(null);
  /** A main request that is under way. */
  readonly pending = signal<Request | null>(null);
  readonly waitedLong = signal(false);
  readonly cancelled = signal(false);
  readonly selection = signal<Selection | null>(null);
  /** Grows when the view starts anew, so that filters and scroll positions do too. */
  readonly generation = signal(0);
  readonly closed = signal(false);
  /** The rows on the screen, for what is done with all of them. */
  listing: Listing | null = null;

  readonly summary: Panel;
  readonly prices: Panel;
  readonly quote: Panel;
  readonly history: Panel;
  readonly detail: Panel;
  /** What the chosen order went through, and how it was filled. */
  readonly order: Panel;
  readonly fills: Panel;
  readonly chain: Chain;
  /** Panels about the chosen instrument. */
  private readonly inspected: readonly Panel[];
  private readonly panels: readonly Panel[];

  /** What Retry repeats after a cancelled or failed delivery. */
  readonly retryable = computed(() => this.trouble.value?.request ?? this.main.value?.request ?? this.inputRequest());

  private readonly input = signal<Obj | null>(null);
  private readonly hostTool = signal("");
  private link: unknown = null;
  /** A link leads elsewhere than the launcher, whose snapshot is still to come. */
  private led = false;
  private burst: ReturnType<typeof setTimeout> | null = null;
  private patienceTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    readonly calls: Calls,
    readonly caps: Capabilities,
    private readonly now: () => number,
  ) {
    const panel = (slot: Slot) => new Panel(calls, slot);
    this.summary = panel("summary");
    this.prices = panel("prices");
    this.quote = panel("quote");
    this.history = panel("history");
    this.detail = panel("detail");
    this.order = panel("order");
    this.fills = panel("fills");
    this.chain = new Chain(calls);
    this.inspected = [this.quote, this.history, this.detail, this.order, this.fills];
    this.panels = [this.summary, this.prices, ...this.inspected];
  }

  /** The host has been reached; from now on it may be asked. */
  connected(): void {
    if (this.main.value === null && this.trouble.value === null) {
      this.patienceTimer = setTimeout(() => (this.waitedLong.value = true), patience);
    }
    this.wantMore(); // a result may have come before
  }

  hostToolIs(name: string): void {
    this.hostTool.value = name;
  }

  /** The host links to a view, once with each change of its link. Nothing is asked of a host that passes no calls on. */
  linkIs(url: unknown): void {
    if (url === this.link) return;
    this.link = url ?? null;
    const request = linked(url);
    if (request === null || !this.caps.can(request.tool)) return;
    const shown = this.main.value?.request ?? (this.hostTool.value === launcher ? fromHost(launcher, {}) : null);
    if (shown !== null && sameRequest(shown, request)) return; // it is there, or on its way
    this.led = this.main.value === null;
    void this.ask(request).then(() => {
      if (this.trouble.value !== null) this.led = false; // the snapshot is better than nothing
    });
  }

  toolInput(args: unknown): void {
    this.input.value = isObj(args) ? args : {};
    this.cancelled.value = false;
  }

  toolCancelled(): void {
    if (this.main.value === null) this.cancelled.value = true;
  }

  /** A result that the host delivers, of the chat's call or of our own. */
  toolResult(result: unknown): void {
    const answer = readAnswer(result);
    this.caps.told(answer);
    if (this.calls.isEcho(answer)) return; // its caller has it
    if (this.burst !== null) clearTimeout(this.burst);
    this.burst = setTimeout(() => {
      this.burst = null;
      this.deliver(answer);
    }, settle);
  }

  private deliver(answer: Answer): void {
    if (this.closed.value || this.leftBehind(answer)) return;
    const { request, superseded } = match(answer, this.input.value, this.hostTool.value);
    if (answer.failure !== null || answer.data === null) {
      const failure = answer.failure ?? { message: answer.text || "The result holds no data.", code: "empty", hint: "" };
      batch(() => {
        this.waitedLong.value = false;
        this.trouble.value = { failure, request };
      });
      return;
    }
    this.interrupt();
    this.show({ kind: kindOf(request, answer.data), request, data: answer.data, receivedAt: this.now(), superseded, blank: false }, true);
  }

  /** Whether a result is the launcher's snapshot, and a link has led elsewhere meanwhile. */
  private leftBehind(answer: Answer): boolean {
    const led = this.led;
    this.led = false;
    return led && (answer.source?.origin?.tool ?? this.hostTool.value) === launcher;
  }

  /** Puts a result on the screen. A load is anything but another page of what is shown. */
  private show(main: Main, load: boolean): void {
    const before = this.main.value;
    const sameView = before !== null && before.kind === main.kind && before.request?.tool === main.request?.tool;
    if (this.patienceTimer !== null) clearTimeout(this.patienceTimer);
    batch(() => {
      this.main.value = main;
      this.trouble.value = null;
      this.pending.value = null;
      this.cancelled.value = false;
      this.waitedLong.value = false;
      if (sameView) this.reselect(main);
      else {
        this.generation.value++;
        this.select(null);
      }
      this.prices.clear();
      if (main.kind !== "holdings" || load) this.summary.clear();
      if (isChain(main)) this.chain.show(main.data, main.request);
      else this.chain.clear();
    });
    this.wantMore();
  }

  /** The inspector shows the row as it is now. One of another page stays as it was. */
  private reselect(main: Main): void {
    const chosen = this.selection.value;
    if (chosen === null) return;
    const now = readRows(main.kind, main.data, main.request?.arguments["position_view"]).find((r) => r.key === chosen.rowKey);
    if (now) this.selection.value = { ...chosen, row: now.row, receivedAt: main.receivedAt };
  }

  /** A main request ends what runs beside it. */
  private interrupt(): void {
    this.calls.abortAll();
    for (const panel of this.panels) panel.interrupted();
    this.chain.interrupted();
  }

  /** What belongs to a result and is asked for without being told to: the totals of the whole account, the rest of a chain. */
  private wantMore(): void {
    if (this.caps.can("market")) void this.chain.resume();
    if (this.main.value?.kind === "holdings" && this.summary.state.value.kind === "idle" && this.caps.can("portfolio")) {
      void this.summary.load(summaryRequest, "account");
    }
  }

  /** Asks for a main result. The shown one stays until there is another. */
  async ask(request: Request, load = true): Promise<void> {
    const running = this.pending.value;
    if (running !== null && sameRequest(running, request)) return; // it is on its way
    this.interrupt();
    this.pending.value = request;
    const outcome = await this.calls.call("main", request);
    if (outcome.kind === "aborted" || this.closed.value) return;
    this.pending.value = null;
    if (outcome.kind === "failure" || outcome.answer.data === null) {
      const failure = outcome.kind === "failure" ? outcome.failure : { message: outcome.answer.text || "The result holds no data.", code: "empty", hint: "" };
      this.trouble.value = { failure, request };
      this.wantMore(); // when this request had ended it
      return;
    }
    const { answer, receivedAt } = outcome;
    const shown = answer.source === null ? request : match(answer, null, "").request;
    this.show({ kind: kindOfRequest(request), request: shown, data: outcome.answer.data, receivedAt, superseded: false, blank: false }, load);
  }

  /** Opens a view without the chat. */
  open({ name, request }: Opening): void {
    if (request !== null) return void this.ask(request);
    this.interrupt();
    this.show({ kind: name, request: null, data: {}, receivedAt: this.now(), superseded: false, blank: true }, true);
  }

  /** The same request again: tool, arguments, page and filters. */
  refresh(): void {
    const request = this.main.value?.request;
    if (request) void this.ask(request);
  }

  retry(): void {
    const request = this.retryable.value;
    if (request) void this.ask(request, this.pageOf(request) === null);
  }

  /** Another page of what is shown, from its first row. */
  turn(from: number): void {
    const request = this.main.value?.request;
    if (request) void this.ask({ tool: request.tool, arguments: { ...request.arguments, from } }, false);
  }

  /** The shown request, when it differs from this one in its page only. */
  private pageOf(request: Request): Request | null {
    const shown = this.main.value?.request;
    if (!shown || readPage(this.main.value?.data ?? null) === null) return null;
    const rest = (r: Request) => JSON.stringify([r.tool, { ...r.arguments, from: 0 }]);
    const turned = shown.arguments["from"] !== request.arguments["from"];
    return turned && rest(shown) === rest(request) ? shown : null;
  }

  private inputRequest(): Request | null {
    const input = this.input.value;
    return input === null ? null : match({ data: null, text: "", source: null, failure: null }, input, this.hostTool.value).request;
  }

  /** Today where the server is, as YYYY-MM-DD: its clock may be set to another day. */
  today(): string {
    const fetched = str(at(this.main.value?.data, "meta", "fetched_at")).slice(0, 10);
    return /^\d{4}-\d{2}-\d{2}$/.test(fetched) ? fetched : today(this.now());
  }

  /** Opens the inspector for a row, or closes it. What runs for another instrument ends. */
  select(selection: Selection | null): void {
    if (this.selection.value?.rowKey === selection?.rowKey) return;
    batch(() => {
      for (const panel of this.inspected) panel.clear();
      this.selection.value = selection;
    });
  }

  close(): void {
    this.closed.value = true;
    this.pending.value = null;
    if (this.burst !== null) clearTimeout(this.burst);
    if (this.patienceTimer !== null) clearTimeout(this.patienceTimer);
    this.calls.close();
    for (const panel of this.panels) panel.interrupted();
    this.chain.interrupted();
  }
}
