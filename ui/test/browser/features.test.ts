// What only some hosts offer, used when they announce it.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles, type Profile } from "../host/profiles.ts";
import { server } from "./script.ts";
import { launch, Stage, type Json } from "./stage.ts";

let browser: Browser;
let stage: Stage;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
afterEach(() => stage.close());

describe("links of the host", () => {
  const snapshot = f.result("portfolio", f.holdingsArgs(), f.holdings(10)["structuredContent"] as Json, { tool: "kite_explorer", arguments: {} });
  const heading = () => stage.view.locator("h1").innerText();
  const mains = () => stage.calls.filter((c) => c.args["type"] !== "summary").map((c) => [c.tool, c.args["mode"]]);
  const linkTo = (url: unknown) => stage.page.evaluate((to) => window.host.context({ "openai/deepLink": to === null ? null : { url: to } }), url);
  const open = async (profile: Profile, url: unknown) => {
    stage = await Stage.open(browser, { ...profile, extraContext: { ...profile.extraContext, "openai/deepLink": { url } } }, { answer: server() });
  };

  it("L-2, L-3 open their view in place of the launcher's, and a changed one opens the next", async () => {
    await open(profiles.chatgpt, "/positions");
    await stage.deliver({}, snapshot);
    await expect.poll(heading).toBe("Positions");
    await linkTo("/funds");
    await expect.poll(heading).toBe("Funds");
    await linkTo("/funds");
    await linkTo(null);
    await linkTo("/holdings");
    await expect.poll(heading).toBe("Holdings");
    expect(mains()).toEqual([["portfolio", "positions"], ["portfolio", "margins"], ["portfolio", "holdings"]]);
  });

  it("X-3, X-8 that name no view of the app change nothing and call nothing", async () => {
    await open(profiles.chatgpt, "https://evil.test/positions");
    await stage.deliver({}, snapshot);
    await stage.shows("RELIANCE");
    for (const url of ["/orders", "/option-chain?underlying=NIFTY", "//positions", "/positions?mode=exit", "javascript:alert(1)", "/<img src=x>", "/funds#x", "", 7, ["/funds"], { url: "/funds" }]) await linkTo(url);
    expect(await heading()).toBe("Holdings");
    await linkTo("/positions"); // messages keep their order: the others have been read
    await expect.poll(heading).toBe("Positions");
    expect(mains()).toEqual([["portfolio", "positions"]]);
  });

  it("R-3 are not followed in a host that passes no calls on", async () => {
    await open(profiles.noServerTools, "/positions");
    await stage.deliver({}, snapshot);
    await stage.shows("RELIANCE");
    await stage.page.evaluate(() => window.host.context({ theme: "dark", "openai/deepLink": { url: "/funds" } }));
    await stage.view.locator("html[data-theme=dark]").waitFor();
    expect([await heading(), (await stage.messages()).filter((m) => m === "tools/call")]).toEqual(["Holdings", []]);
  });
});
