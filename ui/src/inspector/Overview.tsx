// What the row says, and what the quote adds.
import type { Selection } from "../bridge/session.ts";
import { num, str, type Obj } from "../contract/json.ts";
import { absent, count, moment, money, price, timeOf } from "../model/format.ts";
import { readHoldings } from "../model/holdings.ts";
import { direction, readPositions } from "../model/positions.ts";
import type { Quote } from "../model/quotes.ts";
import { Facts, type Fact } from "../widgets/Facts.tsx";
import { Gain, GainAndPercent } from "../widgets/Money.tsx";

function portfolioFacts({ from, row }: Selection): readonly Fact[] {
  const [h] = from === "holdings" ? readHoldings({ data: [row] }) : [];
  if (h) {
    return [
      ["Settled quantity", count(h.settled)],
      ["T1 quantity", count(h.t1)],
      ["Average price", price(h.average)],
      ["Invested", money(h.invested)],
      ["Current value", money(h.current)],
      ["P&L", <Gain amount={h.pnl} />],
    ];
  }
  const [p] = from === "positions" ? readPositions({ data: [row] }, str(row["position_view"])) : [];
  if (!p) return [];
  return [
    ["View", p.view === "net" ? "Net exposure" : "Today’s activity"],
    ["Product", p.product],
    ["Direction", direction(p)],
    ["Quantity", count(p.quantity)],
    ["Average price", price(p.average)],
    ["Realised P&L", <Gain amount={p.realised} />],
    ["Unrealised P&L", <Gain amount={p.unrealised} />],
    ["P&L", <Gain amount={p.pnl} />],
  ];
}

/** What the row says of the instrument; what it does not say is left out. */
function contractFacts(row: Obj): readonly Fact[] {
  const facts: readonly Fact[] = [
    ["Name", str(row["name"])],
    ["Type", str(row["instrument_type"])],
    ["ISIN", str(row["isin"])],
    ["Expiry", moment(str(row["expiry"]))],
    ["Strike", price(num(row["strike"]))],
    ["Lot size", count(num(row["lot_size"]))],
    ["Tick size", price(num(row["tick_size"]))],
  ];
  return facts.filter(([, value]) => value !== "" && value !== absent);
}

export function Overview({ selection, quote }: { selection: Selection; quote: Quote | null }) {
  const own = portfolioFacts(selection);
  const contract = selection.from === "search" ? contractFacts(selection.row) : [];
  return (
    <>
      {quote && (
        <p class="last-price">
          <strong>{price(quote.last)}</strong> <GainAndPercent amount={quote.change} value={quote.changePercent} />
        </p>
      )}
      <div class="overview">
        {quote && <QuoteFacts quote={quote} />}
        {contract.length > 0 && <Facts title="Instrument" facts={contract} note="From the instruments list of the day." />}
        {own.length > 0 && <Facts title="In the portfolio" facts={own} note={`From the portfolio snapshot received ${timeOf(selection.receivedAt)}.`} />}
      </div>
    </>
  );
}

const between = (low: number | null, high: number | null): string => (low === null && high === null ? price(null) : `${price(low)} to ${price(high)}`);

function QuoteFacts({ quote }: { quote: Quote }) {
  const facts: Fact[] = [
    ["Open", price(quote.open)],
    ["Day’s range", between(quote.low, quote.high)],
    ["Previous close", price(quote.close)],
    ["Volume", count(quote.volume)],
    ["Circuit limits", between(quote.lowerCircuit, quote.upperCircuit)],
  ];
  if (quote.oi !== null && quote.oi !== 0) facts.push(["Open interest", count(quote.oi)]);
  return <Facts title="Quote" facts={facts} note={quote.timestamp === "" ? "" : `Quote of ${moment(quote.timestamp)} IST`} />;
}
