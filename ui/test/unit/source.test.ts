// What the source may not contain, as a linter would say it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { tools } from "../../src/bridge/caps.ts";
import views from "../../views.json";

const root = process.cwd();
const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((n) => /\.(ts|tsx|html|css)$/.test(n) && !n.startsWith("preview")); // the preview is a host, not the view
const sources = files.map((name) => ({ name, text: readFileSync(join(root, "src", name), "utf8") }));
const html = readFileSync(join(root, "app.html"), "utf8");

const finds = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

it.each([
  ["markup from text", /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|DOMParser/],
  ["code from text", /\beval\b\s*\(|new Function|\bFunction\(|setTimeout\(\s*["'`]|import\(/],
  ["links", /href|window\.open|location\s*[.=]|openLink/],
])("X-3 the source makes no %s", (_, pattern) => expect(finds(pattern)).toEqual([]));

it("X-4 the source keeps nothing", () => expect(finds(/localStorage|sessionStorage|indexedDB|\.cookie|\bcaches\b/)).toEqual([]));

it("X-6 the source writes nothing to the console, nor does what it is built with", () => {
  expect(finds(/console\./)).toEqual([]);
  expect(html).not.toMatch(/console\.(log|debug|info|warn|error)\(/);
});

it("X-8 the tools that can be called are four, and no other name of ours is in the file", () => {
  expect([...tools].sort()).toEqual(["gtt_read", "market", "orders_read", "portfolio"]);
  const named = sources.flatMap(({ text }) => [...text.matchAll(/tool: "([^"]+)"/g)].map((m) => m[1]));
  expect([...named, ...Object.values(views).map((v) => v.tool)].filter((t) => !(tools as readonly (string | undefined)[]).includes(t))).toEqual([]);
  for (const writes of ["place_order", "cancel_order", "modify_order", "orders_write", "alerts", "exit_position"]) expect(html).not.toContain(writes);
});

it("B-3, X-1 the page is one file that refers to nothing and asks for no key or login", () => {
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html.match(/<\/script/g)).toHaveLength(1);
  const markup = html.replace(/<script[\s\S]*<\/script>/, "").replace(/<style[\s\S]*?<\/style>/g, (css) => (/url\(|@import/.test(css) ? "FETCHES" : ""));
  expect(markup).not.toMatch(/FETCHES|src=|href=|<form|<input|<link|<iframe/);
  expect(finds(/fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|<form|type="password"|api_?key/i)).toEqual([]);
});
