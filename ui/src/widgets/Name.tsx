// The name of an instrument. The end of a long one tells a call from a put, and
// one strike from the next: where room is short, its middle is left out.
import { absent } from "../model/format.ts";

/** A strike of five digits, and CE or PE. */
const tail = 7;
/** What is shorter has room; what is longer still is no symbol. */
const cuttable = /^[!-~]{15,60}$/;

/** Two parts of one word would be read as two words: the whole is there besides. */
export const Symbol = ({ text }: { text: string }) =>
  cuttable.test(text) ? (
    <strong class="symbol" title={text}>
      <span class="unseen">{text}</span>
      <span class="cut" aria-hidden="true">
        <span>{text.slice(0, -tail)}</span>
        {text.slice(-tail)}
      </span>
    </strong>
  ) : (
    <strong class="symbol">{text || absent}</strong>
  );

export const Name = ({ symbol, exchange }: { symbol: string; exchange: string }) => (
  <span class="instrument">
    <Symbol text={symbol} /> <small>{exchange}</small>
  </span>
);
