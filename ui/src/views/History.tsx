// Candles that the chat asked for.
import { useMemo } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { at, num, rows, str } from "../contract/json.ts";
import { sent, shownTime, type Range } from "../model/candles.ts";
import { ChartOf, RangeForm } from "./Chart.tsx";
import { useShared } from "./context.ts";
import { useListing } from "./Footer.tsx";

export function History({ main }: { main: Main }) {
  const { session } = useShared();
  const args = main.request?.arguments;
  const token = num(args?.["instrument_token"]) ?? num(at(main.data, "meta", "instrument_token"));
  const range: Range = {
    interval: str(args?.["interval"]) || str(at(main.data, "meta", "interval")) || "day",
    from: shownTime(str(args?.["from_date"])),
    to: shownTime(str(args?.["to_date"])),
  };
  useListing(useMemo(() => rows(main.data["data"]).map((row) => ({ row })), [main.data]));
  const submit = (r: Range) =>
    void session.ask({ tool: "market", arguments: { ...args, mode: "historical", instrument_token: token, interval: r.interval, from_date: sent(r.from), to_date: sent(r.to) } });
  const known = str(at(main.data, "meta", "instrument"));
  const name = known !== "" ? known : token === null ? "an instrument" : "instrument token " + String(token);
  return (
    <section aria-label="Price history">
      <h2 class="subject">{name}</h2>
      <RangeForm key={JSON.stringify(range)} start={range} enabled={token !== null && session.caps.can("market")} onSubmit={submit} />
      <ChartOf data={main.data} name={name} />
    </section>
  );
}
