// Amounts with a direction: sign and arrow say it, colour repeats it.
import { percent, signedMoney, signedPercent, trend } from "../model/format.ts";

export const Gain = ({ amount, unit = "" }: { amount: number | null; unit?: "₹" | "" }) => <span class={trend(amount)}>{signedMoney(amount, unit)}</span>;

export const Percent = ({ value }: { value: number | null }) => <span class={trend(value)}>{signedPercent(value)}</span>;

/** An amount and what it is in percent: one figure, so the arrow is there once. */
export const GainAndPercent = ({ amount, value }: { amount: number | null; value: number | null }) => (
  <span class={trend(amount)}>
    {signedMoney(amount)}
    {value !== null && ` (${percent(value)})`}
  </span>
);
