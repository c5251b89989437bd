// A chat app for tests: shows the view in a sandboxed frame, speaks the official
// bridge, and misbehaves as its profile says.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Profile } from "./profiles.ts";

type Json = Record<string, unknown>;

/** What the script of the test answers to a call. */
export type Scripted = { result: Json } | { error: { code: number; message: string } } | { hang: true };

declare global {
  interface Window {
    /** Given by the test. */
    answerTool(name: string, args: Json, call: number): Promise<Scripted>;
    report(kind: string, detail: unknown): Promise<void>;
    host: Host;
  }
}

export interface Host {
  open(profile: Profile): Promise<void>;
  input(args: Json): Promise<void>;
  /** Says how many results the view has been sent by now. */
  result(result: Json): Promise<number>;
  cancel(): Promise<void>;
  context(change: Json): void;
  teardown(): Promise<unknown>;
  /** Removes the view, as a host does in the end. */
  shut(): void;
  /** A frame beside the view sends it a message. */
  sibling(message: unknown): Promise<void>;
  /** What the view has sent: methods, and "answer" for answers. */
  readonly messages: string[];
  resize(width: number, height: number): void;
}

let bridge: AppBridge | null = null;
let frame: HTMLIFrameElement | null = null;
let profile: Profile;
let calls = 0;
let results = 0;

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** What a host loses on the way. */
function passed(result: Json): Json {
  const copy: Json = { ...result };
  if (profile.dropsMeta) delete copy["_meta"];
  if (profile.dropsStructured) delete copy["structuredContent"];
  return copy;
}

async function deliver(result: Json): Promise<number> {
  const number = ++results;
  await bridge?.sendToolResult(passed(result) as never);
  return number;
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let greeted = () => {};
const messages: string[] = [];
addEventListener("message", (e: MessageEvent<{ method?: unknown; jsonrpc?: unknown } | null>) => {
  if (e.source !== frame?.contentWindow || e.data?.jsonrpc !== "2.0") return;
  messages.push(typeof e.data.method === "string" ? e.data.method : "answer");
  if (e.data.method === "ui/initialize") greeted();
});

async function onCall(params: { name: string; arguments?: Json | undefined }, signal: AbortSignal): Promise<never> {
  const number = ++calls;
  signal.addEventListener("abort", () => void window.report("cancelled", number));
  const answer = await window.answerTool(params.name, params.arguments ?? {}, number);
  if ("hang" in answer) return new Promise<never>(() => {});
  if ("error" in answer) throw new RpcError(answer.error.code, answer.error.message);
  if (profile.reorders) await later(number % 2 === 1 ? 60 : 0);
  if (profile.echoes) setTimeout(() => void deliver(answer.result), 0);
  return passed(answer.result) as never;
}

function hostContext(): Json {
  const context: Json = { theme: profile.theme ?? "light", displayMode: profile.displayMode ?? "inline", availableDisplayModes: ["inline", "fullscreen"], platform: "web" };
  if (profile.toolName !== null) context["toolInfo"] = { tool: { name: profile.toolName, inputSchema: { type: "object" } } };
  if (profile.styles) context["styles"] = { variables: profile.styles };
  if (profile.height !== undefined) context["containerDimensions"] = { height: profile.height, width: innerWidth };
  else if (profile.maxHeight !== undefined) context["containerDimensions"] = { maxHeight: profile.maxHeight };
  return { ...context, ...profile.extraContext };
}

const host: Host = {
  async open(p) {
    profile = p;
    calls = results = 0;
    messages.length = 0;
    const capabilities = { ...(p.serverTools ? { serverTools: {}, logging: {} } : {}), ...(p.offers ? { updateModelContext: { text: {} }, downloadFile: {} } : {}) };
    bridge = new AppBridge(null, { name: "test-host", version: "1.0.0" }, capabilities, { hostContext: hostContext() as never });
    if (p.passesCalls) bridge.oncalltool = (params, extra) => onCall(params as never, (extra as unknown as { mcpReq: { signal: AbortSignal } }).mcpReq.signal);
    if (p.offers) {
      bridge.onupdatemodelcontext = async (params) => {
        if (p.offers === "refuses") throw new RpcError(-32000, "not now " + "W".repeat(10_000));
        await window.report("context", params);
        return {};
      };
      bridge.ondownloadfile = async (params) => {
        await window.report("file", params);
        return { isError: p.offers === "refuses" };
      };
    }
    bridge.addEventListener("sizechange", (params) => {
      void window.report("size", params);
      if (frame && params.height && !p.ignoresSize && p.height === undefined && p.displayMode !== "fullscreen") frame.style.height = `${String(Math.min(params.height, p.maxHeight ?? 4000))}px`;
    });
    frame = document.createElement("iframe");
    frame.setAttribute("sandbox", p.proxied ? "allow-scripts allow-same-origin" : "allow-scripts");
    frame.style.cssText = `display:block;border:0;width:100%;height:${String(p.height ?? (p.displayMode === "fullscreen" ? innerHeight : 300))}px`;
    frame.src = p.proxied ? "https://proxy.test/" : "https://view.test/app.html";
    const appended = performance.now();
    document.body.replaceChildren(frame);
    const ready = new Promise<void>((resolve) => bridge?.addEventListener("initialized", () => resolve()));
    const asked = new Promise<void>((resolve) => (greeted = resolve));
    const window_ = frame.contentWindow as Window;
    await bridge.connect(new PostMessageTransport(window_, window_));
    if (p.early) await asked;
    if (p.early) for (const send of p.early) await (send.input ? bridge.sendToolInput({ arguments: send.input }) : deliver(send.result ?? {}));
    await ready;
    await window.report("initialized", performance.now() - appended);
  },
  input: async (args) => bridge?.sendToolInput({ arguments: args }),
  result: deliver,
  cancel: async () => bridge?.sendToolCancelled({ reason: "the person stopped it" }),
  context: (change) => bridge?.setHostContext({ ...hostContext(), ...change } as never),
  teardown: async () => bridge?.teardownResource({}),
  shut() {
    void bridge?.close();
    bridge = frame = null;
    document.body.replaceChildren();
  },
  async sibling(message) {
    const other = document.createElement("iframe");
    other.setAttribute("sandbox", "allow-scripts");
    other.srcdoc = `<script>parent.frames[0].postMessage(${JSON.stringify(message).replaceAll("<", "\\u003c")}, "*")</script>`;
    const loaded = new Promise((resolve) => other.addEventListener("load", resolve, { once: true }));
    document.body.append(other);
    await loaded;
  },
  messages,
  resize(width, height) {
    if (!frame) return;
    frame.style.width = `${String(width)}px`;
    frame.style.height = `${String(height)}px`;
  },
};

window.host = host;
