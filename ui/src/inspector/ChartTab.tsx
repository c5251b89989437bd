// The chart of the chosen instrument, with a range of its own.
import { useEffect } from "preact/hooks";

import type { Selection } from "../bridge/session.ts";
import { daysBefore, sent, type Range } from "../model/candles.ts";
import { ChartOf, RangeForm } from "../views/Chart.tsx";
import { useShared } from "../views/context.ts";
import { PanelStatus } from "../widgets/Status.tsx";

interface Props {
  readonly selection: Selection;
  /** What was asked for last; null before anything was. */
  readonly range: Range | null;
  readonly onRange: (r: Range) => void;
}

export function ChartTab({ selection, range, onRange }: Props) {
  const { session } = useShared();
  const enabled = selection.token !== null && session.caps.can("market", "historical");
  const end = session.today();
  const start = range ?? { interval: "day", from: daysBefore(end, 90), to: end };
  const load = (r: Range) => {
    onRange(r);
    const asked = { interval: r.interval, from_date: sent(r.from), to_date: sent(r.to) };
    // Candles of another range are not shown under this one.
    void session.history.load({ tool: "market", arguments: { mode: "historical", instrument_token: selection.token, ...asked } }, [selection.id, r.interval, r.from, r.to].join(" "));
  };
  useEffect(() => {
    if (enabled && session.history.state.value.kind === "idle") load(start);
  }, []);
  const loaded = session.history.loaded.value;
  return (
    <>
      <RangeForm start={start} enabled={enabled} onSubmit={load} />
      {selection.token === null && <p class="note">This row has no instrument token, which charts need.</p>}
      {!session.caps.can("market", "historical") && <p class="note">{session.caps.why("market", "historical")}</p>}
      <PanelStatus panel={session.history} what="candles" />
      {loaded && <ChartOf data={loaded.data} name={selection.id} />}
    </>
  );
}
