// The views there are, from the list that the server reads too.
import list from "../../views.json";
import type { Obj } from "../contract/json.ts";
import type { Request } from "../contract/result.ts";

export type ViewName = keyof typeof list;

interface View {
  readonly title: string;
  readonly tool: string;
  readonly mode: string;
  /** Arguments that open the view without the chat; views that need a choice first have none. */
  readonly open?: Obj;
  /** Arguments of the mode that a caller may give. */
  readonly accepts: readonly string[];
  /** Arguments of a call that opens the view. */
  readonly example: Obj;
  /** Opens as a form that asks for nothing until it is sent. */
  readonly form?: boolean;
}

const views: Readonly<Record<ViewName, View>> = list;
const names = Object.keys(list) as ViewName[];

export const titleOf = (name: ViewName): string => views[name].title;

export const viewNamed = (name: string): View | null => (Object.hasOwn(views, name) ? views[name as ViewName] : null);

/** The view that shows the results of a tool's mode. */
export const viewOf = (tool: string, mode: unknown): ViewName | null => names.find((n) => views[n].tool === tool && views[n].mode === mode) ?? null;

export interface Opening {
  readonly name: ViewName;
  readonly title: string;
  readonly tool: string;
  /** Null for a form. */
  readonly request: Request | null;
}

/** The views that the person can open without the chat. */
export const openings: readonly Opening[] = names.flatMap((name) => {
  const { title, tool, mode, open, form } = views[name];
  return open || form ? [{ name, title, tool, request: open ? { tool, arguments: { mode, ...open } } : null }] : [];
});
