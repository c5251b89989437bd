// Calls of tools through the host. Each slot holds one call: starting another
// aborts it, and what an aborted call still answers is dropped.
import { at } from "../contract/json.ts";
import { readAnswer, requestId, type Answer, type Failure, type Request } from "../contract/result.ts";
import type { Capabilities } from "./caps.ts";
import { Aborted, type QuoteQueue } from "./queue.ts";

export type Slot = "main" | "summary" | "prices" | "quote" | "history" | "detail" | "order" | "fills" | "chain";

/** How an answer arrives, or does not. */
export type Outcome =
  | { readonly kind: "answer"; readonly answer: Answer; readonly receivedAt: number }
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "aborted" };

export type CallTool = (params: { name: string; arguments: Record<string, unknown> }, options: { signal: AbortSignal; timeout: number }) => Promise<unknown>;

const timeout = 30_000;

/** Whether a request asks Kite for quotes, whose rate is limited. */
export function asksQuotes(r: Request): boolean {
  const mode = r.arguments["mode"];
  return r.tool === "market" && (mode === "quote" || mode === "ltp" || mode === "ohlc" || r.arguments["include_live_quote"] === true);
}

export class Calls {
  private readonly running = new Map<Slot, AbortController>();
  private readonly issued = new Set<string>();
  private count = 0;
  private closed = false;

  constructor(
    private readonly callTool: CallTool,
    private readonly queue: QuoteQueue,
    private readonly caps: Capabilities,
    private readonly now: () => number,
    /** Distinguishes the calls of two views of one chat. */
    private readonly prefix: string,
  ) {}

  /** Whether a result that the host delivered answers a call of this view. */
  isEcho(answer: Answer): boolean {
    const id = answer.source?.arguments[requestId];
    return typeof id === "string" && this.issued.has(id);
  }

  async call(slot: Slot, request: Request, started?: () => void): Promise<Outcome> {
    this.abort(slot);
    if (this.closed || !this.caps.can(request.tool, request.arguments["mode"])) {
      return { kind: "failure", failure: { message: this.caps.why(request.tool, request.arguments["mode"]) || "This view is closed.", code: "unavailable", hint: "" } };
    }
    const controller = new AbortController();
    this.running.set(slot, controller);
    const outcome = await this.send(request, controller.signal, started);
    if (this.running.get(slot) === controller) this.running.delete(slot);
    return controller.signal.aborted ? { kind: "aborted" } : outcome;
  }

  private async send(request: Request, signal: AbortSignal, started?: () => void): Promise<Outcome> {
    try {
      if (asksQuotes(request)) await this.queue.turn(signal);
      started?.();
      const id = this.prefix + "-" + String(++this.count);
      this.issued.add(id);
      const result = await this.callTool({ name: request.tool, arguments: { ...request.arguments, [requestId]: id } }, { signal, timeout });
      const answer = readAnswer(result);
      this.caps.told(answer);
      if (answer.failure === null) return { kind: "answer", answer, receivedAt: this.now() };
      this.caps.refuse(request, answer.failure.code);
      return { kind: "failure", failure: this.explained(request, answer.failure) };
    } catch (error) {
      if (signal.aborted || error instanceof Aborted) return { kind: "aborted" };
      const code = at(error, "code");
      if (typeof code === "number") this.caps.refuse(request, code);
      const message = error instanceof Error && error.message !== "" ? error.message : "The chat app did not pass the request on.";
      return { kind: "failure", failure: this.explained(request, { message, code: typeof code === "number" ? String(code) : "bridge", hint: "" }) };
    }
  }

  /** A refusal for good is told in words, not as the protocol has it. */
  private explained({ tool, arguments: args }: Request, failure: Failure): Failure {
    const why = this.caps.why(tool, args["mode"]);
    return why === "" ? failure : { ...failure, message: why };
  }

  abort(slot: Slot): void {
    this.running.get(slot)?.abort();
    this.running.delete(slot);
  }

  abortAll(): void {
    for (const slot of [...this.running.keys()]) this.abort(slot);
  }

  /** Ends everything: the host is about to remove the view. */
  close(): void {
    this.closed = true;
    this.abortAll();
  }
}
