// Links of the host into this app: a path that names a view, with arguments of
// that view. Whatever else a host sends is no link.
import type { Request } from "../contract/result.ts";
import { viewNamed } from "./views.ts";

const longest = 500;
const shape = /^\/([a-z][a-z_-]*)\/?(?:\?([^#]*))?$/;

/** The read that a link asks for, such as /holdings or /quote?instruments=NSE:INFY; null when it asks for none. */
export function linked(url: unknown): Request | null {
  if (typeof url !== "string" || url.length > longest) return null;
  const [, path, query = ""] = shape.exec(url) ?? [];
  const view = path === undefined ? null : viewNamed(path.replaceAll("-", "_"));
  if (view === null) return null;
  const pairs = [...new URLSearchParams(query)];
  const given = Object.fromEntries(pairs.map(([name, text]) => [name, valueOf(name, text)]));
  if (Object.keys(given).length !== pairs.length) return null; // one name twice
  if (!pairs.every(([name, text]) => view.accepts.includes(name) && text !== "")) return null;
  // Some views cannot be opened without a choice: which instruments, which days.
  if (!view.open && !Object.keys(view.example).every((name) => name in given)) return null;
  return { tool: view.tool, arguments: { mode: view.mode, ...view.open, ...given } };
}

/** A value as the tools take it; they refuse what is none. */
function valueOf(name: string, text: string): unknown {
  if (name === "instruments") return text.split(",");
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
