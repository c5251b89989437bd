// For everybody: narrow screens, keyboards, screen readers, own colours.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import * as f from "../fixtures/results.ts";
import { profiles } from "../host/profiles.ts";
import { scenes, toolOf, type Scene } from "./scenes.ts";
import { server } from "./script.ts";
import { launch, Stage, type Answerer } from "./stage.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser: Browser;
let stage: Stage;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
afterEach(() => stage.close());

const play = async (scene: Scene, width: number) => {
  stage = await Stage.open(browser, { ...profiles.full, toolName: toolOf(scene) }, { answer: server(), width });
  await stage.deliver(scene.args, scene.result);
  await scene.then?.(stage);
  await stage.idle();
};
const named = (name: string) => scenes.find((s) => s.name === name)!;

/** What axe finds wrong by WCAG 2.2 A and AA. */
async function violations(): Promise<string[]> {
  await stage.view.evaluate(axe);
  return stage.view.evaluate(async () => {
    const run = (window as unknown as { axe: { run(options: unknown): Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary: string }[] }[] }> } }).axe.run;
    const { violations: found } = await run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"] });
    return found.flatMap((v) => v.nodes.map((n) => `${v.id} at ${JSON.stringify(n.target)}: ${n.failureSummary}`));
  });
}

describe.each([1440, 375])("at %i pixels", (width) => {
  it.each(scenes.map((s) => [s.name, s] as const))("A-1, B-9 axe finds nothing in %s, light or dark", async (_name, scene) => {
    await play(scene, width);
    await expect.poll(async () => violations()).toEqual([]);
    await stage.context({ theme: "dark" });
    await stage.view.locator("html[data-theme=dark]").waitFor();
    await expect.poll(async () => violations()).toEqual([]);
  });
});

it("A-1 axe finds nothing before there is data, nor when there is none", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: server(), width: 375 });
  await expect.poll(async () => violations()).toEqual([]);
  await stage.shows("This chat app has not delivered any data.");
  await expect.poll(async () => violations()).toEqual([]);
});

describe.each(["holdings", "positions", "quotes", "history", "funds", "allocation", "chart", "details"])("%s on a narrow screen", (name) => {
  it("N-1, N-3 nothing scrolls sideways at 320 pixels, and every target has 24", async () => {
    await play(named(name), 320);
    for (const summary of await stage.view.locator("summary:visible").all()) await summary.click();
    const seen = await stage.view.evaluate(() => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      small: [...document.querySelectorAll<HTMLElement>("button, select, input, summary, canvas")]
        .filter((e) => e.checkVisibility())
        .map((e) => [e.textContent?.slice(0, 20), e.getBoundingClientRect()] as const)
        .filter(([, r]) => r.width > 0 && (r.width < 24 || r.height < 24))
        .map(([text, r]) => `${text ?? ""} ${String(r.width)}x${String(r.height)}`),
    }));
    expect(seen).toEqual({ wide: 0, small: [] });
  });
});

it("N-3 targets have 44 pixels under a finger, and the edges of the device are kept free", async () => {
  const touch = await launch();
  stage = await Stage.open(touch, { ...profiles.full, extraContext: { safeAreaInsets: { top: 30, right: 0, bottom: 20, left: 10 } } }, { answer: server(), width: 375, touch: true });
  await stage.deliver(f.holdingsArgs(), f.holdings(10));
  await stage.shows(/^Whole account.*Received/);
  const low = await stage.view.evaluate(() => [...document.querySelectorAll<HTMLElement>("button, select, input, summary")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 44).map((e) => e.outerHTML.slice(0, 80)));
  expect(low).toEqual([]);
  await stage.page.setViewportSize({ width: 960, height: 900 });
  await stage.view.getByRole("table").waitFor();
  expect(await stage.view.evaluate(() => [...document.querySelectorAll<HTMLElement>(".head-button, .row-button")].map((e) => e.getBoundingClientRect().height).filter((h) => h < 44))).toEqual([]);
  const { paddingTop, paddingBottom, paddingLeft } = await stage.view.locator("#root").evaluate((e) => getComputedStyle(e));
  expect([paddingTop, paddingBottom, paddingLeft]).toEqual(["42px", "32px", "24px"]);
  await stage.page.evaluate(() => window.host.shut());
  await touch.close();
  stage = await Stage.open(browser, profiles.silent); // what is closed after the test
});

