// Rectangles whose areas are shares of a whole. The list beside it has the same
// numbers.
import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Tile {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  /** The size in words. */
  readonly text: string;
  readonly trend: "up" | "down" | "flat";
}

const height = 240;

/** Colour alone would not tell gains from losses. */
const marks = { up: "▲ ", down: "▼ ", flat: "" } as const;

interface Node {
  readonly tile?: Tile;
  readonly children?: readonly Node[];
}

export function Treemap({ label, tiles }: { label: string; tiles: readonly Tile[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const e = box.current;
    if (!e) return;
    const watch = new ResizeObserver(() => setWidth(Math.floor(e.clientWidth)));
    watch.observe(e);
    return () => watch.disconnect();
  }, []);
  const leaves = useMemo(() => {
    const all = hierarchy<Node>({ children: tiles.map((tile) => ({ tile })) }, (n) => n.children)
      .sum((n) => n.tile?.size ?? 0)
      .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
    return treemap<Node>().tile(treemapSquarify).size([width, height]).paddingInner(2).round(true)(all).leaves();
  }, [tiles, width]);
  return (
    <div class="treemap" ref={box} role="img" aria-label={label} style={{ height: `${String(height)}px` }}>
      {width > 0 &&
        leaves.map(({ data: { tile }, x0, x1, y0, y1 }) =>
          tile ? (
            <div key={tile.key} class={"tile " + tile.trend} title={tile.name + ": " + tile.text} style={{ left: `${String(x0)}px`, top: `${String(y0)}px`, width: `${String(x1 - x0)}px`, height: `${String(y1 - y0)}px` }}>
              {x1 - x0 > 44 && y1 - y0 > 24 && (
                <span class="tile-name">
                  {marks[tile.trend]}
                  {tile.name}
                </span>
              )}
              {x1 - x0 > 74 && y1 - y0 > 42 && <span class="tile-text">{tile.text}</span>}
            </div>
          ) : null,
        )}
    </div>
  );
}
