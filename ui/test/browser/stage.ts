// Starts the browser, serves the committed file to it, and records what it does.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { chromium, type Browser, type Frame, type Page } from "playwright-core";
import { build } from "vite";
import { vi } from "vitest";

import type { Scripted } from "../host/host.ts";
import type { Profile } from "../host/profiles.ts";

export type Json = Record<string, unknown>;

export interface Call {
  readonly number: number;
  readonly tool: string;
  readonly args: Json;
  /** Milliseconds since the page began. */
  readonly at: number;
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export const appHtml = readFileSync(path("../../app.html"), "utf8");

/** What a strict host allows. */
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-src 'none'";

/** Runs in the view before its own script: tells what must not happen, and counts what is pending. */
const watcher = `<script>
(() => {
  const tell = (text) => parent.postMessage({ watcher: text }, "*");
  addEventListener("securitypolicyviolation", (e) => tell("violation: " + e.violatedDirective + " " + e.blockedURI));
  addEventListener("error", (e) => tell("error: " + e.message));
  addEventListener("unhandledrejection", (e) => tell("rejection: " + e.reason));
  addEventListener("message", (e) => { if (e.source === parent && e.data?.method === "ui/notifications/tool-result") window.results = (window.results || 0) + 1; });
  addEventListener("message", (e) => { if (e.source !== parent) window.aliens = (window.aliens || 0) + 1; });
  for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) Object.defineProperty(window, name, { get() { tell("storage: " + name); } });
  Object.defineProperty(document, "cookie", { get() { tell("storage: cookie"); return ""; }, set() { tell("storage: cookie"); } });
  const pending = (window.pendingTimers = new Set());
  const wrap = (start, stop, repeats) => {
    const [begin, end] = [window[start].bind(window), window[stop].bind(window)];
    window[start] = (f, ...rest) => {
      const id = begin((...args) => { if (!repeats) pending.delete(start + id); f(...args); }, ...rest);
      pending.add(start + id);
      return id;
    };
    window[stop] = (id) => { pending.delete(start + id); end(id); };
  };
  wrap("setTimeout", "clearTimeout", false);
  wrap("setInterval", "clearInterval", true);
  wrap("requestAnimationFrame", "cancelAnimationFrame", false);
})();
</script>`;

/** The outer of two frames passes messages both ways. */
const proxy = `<!doctype html><style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>
<iframe sandbox="allow-scripts allow-same-origin" src="https://view.test/app.html"></iframe>
<script>
const inner = document.querySelector("iframe");
addEventListener("message", (e) => (e.source === parent ? inner.contentWindow : parent).postMessage(e.data, "*"));
</script>`;

function executable(): string {
  const found = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => p && existsSync(p));
  return found ?? chromium.executablePath();
}

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executable(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio"],
  });

let hostScript: string | null = null;

/** The host's page with its script inside. */
async function hostPage(): Promise<string> {
  if (hostScript === null) {
    const built = await build({
      configFile: false,
      logLevel: "silent",
      // The bridge logs on this side too; what is heard is to be the view's.
      build: { write: false, target: "es2023", lib: { entry: path("../host/host.ts"), formats: ["iife"], name: "testHost" }, rolldownOptions: { output: { minify: { compress: { dropConsole: true } } } } },
    });
    const output = Array.isArray(built) ? built[0] : built;
    if (!output || !("output" in output)) throw new Error("the host did not build");
    const chunk = output.output.find((o) => o.type === "chunk");
    if (!chunk || chunk.type !== "chunk") throw new Error("the host has no script");
    hostScript = chunk.code.replaceAll("</script", "<\\/script");
  }
  return readFileSync(path("../host/page.html"), "utf8").replace("</body>", () => `<script>${hostScript ?? ""}</script></body>`);
}

export type Answerer = (tool: string, args: Json, number: number) => Scripted | Promise<Scripted>;

/** Waits for what the test itself records. */
export const until = (holds: () => boolean | Promise<boolean>) => vi.waitUntil(holds, { timeout: 30_000, interval: 20 });

interface Theatre {
  readonly page: Page;
  stage: Stage;
}

/** A page is dear: the stages of one browser follow each other on the same one. */
const theatres = new WeakMap<Browser, Theatre>();

interface Options {
  readonly width?: number;
  readonly height?: number;
  readonly answer?: Answerer;
  readonly early?: Profile["early"];
  readonly touch?: boolean;
}

export class Stage {
  readonly calls: Call[] = [];
  readonly cancelled: number[] = [];
  readonly sizes: { width: number; height: number; at: number }[] = [];
  /** What the view gave to the chat, and to the person. */
  readonly given: { kind: string; params: unknown }[] = [];
  readonly requests: string[] = [];
  readonly faults: string[] = [];
  readonly console: string[] = [];
  /** Milliseconds from the frame's being there to its being ready. */
  startedIn = 0;
  answer: Answerer = () => ({ error: { code: -32602, message: "no answer is scripted" } });
  private readonly began = performance.now();

  private constructor(readonly page: Page) {}

