// Ties the session to the official bridge. Handlers exist before the connection
// does: hosts may send at once.
import { App, PostMessageTransport } from "@modelcontextprotocol/ext-apps";

import { str, at } from "../contract/json.ts";
import { Calls } from "./calls.ts";
import { Capabilities } from "./caps.ts";
import type { HostContext } from "./context.ts";
import { Features } from "./features.ts";
import { QuoteQueue } from "./queue.ts";
import { Session } from "./session.ts";

export const version = "1.0.0";

export interface Bridge {
  readonly session: Session;
  readonly features: Features;
  connect(): Promise<void>;
}

export function bridge(context: HostContext): Bridge {
  const app = new App({ name: "kite-explorer", version }, { availableDisplayModes: ["inline", "fullscreen"] }, { autoResize: false, strict: true });
  let stopSizes = () => {};
  const caps = new Capabilities();
  const now = () => Date.now();
  const prefix = Array.from(crypto.getRandomValues(new Uint32Array(2)), (n) => n.toString(36)).join("");
  const calls = new Calls((params, options) => app.callServerTool(params, options), new QuoteQueue(), caps, now, prefix);
  const session = new Session(calls, caps, now);
  const features = new Features({ updateModelContext: (params) => app.updateModelContext(params), downloadFile: (params) => app.downloadFile(params) });

  const learn = () => {
    const host = app.getHostContext();
    if (!host) return;
    context.apply(host);
    session.hostToolIs(str(at(host, "toolInfo", "tool", "name")));
    session.linkIs(at(host, "openai/deepLink", "url"));
  };
  app.addEventListener("toolinput", (params) => session.toolInput(params.arguments));
  app.addEventListener("toolinputpartial", () => {}); // the whole input follows
  app.addEventListener("toolresult", (params) => session.toolResult(params));
  app.addEventListener("toolcancelled", () => session.toolCancelled());
  app.addEventListener("hostcontextchanged", learn);
  app.onteardown = () => {
    stopSizes();
    session.close();
    features.close();
    return {};
  };

  return {
    session,
    features,
    async connect() {
      await app.connect(new PostMessageTransport(window.parent, window.parent));
      caps.announced(app.getHostCapabilities()?.serverTools !== undefined);
      features.announced(app.getHostCapabilities());
      learn();
      stopSizes = app.setupSizeChangedNotifications(); // by hand, so that it can end
      session.connected();
    },
  };
}
