// What the row says, and what the quote adds.
import type { Selection } from "../bridge/session.ts";
import { num, str, type Obj } from "../contract/json.ts";
import { absent, count, money, price, timeOf } from "../model/format.ts";
import { readHoldings } from "../model/holdings.ts";
import { direction, readPositions } from "../model/positions.ts";
import type { Quote } from "../model/quotes.ts";
import { Facts, type Fact } from "../widgets/Facts.tsx";
import { Gain, Percent } from "../widgets/Money.tsx";

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
    ["Expiry", str(row["expiry"])],
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
      {quote && <QuoteFacts quote={quote} />}
      {contract.length > 0 && <Facts title="Instrument" facts={contract} note="From the instruments list of the day." />}
      {own.length > 0 && <Facts title="In the portfolio" facts={own} note={`From the portfolio snapshot received ${timeOf(selection.receivedAt)}.`} />}
    </>
  );
}

function QuoteFacts({ quote }: { quote: Quote }) {
  const range = num(quote.low) === null && num(quote.high) === null ? price(null) : `${price(quote.low)} to ${price(quote.high)}`;
  const facts: Fact[] = [
    ["Open", price(quote.open)],
    ["Day’s range", range],
    ["Previous close", price(quote.close)],
    ["Volume", count(quote.volume)],
    ["Circuit limits", quote.lowerCircuit === null && quote.upperCircuit === null ? price(null) : `${price(quote.lowerCircuit)} to ${price(quote.upperCircuit)}`],
  ];
  if (quote.oi !== null && quote.oi !== 0) facts.push(["Open interest", count(quote.oi)]);
  return (
    <section class="quote-facts">
      <p class="last-price">
        <strong>{price(quote.last)}</strong> <Gain amount={quote.change} /> <Percent value={quote.changePercent} />
      </p>
      <Facts title="Quote" facts={facts} />
      {quote.timestamp !== "" && <p class="note">Quote of {quote.timestamp} IST</p>}
    </section>
  );
}
