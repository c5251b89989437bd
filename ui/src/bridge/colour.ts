// Whether colours can be read on each other.

export type Rgb = readonly [number, number, number];

/** Relative luminance as WCAG 2.2 defines it. */
function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((c) => {
    const v = c / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: Rgb, b: Rgb): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** Reads any colour that CSS can write; null when it is none, or lets through what is behind it. */
export function resolve(css: string, within: HTMLElement): Rgb | null {
  const probe = document.createElement("span");
  probe.style.color = css;
  if (probe.style.color === "") return null;
  within.append(probe);
  const computed = getComputedStyle(probe).color;
  probe.remove();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const g = canvas.getContext("2d");
  if (!g) return null;
  g.fillStyle = computed;
  g.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = g.getImageData(0, 0, 1, 1).data;
  return red === undefined || green === undefined || blue === undefined || alpha !== 255 ? null : [red, green, blue];
}
