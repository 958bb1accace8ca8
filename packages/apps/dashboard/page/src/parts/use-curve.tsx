/** A small curve of what was used in the last 15 minutes, with its newest value, or that under the pointer. */
import { useSignal } from "@preact/signals";
import { durationText } from "./format.js";

const width = 180;
const height = 36;

export function UseCurve({ label, points, most, intervalMs, text, note }: UseCurveProps) {
  const at = useSignal<number | undefined>(undefined);
  const known = points.filter((value): value is number => value !== null);
  const newest = points.findLastIndex((value) => value !== null);
  const shown = at.value === undefined ? newest : at.value;
  const value = points[shown] ?? null;
  const ago = (points.length - 1 - shown) * intervalMs;
  const highest = known.length > 0 ? Math.max(...known) : 0;
  const { line, area } = curvePath(points, { width, height, most: most > 0 ? most : highest });
  return (
    <figure class="use" data-use={label}>
      <figcaption>
        <span>{label}</span>
        <b>{value === null ? "–" : text(value)}</b>
        <span class="dim small">
          {at.value !== undefined && ago > 0 ? `${durationText(ago)} ago` : (note ?? "")}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={
          known.length === 0
            ? `${label}: nothing was reported`
            : `${label}, the last 15 minutes: at most ${text(highest)}, now ${value === null ? "unknown" : text(known.at(-1) ?? 0)}`
        }
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const share = (event.clientX - box.left) / Math.max(1, box.width);
          at.value = Math.max(0, Math.min(points.length - 1, Math.round(share * (points.length - 1))));
        }}
        onPointerLeave={() => {
          at.value = undefined;
        }}
      >
        <path class="area" d={area} />
        <path class="line" d={line} />
        {at.value === undefined ? null : (
          <line
            class="pointer"
            x1={(shown / Math.max(1, points.length - 1)) * width}
            x2={(shown / Math.max(1, points.length - 1)) * width}
            y1="0"
            y2={height}
          />
        )}
      </svg>
    </figure>
  );
}

interface UseCurveProps {
  readonly label: string;
  /** The oldest first; null where nothing was reported. */
  readonly points: readonly (number | null)[];
  /** The value at the upper edge; 0: the highest point. */
  readonly most: number;
  readonly intervalMs: number;
  readonly text: (value: number) => string;
  /** What is said beside the value. */
  readonly note?: string;
}

/** The path of a small curve, with a gap wherever a value is missing. */
function curvePath(
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
