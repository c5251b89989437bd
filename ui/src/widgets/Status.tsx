// What a panel waits for, or why it has nothing.
import { useEffect, useState } from "preact/hooks";

import type { Panel } from "../bridge/panel.ts";
import type { Failure } from "../contract/result.ts";
import { timeOf } from "../model/format.ts";
import { useShared } from "../views/context.ts";

const advice: Readonly<Record<string, string>> = {
  session_expired: "Log in again in the chat, then retry.",
  not_authenticated: "Log in in the chat, then retry.",
  rate_limited: "Kite limits how often data can be asked for. Wait a little, then retry.",
};

export function FailureNote({ failure, onRetry }: { failure: Failure; onRetry: (() => void) | null }) {
  const hint = advice[failure.code] ?? failure.hint;
  return (
    <div class="notice failed">
      <p class="said">{failure.message}</p>
      {hint !== "" && !failure.message.includes(hint) && <p>{hint}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Retry
        </button>
      )}
    </div>
  );
}

/** Says that the quote limit is being waited for, once that takes a second. */
function Queued() {
  const [long, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 1000);
    return () => clearTimeout(timer);
  }, []);
  return <p class="note busy">{long ? "Waiting to respect the quote limit. Other programs of yours share it." : "Loading…"}</p>;
}

export function PanelStatus({ panel, what }: { panel: Panel; what: string }) {
  const { session } = useShared();
  const state = panel.state.value;
  const loaded = panel.loaded.value;
  return (
    <>
      {state.kind === "queued" && <Queued />}
      {state.kind === "loading" && <p class="note busy">Loading {what}…</p>}
      {state.kind === "failed" && <FailureNote failure={state.failure} onRetry={panel.asked && session.caps.can(panel.asked.tool, panel.asked.arguments["mode"]) ? () => panel.retry() : null} />}
      {loaded && (
        <p class="note">
          {what[0]?.toUpperCase() + what.slice(1)} received {timeOf(loaded.receivedAt)}
          {state.kind === "failed" ? ", not renewed" : ""}
        </p>
      )}
    </>
  );
}
