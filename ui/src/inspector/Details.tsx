// Every field of the sources, unmodified.
import type { Selection } from "../bridge/session.ts";
import { rows } from "../contract/json.ts";
import { useShared } from "../views/context.ts";
import { Collapsible } from "../widgets/Collapsible.tsx";
import { Source } from "../widgets/Source.tsx";
import { PanelStatus } from "../widgets/Status.tsx";

/** A row of a full search has all there is. */
const isFull = ({ from, row }: Selection): boolean => from === "search" && row["exchange_token"] !== undefined;

export function Details({ selection }: { selection: Selection }) {
  const { session } = useShared();
  const quote = session.quote.loaded.value;
  const detail = session.detail.loaded.value;
  const contract = detail ? rows(detail.data["data"])[0] : undefined;
  const load = () =>
    void session.detail.load(
      { tool: "market", arguments: { mode: "search", search_mode: "get_by_inst_token", inst_token: selection.token, verbosity: "full" } },
      selection.id,
    );
  return (
    <>
      <Collapsible title="Fields of the row" open>
        <Source value={selection.row} />
      </Collapsible>
      {quote && (
        <Collapsible title="Fields of the quote">
          <Source value={quote.data["data"]} />
        </Collapsible>
      )}
      {contract && (
        <Collapsible title="Fields of the contract" open>
          <Source value={contract} />
        </Collapsible>
      )}
      <PanelStatus panel={session.detail} what="contract details" />
      {!contract && selection.token !== null && !isFull(selection) && (
        <button type="button" class="quiet" disabled={!session.caps.can("market", "search")} onClick={load}>
          Load contract details
        </button>
      )}
    </>
  );
}
