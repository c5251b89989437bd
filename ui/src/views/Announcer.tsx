// One polite region tells what was loaded or failed, once each.
import { useSignalEffect } from "@preact/signals";
import { useState } from "preact/hooks";

import type { Chain } from "../bridge/chain.ts";
import type { Panel } from "../bridge/panel.ts";
import type { Session } from "../bridge/session.ts";
import { at, num } from "../contract/json.ts";
import { titleOf } from "../bridge/views.ts";
import { useShared } from "./context.ts";

export function Announcer() {
  const { session, features } = useShared();
  const [said, say] = useState("");
  useSignalEffect(() => {
    if (features.note.value !== "") say(features.note.value);
  });
  useSignalEffect(() => {
    const text = ofMain(session);
    if (text !== "") say(text);
  });
  return (
    <p class="unseen" role="status" aria-live="polite">
      {said}
      <OfPanel panel={session.summary} what="Account totals" say={say} />
      <OfPanel panel={session.prices} what="Latest prices" say={say} />
      <OfPanel panel={session.quote} what="Quote" say={say} />
      <OfPanel panel={session.history} what="Candles" say={say} />
      <OfPanel panel={session.detail} what="Contract details" say={say} />
      <OfPanel panel={session.order} what="Status history" say={say} />
      <OfPanel panel={session.fills} what="Fills" say={say} />
      <OfChain chain={session.chain} say={say} />
    </p>
  );
}

function ofMain(session: Session): string {
  if (session.pending.value) return "Loading";
  const trouble = session.trouble.value;
  if (trouble) return "Failed: " + brief(trouble.failure.message);
  if (session.cancelled.value) return "The request was cancelled";
  const main = session.main.value;
  if (!main) return "";
  const rows = num(at(main.data, "pagination", "returned"));
  const title = main.kind === "other" ? "Data" : titleOf(main.kind);
  return title + " loaded" + (rows === null ? "" : `, ${String(rows)} ${rows === 1 ? "row" : "rows"}`);
}

const brief = (text: string): string => text.slice(0, 200);

function OfChain({ chain, say }: { chain: Chain; say: (text: string) => void }) {
  useSignalEffect(() => {
    const state = chain.state.value;
    if (state.kind === "done") say(`Chain loaded, ${String(chain.strikes.peek().length)} strikes`);
    if (state.kind === "failed") say("Chain failed: " + brief(state.failure.message));
  });
  return null;
}

function OfPanel({ panel, what, say }: { panel: Panel; what: string; say: (text: string) => void }) {
  useSignalEffect(() => {
    const state = panel.state.value;
    if (state.kind === "done") say(what + " loaded");
    if (state.kind === "failed") say(what + " failed: " + brief(state.failure.message));
  });
  return null;
}
