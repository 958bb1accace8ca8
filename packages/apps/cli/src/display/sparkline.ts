const bars = "▁▂▃▄▅▆▇█";

/** Draws a curve in one line: the last `width` points, averaged to fit, from `low` to `high`. */
export function sparkline(values: readonly number[], width: number, low = 0, high = 1): string {
  if (values.length === 0) return "";
  const columns = Math.min(width, values.length);
  let line = "";
  for (let column = 0; column < columns; column++) {
    const start = Math.floor((column * values.length) / columns);
    const end = Math.max(start + 1, Math.floor(((column + 1) * values.length) / columns));
    const slice = values.slice(start, end);
    const mean = slice.reduce((sum, value) => sum + value, 0) / slice.length;
    const level = Math.round(((mean - low) / (high - low || 1)) * (bars.length - 1));
    line += bars[Math.min(bars.length - 1, Math.max(0, level))];
  }
  return line;
}