it.each([["inline", profiles.full], ["fixed", profiles.fixedHeight]] as const)("N-2, H-3, I-1 Back returns to the same rows, place, filter and focus (%s)", async (_name, profile) => {
  stage = await Stage.open(browser, profile, { answer: server({ holdings: 100 }), width: 375 });
  await stage.deliver(f.holdingsArgs(), f.holdings(100));
  await stage.shows(/^Whole account.*Received/);
  await stage.view.getByLabel("Filter this page").fill("a");
  const box = stage.view.locator(".rows");
  await box.evaluate((e) => (e.scrollTop = 900));
  await stage.idle();
  await box.scrollIntoViewIfNeeded();
  const before = await box.evaluate((e) => e.scrollTop);
  const key = await box.evaluate((e) => {
    const { top, bottom } = e.getBoundingClientRect();
    const whole = [...e.querySelectorAll(".row-button")].find((b) => b.getBoundingClientRect().top > top && b.getBoundingClientRect().bottom < Math.min(bottom, innerHeight));
    return whole?.getAttribute("data-key") ?? "";
  });
  await stage.view.locator(`[data-key="${key}"]`).click();
  await stage.view.getByRole("button", { name: "Back to list" }).waitFor();
  await expect.poll(async () => stage.view.getByRole("button", { name: "Back to list" }).evaluate((e) => e === document.activeElement)).toBe(true);
  await stage.view.getByRole("button", { name: "Back to list" }).click();
  await stage.view.locator(".inspector").waitFor({ state: "detached" });
  await expect.poll(async () => box.evaluate((e) => e.scrollTop)).toBe(before);
  expect(before).toBeGreaterThan(500);
  await expect.poll(async () => stage.view.getByLabel("Filter this page").inputValue()).toBe("a");
  await expect.poll(async () => stage.view.evaluate(() => document.activeElement?.getAttribute("data-key"))).toBe(key);
});

it("A-2 the whole way with the keyboard: row, inspector, tabs, back, sorting, paging", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: server({ holdings: 25 }), width: 1440 });
  await stage.deliver(f.holdingsArgs(0, 10), f.holdings(10, 0, 10, 25));
  await stage.shows(/^Whole account.*Received/);
  const focused = () => stage.view.evaluate(() => document.activeElement?.textContent ?? "");
  const press = (key: string) => stage.page.keyboard.press(key);
  const tabTo = async (text: string) => {
    for (let i = 0; i < 40 && !(await focused()).startsWith(text); i++) await press("Tab");
    await expect.poll(async () => focused()).toContain(text);
  };
  await stage.view.getByRole("button", { name: "Holdings", exact: true }).focus();
  await tabTo("Last");
  await press("Enter");
  await expect.poll(async () => stage.view.locator("th[aria-sort=descending]").innerText()).toContain("Last");
  await tabTo("BAJAJ-AUTO");
  await press("ArrowDown");
  await stage.view.waitForFunction(() => document.activeElement?.textContent?.startsWith("TCS"));
  await expect.poll(async () => stage.view.locator(":focus-visible").evaluate((e) => getComputedStyle(e).outlineStyle)).toBe("solid");
  await press("Enter");
  await stage.view.waitForFunction(() => document.activeElement?.textContent === "Close");
  await press("Tab");
  await expect.poll(async () => focused()).toBe("Overview");
  for (const [key, name] of [["ArrowRight", "Depth"], ["End", "Details"], ["Home", "Overview"], ["ArrowLeft", "Details"]] as const) {
    await press(key);
    await expect.poll(async () => [await focused(), await stage.view.getByRole("tab", { selected: true }).innerText()]).toEqual([name, name]);
  }
  await press("Escape");
  await stage.view.waitForFunction(() => document.activeElement?.textContent?.startsWith("TCS"));
  await tabTo("Next");
  await press("Enter");
  await stage.shows("11 to 20 of 25");
});

