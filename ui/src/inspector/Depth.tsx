// The best bids and offers.
import { num } from "../contract/json.ts";
import { count, price } from "../model/format.ts";
import { readDepth, type Level, type Quote } from "../model/quotes.ts";

export function Depth({ quote }: { quote: Quote | null }) {
  if (!quote) return null;
  const sides = [
    ["Bids", readDepth(quote.row, "buy"), num(quote.row["buy_quantity"])],
    ["Offers", readDepth(quote.row, "sell"), num(quote.row["sell_quantity"])],
  ] as const;
  return (
    <div class="depth">
      {sides.map(([title, levels, total]) => (
        <Side key={title} title={title} levels={levels} total={total} />
      ))}
    </div>
  );
}

/** What part of the largest quantity of its side a level has. */
const share = (l: Level, all: readonly Level[]): string => `${String(Math.round((100 * (l.quantity ?? 0)) / Math.max(1, ...all.map((o) => o.quantity ?? 0))))}%`;

function Side({ title, levels, total }: { title: string; levels: readonly Level[]; total: number | null }) {
  return (
    <section class={title.toLowerCase()}>
      <h3>{title}</h3>
      {levels.length === 0 ? (
        <p class="empty">None.</p>
      ) : (
        <table class="levels">
          <thead>
            <tr>
              <th scope="col" class="number">
                Price
              </th>
              <th scope="col" class="number">
                Quantity
              </th>
              <th scope="col" class="number">
                Orders
              </th>
            </tr>
          </thead>
          <tbody>
            {levels.map((l, i) => (
              <tr key={i}>
                <td class="number">{price(l.price)}</td>
                <td class="number level-share" style={{ "--share": share(l, levels) }}>
                  {count(l.quantity)}
                </td>
                <td class="number">{count(l.orders)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {total !== null && <p class="note">{count(total)} in all</p>}
    </section>
  );
}
