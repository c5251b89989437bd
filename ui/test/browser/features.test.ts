// What only some hosts offer, used when they announce it.
import { createHash } from "node:crypto";

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles, type Profile } from "../host/profiles.ts";
import { server } from "./script.ts";
import { appHtml, launch, Stage, type Json } from "./stage.ts";

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
    for (const url of ["/elsewhere", "/option-chain?strike=5", "//positions", "/positions?mode=exit", "javascript:alert(1)", "/<img src=x>", "/funds#x", "", 7, ["/funds"], { url: "/funds" }]) await linkTo(url);
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

describe("texts for the chat and files for the person", () => {
  const tell = () => stage.view.getByRole("button", { name: "Tell the chat what I am looking at" });
  const save = () => stage.view.getByRole("button", { name: "Save the shown rows as CSV" });
  const open = async (profile: Profile, width = 960) => {
    stage = await Stage.open(browser, profile, { answer: server(), width });
    await stage.deliver(f.holdingsArgs(), f.holdings(10));
    await stage.shows("RELIANCE");
  };
  const text = (part: unknown) => (part as { text: string }).text;

  it("X-5, B-13 are given with a click and never without, and hold what is shown", async () => {
    await open({ ...profiles.full, offers: "takes" });
    await stage.view.getByLabel("Filter this page").fill("inf");
    await stage.view.getByText(/Shown rows: 1 of 10/).waitFor();
    await stage.view.getByRole("button", { name: /^INFY/ }).click();
    await stage.view.getByText(/Quote received/).waitFor();
    await stage.view.getByRole("button", { name: "Back to list" }).click();
    await stage.idle();
    expect(stage.given).toEqual([]);
    await tell().click();
    await stage.shows("The chat has been told.");
    await save().click();
    await stage.shows("Given to the chat app as kite-holdings-2026-12-02.csv.");
    await expect.poll(() => stage.view.getByRole("status").innerText()).toContain("Given to the chat app");
    expect(stage.given.map((g) => g.kind)).toEqual(["context", "file"]);
    await stage.view.getByRole("button", { name: "Refresh", exact: true }).click();
    await expect.poll(() => stage.view.locator("footer .note").innerText()).toBe("");
    const [context, file] = stage.given.map((g) => g.params) as [{ content: unknown[] }, { contents: { resource: Json }[] }];
    expect(context.content.map(text)).toEqual(["The person is looking at Holdings in the Kite app, rows 1 to 10 of 10. Filters: text “inf”. The data is of 2026-12-02T11:15:00+05:30."]);
    const { row } = { row: f.holding(1) };
    expect(file.contents.map((c) => c.resource)).toEqual([
      { uri: "file:///kite-holdings-2026-12-02.csv", mimeType: "text/csv", text: `instrument,${Object.keys(row).join(",")}\r\nNSE:INFY,${Object.values(row).join(",")}\r\n` },
    ]);
  });

  it("R-2, X-2, N-1, N-3 say so when the host refuses, and however long its reason is", async () => {
    await open({ ...profiles.full, offers: "refuses" }, 320);
    await tell().click();
    await stage.shows(/^The chat could not be told.*not now/);
    expect(await stage.view.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    for (const button of [tell(), save()]) expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await save().click();
    await stage.shows("The file was not saved.");
  });

  it("R-6 are not offered by a host that did not announce them", async () => {
    await open(profiles.full);
    expect([await tell().count(), await save().count()]).toEqual([0, 0]);
  });
});

it("X-1 the page says which build of the app it is", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: server() });
  await stage.deliver(f.holdingsArgs(), f.holdings(10));
  await stage.view.getByText("Source data").click();
  const stamped = /<meta name="digest" content="([0-9a-f]{12})"/.exec(appHtml)?.[1];
  const whole = appHtml.replace(`content="${stamped ?? ""}"`, 'content="000000000000"');
  expect(createHash("sha256").update(whole).digest("hex").slice(0, 12)).toBe(stamped);
  await stage.shows(`Kite app 1.0.0, build ${stamped ?? ""}`);
});
