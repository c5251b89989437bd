// What holds in every host, good or bad.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles, type Profile } from "../host/profiles.ts";
import { server } from "./script.ts";
import { launch, Stage, until } from "./stage.ts";

const args = f.holdingsArgs(0, 10);
const first = f.holdings(10, 0, 10, 25);

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

/** A launcher is called with nothing; the server says what it read instead. */
const asLaunched = (p: Profile) => p.toolName === "kite_explorer";
const delivered = (p: Profile) => (asLaunched(p) ? f.result("portfolio", args, first["structuredContent"] as Record<string, unknown>, { tool: "kite_explorer", arguments: {} }) : first);

describe.each(Object.values(profiles) as Profile[])("in the host $name", (profile) => {
  let stage: Stage;
  const calls = () => stage.callsOf("portfolio", "full");
  const passes = profile.serverTools && profile.passesCalls;
  // What a host cannot show has no test in it, rather than a skipped one.
  const none = () => undefined;
  const itWhenPassing: (title: string, test: () => Promise<void>) => void = passes ? it : none;
  const itWhenClosed: (title: string, test: () => Promise<void>) => void = passes ? none : it;

  beforeAll(async () => {
    const input = asLaunched(profile) ? {} : args;
    const early = profile.hasty ? [{ input }, { result: delivered(profile) }] : undefined;
    stage = await Stage.open(browser, profile, { answer: server({ holdings: 25 }), ...(early ? { early } : {}) });
    if (!early) await stage.deliver(input, delivered(profile));
    await stage.shows("RELIANCE");
  });
  afterAll(() => stage.close());

  it("B-1 the handshake comes first, and nothing is called before it", async () => {
    const sent = await stage.messages();
    expect(sent.slice(0, 2)).toEqual(["ui/initialize", "ui/notifications/initialized"]);
    expect(sent.indexOf("tools/call") === -1 || sent.indexOf("tools/call") > 1).toBe(true);
  });

  it("B-2, B-17 the result is on the screen without a call for it, whatever the host lost of it", async () => {
    await expect.poll(async () => stage.view.locator("h1").innerText()).toBe("Holdings");
    await expect.poll(async () => stage.view.getByRole("row").count()).toBe(11);
    expect(calls()).toEqual([]);
  });

  itWhenPassing("H-1, B-12 the summary comes by itself, once, with a receipt time of its own", async () => {
    await stage.shows(/^Whole account.*Received \d\d:\d\d:\d\d IST/);
    expect(stage.callsOf("portfolio", "summary")).toHaveLength(1);
    await expect.poll(async () => stage.view.locator(".head").innerText()).toMatch(/Received \d\d:\d\d:\d\d IST/);
  });

  it("B-13 once it is idle no timer is left that could do anything", async () => {
    await stage.idle();
    const before = [stage.calls.length, (await stage.messages()).length];
    await stage.idle();
    expect([stage.calls.length, (await stage.messages()).length]).toEqual(before);
  });

  itWhenPassing("B-4, B-5, L-3 Refresh repeats the source request, and one summary is asked for", async () => {
    const summaries = stage.callsOf("portfolio", "summary").length;
    await stage.view.getByRole("button", { name: "Refresh", exact: true }).click();
    await until(() => calls().length === 1 && stage.callsOf("portfolio", "summary").length === summaries + 1);
    const { _app_request_id: id, ...asked } = calls()[0]!.args;
    expect([asked, typeof id]).toEqual([asLaunched(profile) && profile.dropsMeta ? f.holdingsArgs() : args, "string"]);
    expect(stage.calls.some((c) => c.tool === "kite_explorer")).toBe(false);
    await stage.shows(/^Whole account.*Received/);
  });

  itWhenPassing("B-7, Q-5 Next and Previous change only where the page starts, and an echo changes nothing", async () => {
    const pages = stage.view.getByRole("navigation", { name: "Pages" });
    const before = calls().length;
    const turn = async (name: string, shown: string) => {
      await stage.idle(); // what is still being drawn may move the button from under the click
      await pages.getByRole("button", { name }).click();
      await pages.getByText(shown).waitFor();
    };
    await expect.poll(async () => pages.getByRole("button", { name: "Previous" }).isDisabled()).toBe(true);
    await turn("Next", "11 to 20 of 25");
    await turn("Next", "21 to 25 of 25");
    await expect.poll(async () => pages.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
    await turn("Previous", "11 to 20 of 25");
    const asked = calls().slice(before).map(({ args: { _app_request_id: _, ...rest } }) => rest);
    expect(asked).toEqual([10, 20, 10].map((from) => ({ ...args, from })));
    expect(new Set(stage.calls.map((c) => c.args["_app_request_id"])).size).toBe(stage.calls.length);
  });

  itWhenClosed("R-1 the snapshot can be filtered, sorted and read", async () => {
    await stage.view.getByLabel("Filter this page").fill("infy");
    await stage.view.getByText(/Shown rows: 1 of 10/).waitFor();
    await stage.view.getByLabel("Filter this page").fill("");
    await stage.view.getByRole("button", { name: "Last", exact: true }).click();
    await expect.poll(async () => stage.view.locator("th[aria-sort=descending]").innerText()).toContain("Last");
    await stage.view.getByText("Allocation of the shown rows").click();
    await stage.view.locator(".tile").first().waitFor();
    await stage.view.getByRole("button", { name: /^ITC/ }).click();
    await stage.view.getByRole("tab", { name: "Details" }).click();
    await stage.view.getByText("day_change_percentage").waitFor();
    await stage.view.getByRole("button", { name: "Back to list" }).click();
  });

  itWhenClosed("R-2, R-4 what needs a call is disabled, with one explanation that can be seen", async () => {
    await stage.view.locator(".notice").first().waitFor();
    await expect.poll(async () => stage.view.locator(".shell > .notice").allInnerTexts()).toEqual([expect.stringContaining("does not let the view ask for more data")]);
    for (const name of ["Refresh", "Refresh prices"]) await expect.poll(async () => stage.view.getByRole("button", { name, exact: true }).isDisabled()).toBe(true);
    for (const name of ["Next", "Previous"]) await expect.poll(async () => stage.view.getByRole("button", { name }).isDisabled()).toBe(true);
    await expect.poll(async () => stage.view.getByRole("button", { name: "Positions", exact: true }).count()).toBe(0);
  });

  itWhenClosed("R-3 no call is attempted after that, and only shown rows are summed", async () => {
    await expect.poll(async () => stage.view.locator(".card .amount").allInnerTexts()).toEqual(["–", "–", "–", "–"]);
    await stage.view.getByText(/^Shown rows: 10, P&L/).waitFor();
    // A host that announces calls and passes none on is asked once, and answers by itself.
    expect((await stage.messages()).filter((m) => m === "tools/call")).toHaveLength(profile.serverTools ? 1 : 0);
    expect(stage.calls).toEqual([]);
  });
});
