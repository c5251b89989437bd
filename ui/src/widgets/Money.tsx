// Amounts with a direction: sign and arrow say it, colour repeats it.
import { percent, signedMoney, trend } from "../model/format.ts";

export const Gain = ({ amount }: { amount: number | null }) => <span class={trend(amount)}>{signedMoney(amount)}</span>;

export const Percent = ({ value }: { value: number | null }) => <span class={trend(value)}>{percent(value)}</span>;
