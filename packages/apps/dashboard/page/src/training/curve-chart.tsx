/**
 * Plots one number of some runs over their steps. Pointing shows the values of the nearest step, and clicking opens its
 * episodes.
 */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { numberText } from "../parts/format.js";

import "uplot/dist/uPlot.min.css";

/** Colors that can be distinguished in both themes, and by people with color vision deficiency. */
export const curveColors = [
  "#2f6fde",
  "#d9701a",
  "#1c9a6c",
  "#b04bc4",
  "#c23a4b",
  "#7a8a12",
  "#1797b8",
  "#8a6b52",
] as const;
const height = 190;

export function CurveChart({ title, curves, weight, onStep }: CurveChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const pointed = useSignal<number | undefined>(undefined);
  const press = useRef(onStep);
  press.current = onStep;
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const { steps, values } = overlaid(curves);
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      const style = getComputedStyle(element);
      const ink = style.getPropertyValue("--dim");
      const grid = { stroke: style.getPropertyValue("--line"), width: 1 };
      const axis = { stroke: ink, grid, ticks: grid, font: "11px system-ui" };
      plot = new uPlot(
        {
          width: element.clientWidth || 300,
          height,
          legend: { show: false },
          cursor: { y: false, drag: { x: true, y: false } },
          scales: { x: { time: false } },
          hooks: {
            setCursor: [
              ({ cursor: { idx, left = -1 } }) => {
                pointed.value = typeof idx === "number" && left >= 0 ? steps[idx] : undefined;
              },
            ],
          },
          axes: [
            {
              ...axis,
              size: 30,
              label: "step",
              labelSize: 18,
              labelFont: "11px system-ui",
              labelGap: 0,
              incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000],
            },
            {
              ...axis,
              size: (_plot, labels) => axisWidth(labels ?? []),
              values: (_plot, splits) => splits.map(numberText),
            },
          ],
          series: [
            { label: "step" },
            ...curves.flatMap(({ run }, index): uPlot.Series[] => {
              const stroke = curveColors[index % curveColors.length] ?? ink;
              const main = { label: run, stroke, width: 1.6, spanGaps: true, points: { size: 5 } };
              return weight > 0
                ? [
                    {
                      label: `${run} as it was`,
                      stroke: `${stroke}40`,
                      width: 1,
                      spanGaps: true,
                      points: { show: false },
                    },
                    main,
                  ]
                : [main];
            }),
          ],
        },
        [steps, ...values.flatMap((own) => (weight > 0 ? [own, smoothed(own, weight)] : [own]))],
        element,
      );
      plot.over.addEventListener("click", () => {
        const at = plot?.cursor.idx;
        const step = typeof at === "number" ? steps[at] : undefined;
        if (step !== undefined) press.current(step);
      });
    };
    draw();
    const watcher = new ResizeObserver(() => {
      if (plot && element.clientWidth > 0 && element.clientWidth !== plot.width)
        plot.setSize({ width: element.clientWidth, height });
    });
    watcher.observe(element);
    addEventListener("palimpsest-theme", draw);
    return () => {
      watcher.disconnect();
      removeEventListener("palimpsest-theme", draw);
      plot?.destroy();
    };
  }, [curves, weight]);
  const newest = Math.max(0, ...curves.map(({ steps }) => steps.at(-1) ?? 0));
  const step = pointed.value ?? newest;
  return (
    <figure class="card curve" data-curve={title}>
      <figcaption>
        {title}{" "}
        <span class="dim" data-value>
          {valuesAt(curves, step).map(({ run, value }, at) => (
            <span key={run} class="curve-value">
              {curves.length > 1 ? (
                <svg width="8" height="8" aria-hidden="true">
                  <rect width="8" height="8" rx="2" fill={curveColors[at % curveColors.length]} />
                </svg>
              ) : null}
              {value === undefined ? "–" : numberText(value)}
            </span>
          ))}
          <span class="small"> step {step}</span>
        </span>
      </figcaption>
      <div
        ref={frame}
        role="img"
        aria-label={`${title} over steps of ${curves.map(({ run }) => run).join(", ")}`}
      />
    </figure>
  );
}

interface CurveChartProps {
  readonly title: string;
  readonly curves: readonly Curve[];
  /** Weight of earlier values in the smoothed curve, in [0, 1). */
  readonly weight: number;
  readonly onStep: (step: number) => void;
}

/** The words around a chart: how wide its axis must be for whole labels, and the values under the pointer. */

/** Pixels of the widest digit or sign at the axis's 11 pixels, in any of the fonts that system-ui stands for. */
const characterWidth = 7.2;
/** Pixels of the ticks and the gap between them and the labels. */
const besideLabels = 18;
const leastWidth = 40;

/** @param labels texts of the axis; a plot may leave some out */
function axisWidth(labels: readonly (string | number | null)[]): number {
  const longest = labels.reduce<number>((most, label) => Math.max(most, String(label ?? "").length), 0);
  return Math.max(leastWidth, Math.ceil(longest * characterWidth) + besideLabels);
}

/** Returns each run's value at a step; undefined where it has none. */
function valuesAt(
  curves: readonly Curve[],
  step: number,
): { readonly run: string; readonly value: number | undefined }[] {
  return curves.map(({ run, steps, values }) => ({ run, value: values[steps.indexOf(step)] ?? undefined }));
}

/**
 * Computes an exponential average without a bias toward zero at the beginning. Missing values stay missing.
 * @param weight weight of earlier values, in [0, 1)
 */
function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return [...values];
  let sum = 0;
  let norm = 0;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    sum = weight * sum + (1 - weight) * value;
    norm = weight * norm + (1 - weight);
    return sum / norm;
  });
}

interface Curve {
  readonly run: string;
  readonly steps: readonly number[];
  readonly values: readonly (number | null)[];
}

/** Aligns the curves of several runs over the union of their steps. */
function overlaid(curves: readonly Curve[]): {
  readonly steps: number[];
  readonly values: (number | null)[][];
} {
  const steps = [...new Set(curves.flatMap((curve) => curve.steps))].sort((a, b) => a - b);
  const place = new Map(steps.map((step, at) => [step, at]));
  const values = curves.map((curve) => {
    const own = new Array<number | null>(steps.length).fill(null);
    curve.steps.forEach((step, at) => {
      own[place.get(step) ?? 0] = curve.values[at] ?? null;
    });
    return own;
  });
  return { steps, values };
}
