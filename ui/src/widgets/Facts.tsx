// Named values under a heading.
import type { ComponentChildren } from "preact";

export type Fact = readonly [string, ComponentChildren];

export const Facts = ({ title, facts, note }: { title: string; facts: readonly Fact[]; note?: string }) => (
  <section>
    <h3>{title}</h3>
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    {note && <p class="note">{note}</p>}
  </section>
);
