// Which request a delivered result belongs to. Hosts differ: some send no tool
// name, drop metadata, or deliver results again.
import { at, isObj, list, num, str, type Obj } from "../contract/json.ts";
import { requestId, type Answer, type Request } from "../contract/result.ts";
import { openings, viewOf, type ViewName } from "./views.ts";

export interface Match {
  /** The request that would give this result again; null when it is not known. */
  readonly request: Request | null;
  /** A newer request is on its way: this result is shown until then. */
  readonly superseded: boolean;
}

/** Digits and lists arrive as text from some models, and the server reads both. */
const plain = (v: unknown): string => (Array.isArray(v) ? v.map(plain).join(",") : isObj(v) ? JSON.stringify(v) : String(v));

/** Whether every argument that was given is one of the request's; those it has besides are defaults. */
export const agrees = (given: Obj, of: Obj): boolean =>
  Object.keys(given).every((name) => name === requestId || plain(given[name]) === plain(of[name]));

/** Finds the request of a result, by what the server says, by what the host says, or by its shape. */
export function match(answer: Answer, input: Obj | null, hostTool: string): Match {
  const source = answer.source;
  if (source !== null) {
    const compared = source.origin?.arguments ?? source.arguments;
    return { request: clean(source), superseded: input !== null && !agrees(input, compared) };
  }
  if (hostTool !== "" && input !== null) {
    const request = fromHost(hostTool, input);
    if (request !== null) return { request, superseded: false };
  }
  return { request: null, superseded: false };
}

const clean = (source: Request): Request => {
  const { [requestId]: _, ...rest } = source.arguments;
  return { tool: source.tool, arguments: rest };
};

/** The tool behind the entry points of a host. */
export const launcher = "kite_explorer";

/** The source request that a call of the host's leads to. */
export function fromHost(tool: string, input: Obj): Request | null {
  switch (tool) {
    case "portfolio":
    case "market":
      return clean({ tool, arguments: input });
    case launcher:
      return openings.find((o) => o.name === "holdings")?.request ?? null;
    default:
      return null; // open_kite_view says itself what it asked for
  }
}

export type Kind = ViewName | "other";

/** What a result shows, by its request, else by its shape. */
export function kindOf(request: Request | null, data: Obj): Kind {
  if (request !== null) return kindOfRequest(request);
  if (isObj(data["equity"]) || isObj(data["commodity"])) return "funds";
  const first = list(data["data"])[0];
  if (isObj(at(first, "condition")) && Array.isArray(at(first, "orders"))) return "gtt";
  if (str(at(first, "order_id")) !== "" && str(at(first, "status")) !== "") return "orders";
  if (num(at(first, "strike")) !== null && str(at(first, "tradingsymbol")) === "") return "option_chain";
  if (str(at(first, "underlying")) !== "" && num(at(first, "expiries")) !== null) return "option_chain";
  if (str(at(first, "expiry")) !== "" && num(at(first, "strikes")) !== null) return "option_chain";
  if (str(at(first, "tradingsymbol")) !== "" && str(at(data, "meta", "instrument_data_source")) !== "") return "search";
  if (num(at(data, "meta", "instrument_token")) !== null && str(at(data, "meta", "interval")) !== "") return "historical";
  if (str(at(first, "position_view")) !== "") return "positions";
  if (str(at(first, "tradingsymbol")) !== "" && num(at(first, "average_price")) !== null) return "holdings";
  const quotes = data["data"];
  if (isObj(quotes) && Object.values(quotes).some((q) => num(at(q, "last_price")) !== null)) return "quote";
  return "other";
}

/** Shorter answers of the market than quotes, in the same form. */
const likeQuotes: readonly unknown[] = ["ltp", "ohlc"];

export function kindOfRequest({ tool, arguments: args }: Request): Kind {
  if (args["type"] === "summary") return "other";
  if (tool === "market" && likeQuotes.includes(args["mode"])) return "quote";
  return viewOf(tool, args["mode"]) ?? "other";
}
