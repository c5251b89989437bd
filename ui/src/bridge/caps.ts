// Which tools this view may call. The host says whether it passes calls on at
// all; the rest is learned from what it and the server refuse.
import { computed, signal } from "@preact/signals";

export const tools = ["portfolio", "market", "orders_read", "gtt_read"] as const;
export type ToolName = (typeof tools)[number];

export const isTool = (name: string): name is ToolName => (tools as readonly string[]).includes(name);

/** JSON-RPC: the host does not know the method, so it passes no calls on. */
const methodNotFound = -32601;
/** JSON-RPC: what MCP answers for a tool that is not there. */
const invalidParams = -32602;

export class Capabilities {
  private readonly passes = signal(false);
  private readonly refused = signal<ReadonlySet<string>>(new Set());

  /** Whether any call can be made. */
  readonly calls = computed(() => this.passes.value);

  announced(serverTools: boolean): void {
    this.passes.value = serverTools;
  }

  can(tool: string): boolean {
    return this.passes.value && isTool(tool) && !this.refused.value.has(tool);
  }

  /** Why a tool cannot be called; "" when it can. */
  why(tool: string): string {
    if (this.can(tool)) return "";
    if (!this.passes.value) return "This chat app does not let the view ask for more data. What was delivered can be sorted, filtered and read.";
    return "This server or chat app does not offer the tool " + tool + ".";
  }

  /** Learns from a refusal: rejections have a JSON-RPC code, tool errors one of the server's. */
  refuse(tool: string, code: number | string): void {
    if (code === methodNotFound) this.passes.value = false;
    else if (code === invalidParams || code === "excluded") this.refused.value = new Set([...this.refused.value, tool]);
  }
}
