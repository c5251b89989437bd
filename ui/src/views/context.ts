// What every view may use, handed down once.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

import type { HostContext } from "../bridge/context.ts";
import type { Features } from "../bridge/features.ts";
import type { Session } from "../bridge/session.ts";

export interface Shared {
  readonly session: Session;
  readonly context: HostContext;
  readonly features: Features;
}

export const SharedContext = createContext<Shared | null>(null);

export function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (!shared) throw new Error("outside of the shell");
  return shared;
}

/** Whether the view has at least so many pixels of width. */
export function useWidth(least: number): boolean {
  const query = `(min-width: ${String(least)}px)`;
  const [matches, setMatches] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const watched = window.matchMedia(query);
    const look = () => setMatches(watched.matches);
    look();
    watched.addEventListener("change", look);
    return () => watched.removeEventListener("change", look);
  }, [query]);
  return matches;
}

/** Room for a table of many columns. */
export const tableWidth = 720;
/** Room for three things side by side: below this no list is a table. */
export const wideRows = 560;
/** Room for a list and the inspector beside it. */
export const splitWidth = 1000;
