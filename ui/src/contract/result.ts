// What a tool answered, read from whatever a host passed on.
import { at, isObj, num, str, type Obj } from "./json.ts";

/** A call of a tool. */
export interface Request {
  readonly tool: string;
  readonly arguments: Obj;
}

/** What the server says about the call that a result belongs to. */
export interface Source extends Request {
  /** The call that was made when it was not the source itself. */
  readonly origin: Request | null;
  /** The views that the server has data for; null when it does not say. */
  readonly views: readonly string[] | null;
}

export interface Failure {
  readonly message: string;
  readonly code: string;
  readonly hint: string;
}

export interface Answer {
  /** The structured result; null when there is none. */
  readonly data: Obj | null;
  readonly text: string;
  readonly source: Source | null;
  readonly failure: Failure | null;
}

/** Where the number of a view's own call travels. */
export const requestId = "_app_request_id";

const request = (v: unknown): Request | null => {
  const tool = str(at(v, "tool"));
  const args = at(v, "arguments");
  return tool !== "" && isObj(args) ? { tool, arguments: args } : null;
};

function readSource(meta: unknown): Source | null {
  const app = at(meta, "trade.kite/app");
  const source = request(app);
  const views = at(app, "views");
  return source && { ...source, origin: request(at(app, "origin")), views: Array.isArray(views) ? views.map(str) : null };
}

function textOf(result: unknown): string {
  const content = at(result, "content");
  if (!Array.isArray(content)) return "";
  return content
    .filter((part) => str(at(part, "type")) === "text")
    .map((part) => str(at(part, "text")))
    .join("\n");
}

/** The first text that is a JSON object: our text equals the structured value. */
function parsed(result: unknown): Obj | null {
  const content = at(result, "content");
  if (!Array.isArray(content)) return null;
  for (const part of content) {
    const text = str(at(part, "text")).trim();
    if (!text.startsWith("{")) continue;
    try {
      const value: unknown = JSON.parse(text);
      if (isObj(value)) return value;
    } catch {
      // Not JSON after all.
    }
  }
  return null;
}

export function readAnswer(result: unknown): Answer {
  const meta = at(result, "_meta");
  const text = textOf(result);
  const source = readSource(meta);
  if (at(result, "isError") === true) {
    const said = at(meta, "trade.kite/error");
    return {
      data: null,
      text,
      source,
      failure: { message: text || "The tool failed without saying why.", code: str(at(said, "code")), hint: str(at(said, "hint")) },
    };
  }
  const structured = at(result, "structuredContent");
  return { data: isObj(structured) ? structured : parsed(result), text, source, failure: null };
}

export interface Page {
  readonly from: number;
  readonly limit: number;
  readonly total: number;
  readonly returned: number;
}

/** The page that a result is, or null when it has no pages. */
export function readPage(data: Obj | null): Page | null {
  const p = at(data, "pagination");
  const [from, limit, total] = [num(at(p, "from")), num(at(p, "limit")), num(at(p, "total"))];
  if (from === null || limit === null || total === null || limit < 1) return null;
  return { from, limit, total, returned: num(at(p, "returned")) ?? 0 };
}
