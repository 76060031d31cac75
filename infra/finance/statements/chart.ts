/** One bar a day. The bars take the page's colour, so that the drawing fits its light and its dark form. */

const WIDTH = 640;
const HEIGHT = 120;
const GAP = 0.25;

/** Drawn in the order given; the table below the drawing has the numbers. */
export function drawDays(
  days: readonly { readonly day: string; readonly credits: number }[],
): string {
  const most = Math.max(1, ...days.map(({ credits }) => credits));
  const step = WIDTH / Math.max(days.length, 16);
  const bars = days.map(({ day, credits }, at) => {
    const height = (credits / most) * HEIGHT;
    const x = ((at + GAP / 2) * step).toFixed(1);
    const size = `width="${(step * (1 - GAP)).toFixed(1)}" height="${height.toFixed(1)}"`;
    return `<rect x="${x}" y="${(HEIGHT - height).toFixed(1)}" ${size}><title>${day}: ${credits}</title></rect>`;
  });
  const base = `<path d="M0 ${HEIGHT}.5H${WIDTH}" class="axis"/>`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT + 1}" class="days">${bars.join("")}${base}</svg>`;
}
