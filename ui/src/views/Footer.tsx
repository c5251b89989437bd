// What can be done with the list as a whole, where the host offers it.
import { useEffect } from "preact/hooks";

import type { Main } from "../bridge/session.ts";
import { titleOf } from "../bridge/views.ts";
import { at, str } from "../contract/json.ts";
import { readPage } from "../contract/result.ts";
import { csv, told, type Listing } from "../model/listing.ts";
import { isSecret } from "../widgets/Source.tsx";
import { useShared } from "./context.ts";

/** Tells the footer which rows are on the screen. */
export function useListing(rows: Listing["rows"], ...filters: readonly string[]): void {
  const { session } = useShared();
  const words = filters.filter(Boolean);
  useEffect(() => {
    const listing = (session.listing = { rows, filters: words });
    return () => {
      if (session.listing === listing) session.listing = null;
    };
  }, [rows, words.join("\n")]);
}

export function Footer({ main }: { main: Main }) {
  const { session, features } = useShared();
  // What was said of one result is not said of the next.
  useEffect(() => () => void (features.note.value = ""), [main]);
  if (main.kind === "other" || main.blank) return null;
  const view = main.kind;
  const tell = () => {
    const page = readPage(main.data);
    void features.tell(
      told({
        title: titleOf(view),
        page: page && page.returned > 0 ? `${String(page.from + 1)} to ${String(page.from + page.returned)} of ${String(page.total)}` : "",
        filters: session.listing?.filters ?? [],
        selected: session.selection.value?.id ?? null,
        asOf: str(at(main.data, "meta", "fetched_at")),
      }),
    );
  };
  const save = () => {
    if (session.listing) void features.save(`kite-${view}-${session.today()}.csv`, csv(session.listing, isSecret));
  };
  const tells = features.tells.value;
  const saves = features.saves.value && view !== "funds"; // whose two segments are no list
  if (!tells && !saves) return null;
  return (
    <footer class="toolbar">
      {tells && (
        <button type="button" class="quiet" onClick={tell}>
          Tell the chat what I am looking at
        </button>
      )}
      {saves && (
        <button type="button" class="quiet" onClick={save}>
          Save the shown rows as CSV
        </button>
      )}
      <span class="note raw">{features.note}</span>
    </footer>
  );
}

const digest = document.querySelector<HTMLMetaElement>("meta[name=digest]")?.content ?? "";

/** Which build this is: hosts may keep an older one than the server has. */
export const Build = ({ version }: { version: string }) => (
  <p class="note">
    Kite app {version}
    {/[1-9a-f]/.test(digest) && `, build ${digest}`}
  </p>
);
