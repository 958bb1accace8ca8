/** A small curve of what was used in the last 15 minutes, with its newest value, or that under the pointer. */
import { useSignal } from "@preact/signals";
import { curvePath } from "./curve-path.js";
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
