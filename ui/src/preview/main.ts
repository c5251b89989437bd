// A chat app of our own, for authors: shows the Kite app with the answers of the
// program that serves this page.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

import views from "../../views.json";
import "./preview.css";

type Json = Record<string, unknown>;

interface Profile {
  readonly title: string;
  readonly serverTools: boolean;
  readonly toolInfo: boolean;
  readonly meta: boolean;
  readonly height: number | null;
  /** Takes texts for the model, and files for the person. */
  readonly takes: boolean;
  readonly fullscreen?: boolean;
}

const ordinary: Profile = { title: "Ordinary", serverTools: true, toolInfo: true, meta: true, height: null, takes: true };

const profiles: Readonly<Record<string, Profile>> = {
  ordinary,
  fullscreen: { ...ordinary, title: "Fullscreen", fullscreen: true, height: 760 },
  fixed: { ...ordinary, title: "Fixed height", height: 520 },
  silent: { ...ordinary, title: "Without tool names", toolInfo: false },
  bare: { ...ordinary, title: "Drops metadata", meta: false, takes: false },
  readonly: { ...ordinary, title: "Passes no calls on", serverTools: false },
};

const sizes = ["960", "1440", "720", "375", "320"];

const element = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E;

function fill(id: string, options: readonly (readonly [string, string])[], chosen: string | null): HTMLSelectElement {
  const select = element<HTMLSelectElement>(id);
  for (const [value, title] of options) select.add(new Option(title, value, false, value === chosen));
  select.addEventListener("change", () => void open());
  return select;
}

const wanted = new URLSearchParams(location.search);
const view = fill("view", Object.entries(views).map(([name, v]) => [name, v.title] as const), wanted.get("view"));
const profile = fill("profile", Object.entries(profiles).map(([name, p]) => [name, p.title] as const), null);
const theme = fill("theme", [["light", "Light"], ["dark", "Dark"]], wanted.get("theme"));
const size = fill("size", sizes.map((s) => [s, s + " px"] as const), wanted.get("width") ?? "960");
element("reload").addEventListener("click", () => void open());

const version = "2026-07-28";
const meta = {
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientInfo": { name: "kite-mcp-preview", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } },
};
let calls = 0;

/** Calls a tool of the server behind this page, as any MCP client does. */
async function call(name: string, args: Json, signal?: AbortSignal): Promise<Json> {
  const response = await fetch("mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "Mcp-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": name },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++calls, method: "tools/call", params: { name, arguments: args, _meta: meta } }),
    signal: signal ?? null,
  });
  const text = await response.text();
  const stream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  const message = stream ? (text.split("\n").filter((line) => line.startsWith("data: ") && line.length > 6).at(-1)?.slice(6) ?? "") : text;
  let answer: { result?: Json; error?: { code: number; message: string } };
  try {
    answer = JSON.parse(message) as typeof answer;
  } catch {
    throw new Error(text.trim() || response.statusText);
  }
  if (!answer.result) throw Object.assign(new Error(answer.error?.message ?? "the server gave no answer"), { code: answer.error?.code ?? -32603 });
  return answer.result;
}

/** Hands a file that the app made to the browser. */
function save(uri: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = uri.slice(uri.lastIndexOf("/") + 1);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser reads it after the click
}

let opened = 0;

async function open(): Promise<void> {
  const number = ++opened;
  const p = profiles[profile.value] ?? ordinary;
  const status = element("status");
  document.body.classList.toggle("dark", theme.value === "dark");
  const frame = document.createElement("iframe");
  frame.title = "Kite app";
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.width = `${size.value}px`;
  frame.style.height = `${String(p.height ?? 320)}px`;
  const bridge = new AppBridge(null, { name: "kite-mcp-preview", version: "1.0.0" }, { ...(p.serverTools ? { serverTools: {} } : {}), ...(p.takes ? { updateModelContext: { text: {} }, downloadFile: {} } : {}) }, { hostContext: context(p) as never });
  if (p.serverTools) bridge.oncalltool = async (params, extra) => (await call(params.name, params.arguments ?? {}, (extra as unknown as { mcpReq: { signal: AbortSignal } }).mcpReq.signal)) as never;
  if (p.takes) {
    bridge.onupdatemodelcontext = async ({ content }) => {
      status.textContent = "The chat was told: " + (content ?? []).map((c) => (c.type === "text" ? c.text : c.type)).join(" ");
      return {};
    };
    bridge.ondownloadfile = async ({ contents }) => {
      for (const c of contents) if (c.type === "resource" && "text" in c.resource) save(c.resource.uri, c.resource.mimeType ?? "", c.resource.text);
      return {};
    };
  }
  bridge.addEventListener("sizechange", ({ height }) => {
    if (height && p.height === null) frame.style.height = `${String(Math.min(height, 4000))}px`;
  });
  const ready = new Promise<void>((resolve) => bridge.addEventListener("initialized", () => resolve()));
  frame.src = "view";
  element("stage").replaceChildren(frame);
  const inside = frame.contentWindow;
  if (!inside) return;
  await bridge.connect(new PostMessageTransport(inside, inside));
  await ready;
  status.textContent = "Loading…";
  try {
    const args = { view: view.value, ...views[view.value as keyof typeof views].example };
    await bridge.sendToolInput({ arguments: args });
    const result = await call("open_kite_view", args);
    if (number !== opened) return;
    if (!p.meta) delete result["_meta"];
    await bridge.sendToolResult(result as never);
    status.textContent = "";
  } catch (error) {
    status.textContent = error instanceof Error ? error.message : String(error);
  }
}

function context(p: Profile): Json {
  return {
    theme: theme.value,
    displayMode: p.fullscreen ? "fullscreen" : "inline",
    availableDisplayModes: ["inline", "fullscreen"],
    ...(p.toolInfo ? { toolInfo: { tool: { name: "open_kite_view", inputSchema: { type: "object" } } } } : {}),
    ...(p.height === null ? { containerDimensions: { maxHeight: 4000 } } : { containerDimensions: { height: p.height } }),
  };
}

void open();
