// Results without a view of their own: their fields, as they came.
import type { Main } from "../bridge/session.ts";
import { Source } from "../widgets/Source.tsx";

export function Other({ main }: { main: Main }) {
  return (
    <section aria-label="Fields of the result" class="source-view">
      <Source value={main.data} />
    </section>
  );
}
