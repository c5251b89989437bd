// The segments of an account's funds, with every field of the source.
import { at, isObj, num, type Obj } from "../contract/json.ts";

export interface Segment {
  readonly name: "equity" | "commodity";
  readonly enabled: boolean;
  readonly available: number | null;
  readonly cash: number | null;
  readonly collateral: number | null;
  readonly debits: number | null;
  readonly parts: readonly { readonly title: string; readonly fields: readonly (readonly [string, unknown])[] }[];
}

export function readFunds(data: Obj): Segment[] {
  const names = ["equity", "commodity"] as const;
  return names
    .filter((name) => isObj(data[name]))
    .map((name) => {
      const segment = data[name];
      const part = (title: string): readonly (readonly [string, unknown])[] => {
        const fields = at(segment, title);
        return isObj(fields) ? Object.entries(fields) : [];
      };
      return {
        name,
        enabled: at(segment, "enabled") === true,
        available: num(at(segment, "net")),
        cash: num(at(segment, "available", "cash")),
        collateral: num(at(segment, "available", "collateral")),
        debits: num(at(segment, "utilised", "debits")),
        parts: ["available", "utilised"].map((title) => ({ title, fields: part(title) })).filter((p) => p.fields.length > 0),
      };
    });
}
