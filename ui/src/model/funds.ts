// The segments of an account's funds, with every field of the source.
import { at, isObj, num, obj, type Obj } from "../contract/json.ts";

export interface Segment {
  readonly name: "equity" | "commodity";
  readonly enabled: boolean;
  readonly available: number | null;
  readonly cash: number | null;
  readonly collateral: number | null;
  readonly debits: number | null;
  readonly parts: readonly Part[];
}

interface Part {
  readonly title: string;
  readonly fields: readonly (readonly [string, unknown])[];
}

/** Every field of a segment: its groups, then what stands beside them. */
function parts(segment: Obj): Part[] {
  const entries = Object.entries(segment);
  const groups = entries.flatMap(([title, fields]) => (isObj(fields) ? [{ title, fields: Object.entries(fields) }] : []));
  return [...groups, { title: "segment", fields: entries.filter(([, v]) => !isObj(v)) }].filter((p) => p.fields.length > 0);
}

export function readFunds(data: Obj): Segment[] {
  const names = ["equity", "commodity"] as const;
  return names
    .filter((name) => isObj(data[name]))
    .map((name) => {
      const segment = data[name];
      return {
        name,
        enabled: at(segment, "enabled") === true,
        available: num(at(segment, "net")),
        cash: num(at(segment, "available", "cash")),
        collateral: num(at(segment, "available", "collateral")),
        debits: num(at(segment, "utilised", "debits")),
        parts: parts(obj(segment)),
      };
    });
}
