// Data as the source sent it, every field, in sections that unfold.
import type { ComponentChildren } from "preact";

import { isObj } from "../contract/json.ts";
import { Collapsible } from "./Collapsible.tsx";

const deepest = 6;
const longestList = 200;

/** The server keeps these to itself; were one to slip through, it is not shown either. */
const secret = /^(access|refresh|public|request|enc)_?token$|secret|password/i;

export const isSecret = (field: string): boolean => secret.test(field);

/** A value as JSON would write it; text without quotes. */
const shown = (v: unknown): string => (v === undefined ? "" : typeof v === "string" ? v : JSON.stringify(v, (name, x: unknown) => (isSecret(name) ? undefined : x)));

export function Source({ value, depth = 0 }: { value: unknown; depth?: number }): ComponentChildren {
  if (depth >= deepest || !(Array.isArray(value) || isObj(value))) return <span class="raw">{shown(value)}</span>;
  const entries = Object.entries(value).filter(([name]) => !isSecret(name));
  const plain = entries.filter(([, v]) => !Array.isArray(v) && !isObj(v));
  const nested = entries.filter(([, v]) => Array.isArray(v) || isObj(v));
  return (
    <div class="source">
      {plain.length > 0 && (
        <dl class="fields">
          {plain.slice(0, longestList).map(([k, v]) => (
            <div key={k}>
              <dt>{k}</dt>
              <dd class="raw">{shown(v)}</dd>
            </div>
          ))}
        </dl>
      )}
      {nested.slice(0, longestList).map(([k, v]) => (
        <Collapsible key={k} title={k + " (" + String(Object.keys(v as object).length) + ")"}>
          <Source value={v} depth={depth + 1} />
        </Collapsible>
      ))}
      {entries.length === 0 && <span class="raw">{shown(value)}</span>}
      {Math.max(plain.length, nested.length) > longestList && <p class="note">{String(entries.length)} fields in all; the first {longestList} of each kind are shown.</p>}
    </div>
  );
}
