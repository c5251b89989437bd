// The hosts of the world, as far as they differ.
export interface Profile {
  readonly name: string;
  /** The tool that the host says the view was opened for; null when it does not say. */
  readonly toolName: string | null;
  /** Announces that it passes calls on. */
  readonly serverTools: boolean;
  /** Passes calls on. */
  readonly passesCalls: boolean;
  readonly dropsMeta?: boolean;
  readonly dropsStructured?: boolean;
  /** Delivers the answers of the view's own calls again. */
  readonly echoes?: boolean;
  readonly ignoresSize?: boolean;
  /** Puts the view into a frame within a frame, as the specification advises. */
  readonly proxied?: boolean;
  /** Answers calls in another order than they were made. */
  readonly reorders?: boolean;
  /** Sends what it has before the view has said that it is ready. */
  readonly hasty?: boolean;
  readonly theme?: "light" | "dark";
  readonly displayMode?: "inline" | "fullscreen";
  readonly styles?: Readonly<Record<string, string>>;
  readonly height?: number;
  readonly maxHeight?: number;
  /** Takes texts for the model, and files for the person. */
  readonly offers?: "takes" | "refuses";
  readonly extraContext?: Readonly<Record<string, unknown>>;
  /** Sent before the view has said that it is ready. */
  readonly early?: readonly { input?: Record<string, unknown>; result?: Record<string, unknown> }[];
}

const full: Profile = { name: "full", toolName: "portfolio", serverTools: true, passesCalls: true, maxHeight: 4000 };

export const profiles = {
  full,
  chatgpt: { ...full, name: "chatgpt", toolName: "kite_explorer", echoes: true, displayMode: "fullscreen", extraContext: { "openai/deepLink": null, "openai/userAgent": { device: { type: "desktop" } } } },
  noToolInfo: { ...full, name: "no-toolinfo", toolName: null },
  noServerTools: { ...full, name: "no-servertools", serverTools: false, passesCalls: false },
  refusing: { ...full, name: "refusing", passesCalls: false },
  silent: { ...full, name: "silent", ignoresSize: true },
  noMeta: { ...full, name: "no-meta", dropsMeta: true },
  noStructured: { ...full, name: "no-structured", dropsStructured: true },
  fixedHeight: { ...full, name: "fixed-height", height: 520 },
  early: { ...full, name: "early", hasty: true },
  reordering: { ...full, name: "reordering", reorders: true },
  proxied: { ...full, name: "proxied", proxied: true },
  sparseStyle: { ...full, name: "sparse-style", styles: { "--color-text-primary": "#ffffff" } },
} as const satisfies Record<string, Profile>;
