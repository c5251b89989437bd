import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { defineConfig, type ViteDevServer } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

interface Call {
  readonly id: number;
  readonly params: { readonly name: string; readonly arguments: Record<string, unknown> };
}

/** Answers a call as kite-mcp would, from the fixtures as they are now. */
async function answered(server: ViteDevServer, request: IncomingMessage): Promise<string> {
  const { id, params } = JSON.parse(await text(request)) as Call;
  const { server: account, opened } = (await server.ssrLoadModule(here("test/browser/script.ts"))) as typeof import("./test/browser/script.ts");
  const { tool, args } = params.name === "open_kite_view" ? opened(params.arguments) : { tool: params.name, args: params.arguments };
  const answer = await account({ holdings: 240 })(tool, args, id);
  return JSON.stringify({ jsonrpc: "2.0", id, ...answer });
}

// The host page of kite-mcp app preview with the fixtures of the tests behind it:
// npm run dev needs no other server, and shows a change as it is saved.
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  root: here("src"),
  // The view's frame has no origin of its own, and may still read its modules.
  server: { host: "127.0.0.1", cors: { origin: "*" } },
  optimizeDeps: { include: ["@modelcontextprotocol/ext-apps", "@modelcontextprotocol/ext-apps/app-bridge", "@preact/signals", "d3-hierarchy", "preact", "preact/hooks", "preact/jsx-dev-runtime"] },
  plugins: [
    {
      name: "fixtures",
      configureServer(server) {
        server.middlewares.use((request, response, next) => {
          const path = new URL(request.url ?? "/", "http://localhost").pathname;
          const send = (type: string, body: Promise<string>) => void body.then((b) => response.setHeader("Content-Type", type).end(b), next);
          if (path === "/") response.writeHead(302, { Location: "/preview/" }).end();
          else if (path === "/preview/view") send("text/html", server.transformIndexHtml("/app.html", readFileSync(here("src/app.html"), "utf8")));
          else if (path === "/preview/mcp") send("application/json", answered(server, request));
          else next();
        });
      },
    },
  ],
});
