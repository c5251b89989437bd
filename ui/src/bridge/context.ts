// What the host says about the place the view is shown in.
import { applyDocumentTheme, applyHostStyleVariables, type McpUiHostContext } from "@modelcontextprotocol/ext-apps";
import { signal } from "@preact/signals";

import { contrast, resolve } from "./colour.ts";
import { at, isObj, num } from "../contract/json.ts";

export interface Layout {
  /** The height is the host's: the view fills it and scrolls inside. */
  readonly fixed: boolean;
}

const colour = /^--color-/;

export class HostContext {
  readonly layout = signal<Layout>({ fixed: false });
  /** Grows when colours may have changed, for what is painted by hand. */
  readonly look = signal(0);

  private readonly prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  /** What the host says; until it does, and where it does not, the device's theme is taken. */
  private given: "light" | "dark" | null = null;

  constructor(private readonly root: HTMLElement) {
    applyDocumentTheme(this.now());
    this.prefersDark.addEventListener("change", () => {
      applyDocumentTheme(this.now());
      this.look.value++;
    });
  }

  private now(): "light" | "dark" {
    return this.given ?? (this.prefersDark.matches ? "dark" : "light");
  }

  /** The background is the host's until its theme is known: no flash of another. */
  settle(): void {
    this.root.setAttribute("data-settled", "");
  }

  apply(context: McpUiHostContext): void {
    this.given = context.theme === "light" || context.theme === "dark" ? context.theme : null;
    applyDocumentTheme(this.now());
    this.settle();
    this.colours(context.styles?.variables);
    for (const side of ["top", "right", "bottom", "left"]) {
      const inset = num(at(context.safeAreaInsets, side));
      this.root.style.setProperty("--inset-" + side, String(Math.min(Math.max(inset ?? 0, 0), 200)) + "px");
    }
    const fixed = context.displayMode === "fullscreen" || num(at(context.containerDimensions, "height")) !== null;
    this.root.classList.toggle("fixed-height", fixed);
    if (this.layout.value.fixed !== fixed) this.layout.value = { fixed };
    this.look.value++;
  }

  /** Whether a host's background suits its text and what stays ours. */
  private readable(background: unknown, text: unknown): boolean {
    if (typeof background !== "string" || typeof text !== "string") return false;
    const behind = resolve(background, this.root);
    const ours = ["--text-2", "--up", "--down", "--accent"].map((name) => getComputedStyle(this.root).getPropertyValue(name));
    return behind !== null && [text, ...ours].every((css) => {
      const colour = resolve(css, this.root);
      return colour !== null && contrast(colour, behind) >= 4.5;
    });
  }

  /** Colours count as a set: without background and text both, their pairs could be unreadable. */
  private colours(variables: unknown): void {
    for (const name of [...this.root.style]) {
      if (name.startsWith("--color-") || name.startsWith("--font-") || name.startsWith("--border-")) this.root.style.removeProperty(name);
    }
    this.root.removeAttribute("data-host-colours");
    if (!isObj(variables)) return;
    const whole = this.readable(variables["--color-background-primary"], variables["--color-text-primary"]);
    const used = Object.entries(variables).filter(([name, value]) => typeof value === "string" && (whole || !colour.test(name)));
    applyHostStyleVariables(Object.fromEntries(used) as Parameters<typeof applyHostStyleVariables>[0], this.root);
    this.root.toggleAttribute("data-host-colours", whole);
  }
}
