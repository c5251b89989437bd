// The views that the person can open without the chat.
import type { Kind } from "../bridge/correlate.ts";
import type { Request } from "../contract/result.ts";

export interface Opening {
  readonly kind: Kind;
  readonly title: string;
  readonly request: Request;
}

export const openings: readonly Opening[] = [
  { kind: "holdings", title: "Holdings", request: { tool: "portfolio", arguments: { mode: "holdings", type: "full", from: 0, limit: 100 } } },
  { kind: "positions", title: "Positions", request: { tool: "portfolio", arguments: { mode: "positions", position_view: "all", from: 0, limit: 100 } } },
  { kind: "funds", title: "Funds", request: { tool: "portfolio", arguments: { mode: "margins" } } },
];
