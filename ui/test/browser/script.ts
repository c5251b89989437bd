// A server for tests: answers as ours does, from the fixtures.
import views from "../../views.json";
import * as f from "../fixtures/results.ts";
import type { Scripted } from "../host/host.ts";
import type { Answerer, Json } from "./stage.ts";

const list = (v: unknown): string[] => (Array.isArray(v) ? v.map(String) : []);
const number = (v: unknown, otherwise: number): number => (typeof v === "number" ? v : otherwise);

/** Puts the caller's number into the arguments that the result tells, as the server does. */
function told(result: Json, args: Json): Json {
  const meta = result["_meta"] as Json;
  const app = meta["trade.kite/app"] as Json;
  return { ...result, _meta: { ...meta, "trade.kite/app": { ...app, arguments: { ...(app["arguments"] as Json), _app_request_id: args["_app_request_id"] } } } };
}

export interface Account {
  readonly holdings: number;
}

/** Answers every read of the view. */
export function server(account: Account = { holdings: 10 }): Answerer {
  return (tool: string, args: Json): Scripted => {
    const result = answer(tool, args, account);
    return result ? { result: told(result, args) } : { error: { code: -32602, message: `unknown tool or mode ${tool} ${String(args["mode"])}` } };
  };
}

function answer(tool: string, args: Json, account: Account): Json | null {
  const from = number(args["from"], 0);
  const limit = number(args["limit"], 100);
  switch (`${tool} ${String(args["mode"])}`) {
    case "portfolio holdings":
      return args["type"] === "summary" ? f.summary() : f.holdings(Math.max(0, Math.min(limit, account.holdings - from)), from, limit, account.holdings);
    case "portfolio positions":
      return f.positions(args["position_view"] === "day" ? "day" : args["position_view"] === "all" ? "all" : "net");
    case "portfolio margins":
      return f.funds();
    case "market quote":
      return list(args["instruments"]).some((id) => /^(NSE:NIFTY 50|NFO:NIFTY26DEC\d)/.test(id)) ? f.chainQuotes(list(args["instruments"])) : f.quotes(list(args["instruments"]));
    case "market option_chain":
      if (args["underlying"] === undefined) return f.underlyings(args["exchange"] === "BFO" ? ["SENSEX"] : undefined);
      if (args["expiry"] === undefined) return f.expiries(String(args["underlying"]));
      return f.chain(300, { from, limit, expiry: String(args["expiry"]) });
    case "market historical":
      return f.history(number(args["instrument_token"], 0), f.candles(64, undefined, String(args["from_date"]), number(/^\d+/.exec(String(args["interval"]))?.[0], 0)), String(args["from_date"]), String(args["to_date"]), String(args["interval"]));
    case "market search":
      if (args["search_mode"] === "search") return f.search(args, String(args["query"]).startsWith("no ") ? [] : f.found);
      return f.details(number(args["inst_token"], 0), "INFY");
    case "orders_read list":
      return f.orders();
    case "orders_read history":
      return f.steps(String(args["order_id"]));
    case "orders_read trades":
      return f.fills(String(args["order_id"]));
    case "gtt_read list":
      return f.triggers();
    default:
      return null;
  }
}

/** The call behind open_kite_view. */
export function opened(args: Json): { tool: string; args: Json } {
  const { view, ...given } = args;
  const { tool, mode, arguments: set } = views[view as keyof typeof views];
  return { tool, args: { mode, ...set, ...given } };
}
