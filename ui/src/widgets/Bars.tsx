// Gains to the right and losses to the left of one line.
import { signedMoney, trend } from "../model/format.ts";
import { Symbol } from "./Name.tsx";

export interface BarRow {
  readonly key: string;
  readonly name: string;
  readonly detail: string;
  readonly amount: number;
}

export function Bars({ label, bars }: { label: string; bars: readonly BarRow[] }) {
  const most = Math.max(...bars.map((b) => Math.abs(b.amount)), 0) || 1;
  return (
    <ul class="bars" aria-label={label}>
      {bars.map((b) => {
        const share = (Math.abs(b.amount) / most) * 50;
        return (
          <li key={b.key}>
            <span class="bar-name">
              <Symbol text={b.name} /> <small>{b.detail}</small>
            </span>
            <span class="bar-track" aria-hidden="true">
              <span class={"bar " + trend(b.amount)} style={{ width: `${String(share)}%`, left: `${String(b.amount < 0 ? 50 - share : 50)}%` }} />
            </span>
            <span class={"bar-amount " + trend(b.amount)}>{signedMoney(b.amount)}</span>
          </li>
        );
      })}
    </ul>
  );
}
