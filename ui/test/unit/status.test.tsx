// What a panel says while it waits, with the clock in the test's hands.
import { render } from "preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { Calls } from "../../src/bridge/calls.ts";
import { Capabilities } from "../../src/bridge/caps.ts";
import type { HostContext } from "../../src/bridge/context.ts";
import type { Features } from "../../src/bridge/features.ts";
import { QuoteQueue } from "../../src/bridge/queue.ts";
import { Session } from "../../src/bridge/session.ts";
import { SharedContext } from "../../src/views/context.ts";
import { PanelStatus } from "../../src/widgets/Status.tsx";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("Q-7 a wait of more than a second for the quote limit is explained, with who else shares it", async () => {
  const now = () => performance.now();
  const caps = new Capabilities();
  caps.announced(true);
  const session = new Session(new Calls(() => new Promise(() => {}), new QuoteQueue(1100, now), caps, now, "t"), caps, now);
  const root = document.createElement("div");
  render(
    <SharedContext.Provider value={{ session, context: {} as HostContext, features: {} as Features }}>
      <PanelStatus panel={session.quote} what="quote" />
    </SharedContext.Provider>,
    root,
  );
  const request = { tool: "market", arguments: { mode: "quote", instruments: ["NSE:INFY"] } };
  void session.prices.load(request, "a");
  void session.quote.load(request, "b");
  await vi.advanceTimersByTimeAsync(950);
  expect(root.textContent).toBe("Loading…");
  await vi.advanceTimersByTimeAsync(100);
  expect(root.textContent).toBe("Waiting to respect the quote limit. Other programs of yours share it.");
  await vi.advanceTimersByTimeAsync(100);
  expect(root.textContent).toBe("Loading quote…");
  session.close();
  render(null, root);
  await vi.advanceTimersByTimeAsync(100); // effects of the removal
  expect(vi.getTimerCount()).toBe(0);
});
