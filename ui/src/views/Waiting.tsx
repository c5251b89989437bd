// Before there is anything to show.
import { openings } from "../bridge/views.ts";
import { FailureNote } from "../widgets/Status.tsx";
import { useShared } from "./context.ts";

export function Waiting() {
  const { session } = useShared();
  const trouble = session.trouble.value;
  const retryable = session.retryable.value;
  const canRetry = retryable !== null && session.caps.can(retryable.tool);
  const offered = openings.filter((o) => session.caps.offers(o));
  if (trouble) return <FailureNote failure={trouble.failure} onRetry={canRetry ? () => session.retry() : null} />;
  if (session.cancelled.value) {
    return (
      <div class="notice">
        <p>The request was cancelled before it gave a result.</p>
        {canRetry && (
          <button type="button" onClick={() => session.retry()}>
            Retry
          </button>
        )}
      </div>
    );
  }
  if (session.waitedLong.value && session.pending.value === null) {
    return (
      <div class="notice">
        <p>This chat app has not delivered any data.</p>
        {offered.length > 0 ? (
          <div class="choices">
            {offered.map((o) => (
              <button key={o.name} type="button" onClick={() => session.open(o)}>
                Open {o.title.toLowerCase()}
              </button>
            ))}
          </div>
        ) : (
          <p>It does not let the view ask for data either. Ask in the chat, for example: show my holdings.</p>
        )}
      </div>
    );
  }
  return (
    <div class="skeleton" aria-busy="true">
      <p class="note busy">Waiting for data…</p>
      <div class="skeleton-row" />
      <div class="skeleton-row" />
      <div class="skeleton-row" />
    </div>
  );
}
