// Calls the help tool with the official TypeScript client, which declares no
// extension. The Inspector cannot: it is a Skills client, and those are not
// offered help. Usage: node call-help.mjs URL | node call-help.mjs COMMAND ARGS...
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [target, ...args] = process.argv.slice(2);
const transport = target.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args, env: process.env });
const client = new Client({ name: "ordinary", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
if (!tools.some((tool) => tool.name === "help")) throw new Error("help is not listed");
const page = await client.callTool({ name: "help", arguments: { key: "/orders" } });
await client.close();
console.log(page.content[0].text);
if (page.isError || page.structuredContent.key !== "/orders") throw new Error("not the page /orders");
