// Controls above a list: they act on this page only.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export function FilterBox({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const id = useId();
  return (
    <label class="field" for={id}>
      <span>Filter this page</span>
      <input id={id} type="search" value={value} maxLength={100} autoComplete="off" spellcheck={false} onInput={(event) => onChange((event.target as HTMLInputElement).value)} />
    </label>
  );
}

interface ChoiceProps<K extends string> {
  readonly label: string;
  readonly value: K;
  readonly options: readonly (readonly [K, string])[];
  readonly onChange: (value: K) => void;
}

export function Choice<K extends string>({ label, value, options, onChange }: ChoiceProps<K>) {
  const id = useId();
  return (
    <label class="field" for={id}>
      <span>{label}</span>
      <select id={id} value={value} onChange={(event) => onChange((event.target as HTMLSelectElement).value as K)}>
        {options.map(([key, title]) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

export const Toolbar = ({ children }: { children: ComponentChildren }) => <div class="toolbar">{children}</div>;
