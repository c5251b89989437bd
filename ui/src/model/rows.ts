// The rows of any view that has some, by the keys under which they are chosen.
import type { Kind } from "../bridge/correlate.ts";
import type { Obj } from "../contract/json.ts";
import { readStrikes } from "./chain.ts";
import { readLegs } from "./gtt.ts";
import { readHoldings } from "./holdings.ts";
import { readOrders } from "./orders.ts";
import { readPositions } from "./positions.ts";
import { readQuotes } from "./quotes.ts";
import { readInstruments } from "./search.ts";

export function readRows(kind: Kind, data: Obj, positionView: unknown): readonly { readonly key: string; readonly row: Obj }[] {
  switch (kind) {
    case "holdings":
      return readHoldings(data);
    case "positions":
      return readPositions(data, positionView);
    case "quote":
      return readQuotes(data).map(({ id, row }) => ({ key: id, row }));
    case "orders":
      return readOrders(data);
    case "gtt":
      return readLegs(data);
    case "option_chain":
      return readStrikes(data).flatMap(({ call, put }) => [call, put].flatMap((o) => (o ? [{ key: o.id, row: o.row }] : [])));
    case "search":
      return readInstruments(data);
    default:
      return [];
  }
}