it("A-4 in colours of the person's own, direction and choice are still told", async () => {
  stage = await Stage.open(browser, profiles.full, { answer: server(), width: 1440 });
  await stage.page.emulateMedia({ forcedColors: "active" });
  await stage.deliver(f.holdingsArgs(), f.holdings(10));
  await stage.view.getByText("Allocation of the shown rows").click();
  await stage.view.locator(".tile-name").first().waitFor();
  await expect.poll(async () => (await stage.view.locator(".tile-name").allInnerTexts()).every((t) => /^[▲▼] /.test(t))).toBe(true);
  await stage.view.getByRole("button", { name: /^INFY/ }).click();
  await expect.poll(async () => stage.view.locator("tr.selected").evaluate((e) => getComputedStyle(e).outlineStyle)).toBe("solid");
  await expect.poll(async () => stage.view.locator("html").evaluate((e) => getComputedStyle(e).getPropertyValue("--up").trim())).toBe("CanvasText");
  const [gain] = await stage.view.locator(".up").allInnerTexts();
  expect(gain).toMatch(/[▲+]/);
});

it("A-4 text of twice the size stays within the page", async () => {
  for (const name of ["holdings", "positions", "funds", "chart"]) {
    if (name !== "holdings") await stage.close();
    await play(named(name), 750);
    const wide = await stage.view.evaluate(() => {
      document.documentElement.style.zoom = "2";
      return document.documentElement.scrollWidth - document.documentElement.clientWidth;
    });
    expect([name, wide]).toEqual([name, 0]);
  }
});

it("A-5 one polite region tells what was loaded or failed, each once", async () => {
  let fails = false;
  let release = () => {};
  const answer: Answerer = async (tool, args, n) => {
    // Held until what was said before is on the page: it draws in its own time.
    await new Promise<void>((resolve) => (release = resolve));
    return fails ? { result: f.failure(tool, args, "Kite is down") } : server()(tool, args, n);
  };
  stage = await Stage.open(browser, profiles.full, { answer });
  const says = (text: string) => stage.view.waitForFunction((t) => document.querySelector("[role=status]")?.textContent === t, text);
  await stage.view.evaluate(() => {
    const said = ((window as unknown as { said: string[] }).said = [] as string[]);
    const region = document.querySelector("[role=status]")!;
    new MutationObserver(() => void said.push(region.textContent ?? "")).observe(region, { subtree: true, childList: true, characterData: true });
  });
  const said = () => stage.view.evaluate(() => (window as unknown as { said: string[] }).said);
  await stage.deliver(f.holdingsArgs(), f.holdings(10));
  await says("Holdings loaded, 10 rows");
  await expect.poll(() => stage.calls.length).toBe(1);
  release();
  await says("Account totals loaded");
  fails = true;
  await stage.view.getByRole("button", { name: "Refresh", exact: true }).click();
  await says("Loading");
  await expect.poll(() => stage.calls.length).toBe(2);
  release();
  await says("Failed: Kite is down");
  await expect.poll(async () => said()).toEqual(["Holdings loaded, 10 rows", "Account totals loaded", "Loading", "Failed: Kite is down"]);
  await expect.poll(async () => stage.view.locator("[aria-live], [role=status], [role=alert]").count()).toBe(1);
});

it("A-6 nothing moves for who does not want it", async () => {
  stage = await Stage.open(browser, profiles.full);
  await stage.page.emulateMedia({ reducedMotion: "reduce" });
  await expect.poll(async () => stage.view.locator(".skeleton-row").first().evaluate((e) => getComputedStyle(e).animationName)).toBe("none");
});
