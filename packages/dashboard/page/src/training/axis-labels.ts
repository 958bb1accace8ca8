/** The words around a chart: how wide its axis must be for whole labels, and the values under the pointer. */
import type { Curve } from "./smooth.js";

/** Pixels of the widest digit or sign at the axis's 11 pixels, in any of the fonts that system-ui stands for. */
const characterWidth = 7.2;
/** Pixels of the ticks and the gap between them and the labels. */
const besideLabels = 18;
const leastWidth = 40;

/** @param labels texts of the axis; a plot may leave some out */
export function axisWidth(labels: readonly (string | number | null)[]): number {
  const longest = labels.reduce<number>((most, label) => Math.max(most, String(label ?? "").length), 0);
  return Math.max(leastWidth, Math.ceil(longest * characterWidth) + besideLabels);
}

/** Returns each run's value at a step; undefined where it has none. */
export function valuesAt(
  curves: readonly Curve[],
  step: number,
): { readonly run: string; readonly value: number | undefined }[] {
  return curves.map(({ run, steps, values }) => ({ run, value: values[steps.indexOf(step)] ?? undefined }));
}
