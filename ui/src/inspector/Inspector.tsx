// One instrument, beside its list: overview, depth, chart and source fields.
import { useEffect, useRef, useState } from "preact/hooks";

import type { Kind } from "../bridge/correlate.ts";
import type { Selection } from "../bridge/session.ts";
import { isObj, obj, rows, str } from "../contract/json.ts";
import type { Range } from "../model/candles.ts";
import { partsOf } from "../model/keys.ts";
import { readQuote, readQuotes, type Quote } from "../model/quotes.ts";
import { PanelStatus } from "../widgets/Status.tsx";
import { Tabs } from "../widgets/Tabs.tsx";
import { useShared } from "../views/context.ts";
import { ChartTab } from "./ChartTab.tsx";
import { Depth } from "./Depth.tsx";
import { Details } from "./Details.tsx";
import { OrderTab } from "./OrderTab.tsx";
import { Overview } from "./Overview.tsx";
import { TriggerTab } from "./TriggerTab.tsx";

const tabs = [
  { key: "overview", title: "Overview" },
  { key: "depth", title: "Depth" },
  { key: "chart", title: "Chart" },
  { key: "details", title: "Details" },
] as const;

/** Rows that are more than an instrument have a tab of their own, before the others. */
const own = {
  orders: { key: "order", title: "Order" },
  gtt: { key: "trigger", title: "Trigger" },
} as const;

type TabKey = (typeof tabs)[number]["key"] | (typeof own)[keyof typeof own]["key"];

const ownTab = (from: Kind) => (from === "orders" || from === "gtt" ? own[from] : null);

export function Inspector({ selection, wide }: { selection: Selection; wide: boolean }) {
  const { session } = useShared();
  const first = ownTab(selection.from);
  const [tab, setTab] = useState<TabKey>(first?.key ?? "overview");
  const [range, setRange] = useState<Range | null>(null);
  const close = useRef<HTMLButtonElement>(null);
  const market = session.caps.can("market", "quote");
  const quoted = tab === "overview" || tab === "depth";

  const ask = () => void session.quote.load({ tool: "market", arguments: { mode: "quote", instruments: [selection.id] } }, selection.id);
  useEffect(() => close.current?.focus(), []);
  useEffect(() => {
    const whole = selection.from === "quote" && isObj(selection.row["depth"]);
    if (quoted && !whole && market && session.quote.state.value.kind === "idle") ask();
  }, [selection.id, quoted]);

  const quote = useQuote(selection);
  const contract = session.detail.loaded.value ? rows(session.detail.loaded.value.data["data"])[0] : undefined;
  const { exchange, symbol } = partsOf(selection.id);
  const company = str(contract?.["name"]) || str(selection.row["company_name"]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) session.select(null);
  };
  return (
    <aside class="inspector" aria-label={"Instrument " + selection.id} onKeyDown={onKeyDown}>
      <div class="inspector-head">
        <button type="button" ref={close} onClick={() => session.select(null)}>
          {wide ? "Close" : "Back to list"}
        </button>
        <div>
          <h2>
            {symbol} <small>{exchange}</small>
          </h2>
          {company !== "" && <p class="note">{company}</p>}
        </div>
      </div>
      <Tabs label="About the instrument" tabs={first ? [first, ...tabs] : tabs} active={tab} onChoose={setTab}>
        {tab === "order" && <OrderTab selection={selection} />}
        {tab === "trigger" && <TriggerTab selection={selection} />}
        {tab === "overview" && <Overview selection={selection} quote={quote} />}
        {tab === "depth" && <Depth quote={quote} />}
        {tab === "chart" && <ChartTab selection={selection} range={range} onRange={setRange} />}
        {tab === "details" && <Details selection={selection} />}
        {quoted && (
          <>
            <PanelStatus panel={session.quote} what="quote" />
            {market ? (
              <button type="button" class="quiet" onClick={ask}>
                Refresh quote
              </button>
            ) : (
              <p class="note">{session.caps.why("market", "quote")}</p>
            )}
          </>
        )}
      </Tabs>
    </aside>
  );
}

/** The newest quote of this instrument, and of no other. */
function useQuote(selection: Selection): Quote | null {
  const { session } = useShared();
  const loaded = session.quote.loaded.value;
  const found = loaded && readQuotes(loaded.data).find((q) => q.id === selection.id);
  if (found) return found;
  return selection.from === "quote" ? readQuote(selection.id, obj(selection.row)) : null;
}
