/** The path of a small curve, with a gap wherever a value is missing. */
export function curvePath(
  points: readonly (number | null)[],
  { width, height, most }: { readonly width: number; readonly height: number; readonly most: number },
): { readonly line: string; readonly area: string } {
  const x = (at: number) => round((at / Math.max(1, points.length - 1)) * width);
  // A line of 1 at the edge would be cut in half.
  const y = (value: number) =>
    round(height - 1 - Math.max(0, Math.min(1, value / (most > 0 ? most : 1))) * (height - 2));
  let line = "";
  let area = "";
  let from: number | undefined;
  points.forEach((value, at) => {
    const next = points[at + 1] ?? null;
    if (value === null) return;
    if (from === undefined) {
      from = at;
      line += `M${x(at)} ${y(value)}`;
      area += `M${x(at)} ${height}L${x(at)} ${y(value)}`;
      // A value between two gaps is a short line rather than nothing.
      if (next === null) line += `h1`;
    } else {
      line += `L${x(at)} ${y(value)}`;
      area += `L${x(at)} ${y(value)}`;
    }
    if (next === null) {
      area += `L${x(at)} ${height}Z`;
      from = undefined;
    }
  });
  return { line, area };
}

const round = (value: number) => Math.round(value * 100) / 100;