  static async open(browser: Browser, profile: Profile, options: Options = {}): Promise<Stage> {
    const size = { width: options.width ?? 960, height: options.height ?? 900 };
    let theatre = theatres.get(browser);
    const stage = new Stage(theatre?.page ?? (await browser.newPage({ viewport: size, deviceScaleFactor: 1, hasTouch: options.touch === true, isMobile: options.touch === true })));
    if (options.answer) stage.answer = options.answer;
    if (theatre) {
      theatre.stage = stage;
      await stage.page.setViewportSize(size);
    } else {
      theatre = { page: stage.page, stage };
      theatres.set(browser, theatre);
      await Stage.serve(theatre);
      stage.page.setDefaultTimeout(20_000);
      await stage.page.goto("https://host.test/");
    }
    await stage.page.evaluate((p) => window.host.open(p), { ...profile, ...(options.early ? { early: options.early } : {}) } as Profile);
    return stage;
  }

  private static async serve(theatre: Theatre): Promise<void> {
    const { page } = theatre;
    const host = await hostPage();
    await page.route("**/*", async (route) => {
      const url = route.request().url();
      if (url === "https://host.test/") return route.fulfill({ contentType: "text/html", body: host });
      if (url === "https://proxy.test/") return route.fulfill({ contentType: "text/html", body: proxy });
      if (url === "https://view.test/app.html") {
        const body = appHtml.replace("<head>", () => `<head><meta http-equiv="Content-Security-Policy" content="${policy}">${watcher}`);
        return route.fulfill({ contentType: "text/html", body });
      }
      theatre.stage.requests.push(url);
      return route.abort();
    });
    page.on("console", (m) => theatre.stage.console.push(m.text()));
    page.on("pageerror", (e) => theatre.stage.faults.push("page: " + e.message));
    await page.exposeFunction("answerTool", (tool: string, args: Json, number: number) => theatre.stage.called(tool, args, number));
    await page.exposeFunction("report", (kind: string, detail: unknown) => theatre.stage.told(kind, detail));
    await page.exposeFunction("fault", (text: string) => theatre.stage.faults.push(text));
    await page.addInitScript(() => {
      addEventListener("message", (e: MessageEvent<unknown>) => {
        const data = e.data as { watcher?: unknown } | null;
        if (data && typeof data.watcher === "string") void (window as unknown as { fault(t: string): void }).fault(data.watcher);
      });
    });
  }

  private called(tool: string, args: Json, number: number): Scripted | Promise<Scripted> {
    this.calls.push({ number, tool, args, at: performance.now() - this.began });
    return this.answer(tool, args, number);
  }

  private told(kind: string, detail: unknown): void {
    if (kind === "size") this.sizes.push({ ...(detail as { width: number; height: number }), at: performance.now() - this.began });
    if (kind === "context" || kind === "file") this.given.push({ kind, params: detail });
    if (kind === "cancelled") this.cancelled.push(detail as number);
    if (kind === "initialized") this.startedIn = detail as number;
  }

  get view(): Frame {
    const frame = this.page.frames().find((f) => f.url() === "https://view.test/app.html");
    if (!frame) throw new Error("the view is not there");
    return frame;
  }

  input = (args: Json) => this.page.evaluate((a) => window.host.input(a), args);
  cancel = () => this.page.evaluate(() => window.host.cancel());
  context = (change: Json) => this.page.evaluate((c) => window.host.context(c), change);
  teardown = () => this.page.evaluate(() => window.host.teardown());

  /** Delivers a result, and waits until the view has it. */
  async result(result: Json): Promise<void> {
    const number = await this.page.evaluate((r) => window.host.result(r), result);
    await until(() => this.view.evaluate((n) => ((window as unknown as { results?: number }).results ?? 0) >= n, number));
  }

  /** Delivers the call of a chat and its result. */
  async deliver(args: Json, result: Json): Promise<void> {
    await this.input(args);
    await this.result(result);
  }

  /** What the view has sent so far, by method. */
  messages = () => this.page.evaluate(() => [...window.host.messages]);

  /** Waits until nothing in the view will happen by itself. */
  async idle(): Promise<void> {
    await until(() => this.view.evaluate(() => (window as unknown as { pendingTimers: Set<string> }).pendingTimers.size === 0));
  }

  /** The text of the view, as a person reads it. */
  text = () => this.view.locator("body").innerText();

  /** Waits until the view shows a text. */
  shows = (text: string | RegExp) => this.view.getByText(text).first().waitFor();

  callsOf(tool: string, mode?: string): Call[] {
    return this.calls.filter((c) => c.tool === tool && (mode === undefined || c.args["mode"] === mode || c.args["type"] === mode));
  }

  /** Removes the view, which may never load, violate, keep or throw anything. */
  async close(): Promise<void> {
    await this.page.evaluate(() => window.host.shut());
    await this.page.emulateMedia({ colorScheme: null, forcedColors: null, reducedMotion: null });
    if (this.requests.length > 0) throw new Error("the view asked the network for " + this.requests.join(", "));
    if (this.faults.length > 0) throw new Error("in the view: " + this.faults.join("; "));
    if (this.console.length > 0) throw new Error("the view wrote to the console: " + this.console.join("; "));
  }
}
