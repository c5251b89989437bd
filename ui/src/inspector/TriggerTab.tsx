// One trigger with all its legs.
import type { Selection } from "../bridge/session.ts";
import { at, num, str } from "../contract/json.ts";
import { absent, count, moment, price, timeOf } from "../model/format.ts";
import { readLegs, type Leg } from "../model/gtt.ts";
import { Facts, type Fact } from "../widgets/Facts.tsx";

function triggerFacts({ row }: Selection, [first]: readonly Leg[]): readonly Fact[] {
  return [
    ["Status", str(row["status"]) || absent],
    ["Type", str(row["type"]) || absent],
    ["Price when it was set", price(num(at(row, "condition", "last_price")))],
    ["Created", moment(str(row["created_at"])) || absent],
    ["Updated", str(row["updated_at"]) || absent],
    ["Expires", moment(str(row["expires_at"])) || absent],
    ["Trigger ID", first?.triggerId || absent],
  ];
}

const legFacts = (leg: Leg): readonly Fact[] => [
  ["Trigger price", price(leg.trigger)],
  ["Order", [leg.side, leg.product, leg.type].filter((s) => s !== "").join(", ") || absent],
  ["Quantity", count(leg.quantity)],
  ["Order price", price(leg.price)],
  ...(leg.outcome === "" ? [] : [["What became of it", leg.outcome] as const]),
];

export function TriggerTab({ selection }: { selection: Selection }) {
  const legs = readLegs({ data: [selection.row] });
  return (
    <>
      <Facts title="Trigger" facts={triggerFacts(selection, legs)} note={`From the list received ${timeOf(selection.receivedAt)}.`} />
      {legs.map((leg) => (
        <Facts key={leg.key} title={leg.of === 1 ? "Order" : `Leg ${String(leg.number)} of ${String(leg.of)}`} facts={legFacts(leg)} />
      ))}
    </>
  );
}
