// The frame around every view: its head, notices, the list and the inspector.
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { version } from "../bridge/connect.ts";
import type { Kind } from "../bridge/correlate.ts";
import { isChain, type Main } from "../bridge/session.ts";
import { openings, titleOf, type ViewName } from "../bridge/views.ts";
import { at, str } from "../contract/json.ts";
import { readPage } from "../contract/result.ts";
import { Inspector } from "../inspector/Inspector.tsx";
import { timeOf } from "../model/format.ts";
import { Collapsible } from "../widgets/Collapsible.tsx";
import { Pager } from "../widgets/Pager.tsx";
import { Source } from "../widgets/Source.tsx";
import { FailureNote } from "../widgets/Status.tsx";
import { Announcer } from "./Announcer.tsx";
import { SharedContext, splitWidth, useShared, useWidth, type Shared } from "./context.ts";
import { Chain } from "./Chain.tsx";
import { Build, Footer } from "./Footer.tsx";
import { Funds } from "./Funds.tsx";
import { History } from "./History.tsx";
import { Gtt } from "./Gtt.tsx";
import { Holdings } from "./Holdings.tsx";
import { Orders } from "./Orders.tsx";
import { Other } from "./Other.tsx";
import { Positions } from "./Positions.tsx";
import { QuoteList } from "./Quote.tsx";
import { Search } from "./Search.tsx";
import { Waiting } from "./Waiting.tsx";

/** Typed by the list of views: one without its component does not compile. */
const components: Readonly<Record<ViewName, ComponentType<{ main: Main }>>> = {
  holdings: Holdings,
  positions: Positions,
  funds: Funds,
  quote: QuoteList,
  historical: History,
  orders: Orders,
  gtt: Gtt,
  option_chain: Chain,
  search: Search,
};

export function Shell(shared: Shared) {
  return (
    <SharedContext.Provider value={shared}>
      <main class="shell">
        <Body />
        <Announcer />
      </main>
    </SharedContext.Provider>
  );
}

function Body() {
  const { session } = useShared();
  const main = session.main.value;
  if (main === null) return <Waiting />;
  return (
    <>
      <Head main={main} />
      <Notices main={main} />
      <Split main={main} key={session.generation.value} />
    </>
  );
}

function Head({ main }: { main: Main }) {
  const { session } = useShared();
  const busy = session.pending.value !== null;
  const demo = at(main.data, "demo") === true;
  const fetched = str(at(main.data, "meta", "fetched_at"));
  const why = main.blank ? "Nothing has been asked for yet." : main.request === null ? "It is not known which request gave this result, so it cannot be repeated." : session.caps.why(main.request.tool);
  return (
    <header class="head">
      <div class="head-title">
        <h1>{main.kind === "other" ? "Data from Kite" : titleOf(main.kind)}</h1>
        {demo && <span class="badge">DEMO, invented data</span>}
        {!main.blank && (
          <span class="note" title={fetched === "" ? undefined : "The server read it at " + fetched}>
            Received {timeOf(main.receivedAt)}
          </span>
        )}
      </div>
      <div class="head-actions">
        <Openings current={main.kind} />
        <button type="button" class="primary" disabled={why !== ""} title={why || undefined} onClick={() => session.refresh()}>
          {busy ? "Loading…" : "Refresh"}
        </button>
      </div>
    </header>
  );
}

function Openings({ current }: { current: Kind }) {
  const { session } = useShared();
  const offered = openings.filter((o) => session.caps.offers(o));
  if (offered.length === 0) return null;
  return (
    <nav class="openings" aria-label="Views">
      {offered.map((o) => (
        <button key={o.name} type="button" aria-current={o.name === current ? "page" : undefined} onClick={() => session.open(o)}>
          {o.title}
        </button>
      ))}
    </nav>
  );
}

function Notices({ main }: { main: Main }) {
  const { session } = useShared();
  const trouble = session.trouble.value;
  const partly = main.request === null ? "" : session.caps.why("market");
  const none = session.caps.calls.value ? "" : session.caps.why("portfolio");
  return (
    <>
      {none !== "" && <p class="notice">{none}</p>}
      {none === "" && main.request === null && !main.blank && <p class="notice">It is not known which request gave this result, so it cannot be refreshed.</p>}
      {none === "" && partly !== "" && <p class="notice">{partly} Quotes and charts are left out.</p>}
      {main.superseded && <p class="notice">A newer request is on its way; this is the result of an earlier one.</p>}
      {trouble && (
        <>
          <FailureNote failure={trouble.failure} onRetry={trouble.request && session.caps.can(trouble.request.tool) ? () => session.retry() : null} />
          {!main.blank && <p class="note">Below is the earlier result, received {timeOf(main.receivedAt)}.</p>}
        </>
      )}
    </>
  );
}

/** The list, and the inspector beside it or, on narrow screens, in its place. */
function Split({ main }: { main: Main }) {
  const { session } = useShared();
  const wide = useWidth(splitWidth);
  const selection = session.selection.value;
  const list = useRef<HTMLDivElement>(null);
  const opened = useRef<string | null>(null);
  useEffect(() => {
    const closed = opened.current;
    opened.current = selection?.rowKey ?? null;
    if (selection !== null || closed === null) return;
    const row = [...(list.current?.querySelectorAll<HTMLElement>(".row-button") ?? [])].find((e) => e.dataset["key"] === closed);
    (row ?? list.current)?.focus();
  }, [selection]);
  const page = readPage(main.data);
  const behind = selection !== null && !wide;
  const View = main.kind === "other" ? Other : components[main.kind];
  return (
    <div class={selection ? (wide ? "split wide" : "split narrow") : "split"}>
      <div class={behind ? "list behind" : "list"} ref={list} tabIndex={-1} aria-busy={session.pending.value !== null}>
        <View main={main} />
        {page && !isChain(main) && (page.total > page.limit || page.from > 0 || page.returned < page.total) && (
          <Pager page={page} enabled={main.request !== null && session.caps.can(main.request.tool)} onTurn={(from) => session.turn(from)} />
        )}
        {main.kind !== "other" && !main.blank && (
          <Collapsible title="Source data">
            <Source value={main.data} />
            <Build version={version} />
          </Collapsible>
        )}
        <Footer main={main} />
      </div>
      {selection && <Inspector key={selection.rowKey} selection={selection} wide={wide} />}
    </div>
  );
}
