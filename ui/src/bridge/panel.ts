// A part of the screen with a request of its own: it loads, fails and is retried
// apart from the rest, and has its own receipt time.
import { signal } from "@preact/signals";

import type { Obj } from "../contract/json.ts";
import type { Failure, Request } from "../contract/result.ts";
import { asksQuotes, type Calls, type Slot } from "./calls.ts";

export interface Loaded {
  readonly data: Obj;
  /** Epoch milliseconds of this device. */
  readonly receivedAt: number;
}

export type PanelState =
  | { readonly kind: "idle" }
  | { readonly kind: "queued" }
  | { readonly kind: "loading" }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly failure: Failure };

const idle: PanelState = { kind: "idle" };

export class Panel {
  readonly state = signal<PanelState>(idle);
  /** The newest data; it stays while a new request runs or has failed. */
  readonly loaded = signal<Loaded | null>(null);
  private key = "";
  private request: Request | null = null;

  constructor(
    private readonly calls: Calls,
    private readonly slot: Slot,
  ) {}

  /** Loads for a subject. Data of another subject is not shown meanwhile. */
  async load(request: Request, key: string): Promise<void> {
    if (key !== this.key) this.loaded.value = null;
    this.key = key;
    this.request = request;
    this.state.value = { kind: asksQuotes(request) ? "queued" : "loading" };
    const outcome = await this.calls.call(this.slot, request, () => {
      if (this.request === request) this.state.value = { kind: "loading" };
    });
    if (outcome.kind === "aborted" || this.request !== request) return;
    if (outcome.kind === "failure") {
      this.state.value = { kind: "failed", failure: outcome.failure };
      return;
    }
    if (outcome.answer.data === null) {
      this.state.value = { kind: "failed", failure: { message: "The result holds no data.", code: "empty", hint: "" } };
      return;
    }
    this.loaded.value = { data: outcome.answer.data, receivedAt: outcome.receivedAt };
    this.state.value = { kind: "done" };
  }

  /** What was asked last; null before anything was. */
  get asked(): Request | null {
    return this.request;
  }

  retry(): void {
    if (this.request !== null) void this.load(this.request, this.key);
  }

  /** A main request ended what ran here. */
  interrupted(): void {
    this.calls.abort(this.slot);
    const state = this.state.value.kind;
    if (state !== "queued" && state !== "loading") return;
    this.state.value = this.loaded.value === null ? idle : { kind: "done" };
  }

  clear(): void {
    this.calls.abort(this.slot);
    this.request = null;
    this.key = "";
    this.loaded.value = null;
    this.state.value = idle;
  }
}
