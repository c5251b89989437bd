// A part that can be folded away.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

export function Collapsible({ title, open = false, children }: { title: string; open?: boolean; children: ComponentChildren }) {
  // The part is drawn with the click; the browser tells of a toggle only later.
  const [shown, setShown] = useState(open);
  return (
    <details class="collapsible" open={shown} onToggle={(event) => setShown((event.target as HTMLDetailsElement).open)}>
      <summary onClick={(event) => (event.preventDefault(), setShown(!shown))}>{title}</summary>
      {shown && <div class="collapsed-part">{children}</div>}
    </details>
  );
}
