// Which tools this view may call. The host says whether it passes calls on at
// all; the rest is learned from what it and the server refuse.
import { computed, signal } from "@preact/signals";

import type { Answer, Request } from "../contract/result.ts";
import type { Opening } from "./views.ts";

export const tools = ["portfolio", "market", "orders_read", "gtt_read"] as const;
export type ToolName = (typeof tools)[number];

export const isTool = (name: string): name is ToolName => (tools as readonly string[]).includes(name);

/** JSON-RPC: the host does not know the method, so it passes no calls on. */
const methodNotFound = -32601;
/** JSON-RPC: what MCP answers for a tool that is not there. */
const invalidParams = -32602;

/** A mode of a tool, as people write it. */
const nameOf = (tool: string, mode: unknown): string => (typeof mode === "string" && mode !== "" ? `${tool} ${mode}` : tool);

export class Capabilities {
  private readonly passes = signal(false);
  /** Null until a result has said it. */
  private readonly views = signal<readonly string[] | null>(null);
  private readonly refused = signal<ReadonlySet<string>>(new Set());

  /** Whether any call can be made. */
  readonly calls = computed(() => this.passes.value);

  announced(serverTools: boolean): void {
    this.passes.value = serverTools;
  }

  /** Whether a tool, or one mode of it, can be called. */
  can(tool: string, mode: unknown = ""): boolean {
    return this.passes.value && isTool(tool) && !this.refused.value.has(tool) && !this.refused.value.has(nameOf(tool, mode));
  }

  /** Learns from a result which views the server has data for. */
  told(answer: Answer): void {
    if (answer.source?.views) this.views.value = answer.source.views;
  }

  /** Whether a view can be opened from here. */
  offers({ name, tool }: Opening): boolean {
    return this.can(tool) && (this.views.value === null || this.views.value.includes(name));
  }

  /** Why a tool cannot be called; "" when it can. */
  why(tool: string, mode: unknown = ""): string {
    if (this.can(tool, mode)) return "";
    if (!this.passes.value) return "This chat app does not let the view ask for more data. What was delivered can be sorted, filtered and read.";
    return `This server or chat app does not offer the tool ${this.can(tool) ? nameOf(tool, mode) : tool}.`;
  }

  /** Learns from a refusal: rejections have a JSON-RPC code, tool errors one of the server's. */
  refuse({ tool, arguments: args }: Request, code: number | string): void {
    const refuses = (what: string) => (this.refused.value = new Set([...this.refused.value, what]));
    if (code === methodNotFound) this.passes.value = false;
    else if (code === invalidParams) refuses(tool);
    else if (code === "excluded") refuses(nameOf(tool, args["mode"]));
  }
}
