// What money there is, by segment.
import { useMemo } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { num } from "../contract/json.ts";
import { money, rupees, words } from "../model/format.ts";
import { readFunds, type Segment } from "../model/funds.ts";
import { Collapsible } from "../widgets/Collapsible.tsx";

export function Funds({ main }: { main: Main }) {
  const segments = useMemo(() => readFunds(main.data), [main.data]);
  if (segments.length === 0) return <p class="empty">Kite sent no segments.</p>;
  return (
    <section aria-label="Funds" class="segments">
      {segments.map((s) => (
        <SegmentCard key={s.name} segment={s} />
      ))}
    </section>
  );
}

const plain = (v: unknown): string => (typeof v === "string" ? v : JSON.stringify(v) ?? "");

function SegmentCard({ segment }: { segment: Segment }) {
  const figures: readonly (readonly [string, number | null])[] = [
    ["Available margin", segment.available],
    ["Cash", segment.cash],
    ["Collateral", segment.collateral],
    ["Debits", segment.debits],
  ];
  return (
    <article class="segment" aria-label={segment.name}>
      <h2>{segment.name}</h2>
      {segment.enabled ? (
        <>
          <dl class="cards" style={{ "--longest": Math.max(10, ...figures.map(([, n]) => rupees(n).length)) }}>
            {figures.map(([title, n]) => (
              <div class="card" key={title}>
                <dt>{title}</dt>
                <dd>
                  <span class="amount">{rupees(n)}</span>
                </dd>
              </div>
            ))}
          </dl>
          <Collapsible title="Breakdown">
            {segment.parts.map((part) => (
              <section key={part.title}>
                <h3>{words(part.title)}</h3>
                <dl class="fields">
                  {part.fields.map(([name, value]) => (
                    <div key={name}>
                      <dt>{name}</dt>
                      <dd class="raw">{num(value) === null ? plain(value) : money(num(value))}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </Collapsible>
        </>
      ) : (
        <p class="empty">This segment is disabled for the account.</p>
      )}
    </article>
  );
}
