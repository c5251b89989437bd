// Tabs as the tabs pattern has them: arrows, Home and End move and choose.
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

export interface Tab<K extends string> {
  readonly key: K;
  readonly title: string;
}

interface Props<K extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<K>[];
  readonly active: K;
  readonly onChoose: (key: K) => void;
  readonly children: ComponentChildren;
}

export function Tabs<K extends string>({ label, tabs, active, onChoose, children }: Props<K>) {
  const id = useId();
  const bar = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const here = tabs.findIndex((t) => t.key === active);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const number = (to + tabs.length) % tabs.length;
    const next = tabs[number];
    if (!next) return;
    onChoose(next.key);
    bar.current?.querySelectorAll("button")[number]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-bar" role="tablist" aria-label={label} ref={bar} onKeyDown={onKeyDown}>
        {tabs.map((t) => (
          <button key={t.key} type="button" role="tab" id={`${id}-${t.key}`} aria-selected={t.key === active} aria-controls={`${id}-panel`} tabIndex={t.key === active ? 0 : -1} onClick={() => onChoose(t.key)}>
            {t.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${active}`} class="tab-panel">
        {children}
      </div>
    </div>
  );
}
