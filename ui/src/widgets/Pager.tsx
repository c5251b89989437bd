// Previous and Next for results that come in pages.
import type { Page } from "../contract/result.ts";
import { count } from "../model/format.ts";

interface Props {
  readonly page: Page;
  readonly enabled: boolean;
  readonly onTurn: (from: number) => void;
}

export function Pager({ page, enabled, onTurn }: Props) {
  const { from, limit, total, returned } = page;
  const last = from + returned;
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={!enabled || from <= 0} onClick={() => onTurn(Math.max(0, from - limit))}>
        Previous
      </button>
      <span>{returned > 0 ? `${count(from + 1)} to ${count(last)} of ${count(total)}` : `0 of ${count(total)}`}</span>
      <button type="button" disabled={!enabled || last >= total || returned === 0} onClick={() => onTurn(last)}>
        Next
      </button>
    </nav>
  );
}
