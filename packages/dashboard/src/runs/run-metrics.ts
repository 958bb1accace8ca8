/** The lines of a run's metrics.jsonl as series: every number of a line is one, by its path. */
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Metrics } from "../api/runs.js";

/** Points of one series that an answer has; of more, each n-th one. */
const maxPoints = 20_000;
const maxSeries = 500;
const maxLineBytes = 1024 * 1024;

export async function runMetrics(folder: string): Promise<Metrics> {
  const path = join(folder, "metrics.jsonl");
  const steps: number[] = [];
  const series: Record<string, (number | null)[]> = {};
  let skipped = 0;
  if (!existsSync(path)) return { steps, series, skipped };
  let names = 0;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    if (line === "") continue;
    const numbers = line.length > maxLineBytes ? undefined : numbersOf(line);
    const step = numbers?.get("step");
    if (numbers === undefined || step === undefined) {
      skipped += 1;
      continue;
    }
    // A driver that took a step again wrote its line again.
    const again = steps.indexOf(step, Math.max(0, steps.length - 1_000));
    const at = again >= 0 ? again : steps.length;
    steps[at] = step;
    for (const [name, value] of numbers) {
      if (name === "step" || name === "steps") continue;
      let values = series[name];
      if (values === undefined) {
        if (names >= maxSeries) continue;
        names += 1;
        values = [];
        series[name] = values;
      }
      while (values.length < at) values.push(null);
      values[at] = value;
    }
  }
  for (const values of Object.values(series)) while (values.length < steps.length) values.push(null);
  return { ...thinned(steps, series), skipped };
}

function numbersOf(line: string): Map<string, number> | undefined {
  try {
    const numbers = new Map<string, number>();
    gather(JSON.parse(line), "", numbers);
    return numbers;
  } catch {
    return undefined;
  }
}

function gather(value: unknown, path: string, into: Map<string, number>): void {
  if (typeof value === "number") into.set(path, value);
  else if (typeof value === "boolean") into.set(path, Number(value));
  else if (typeof value === "object" && value !== null && !Array.isArray(value))
    for (const [name, part] of Object.entries(value))
      gather(part, path === "" ? name : `${path}.${name}`, into);
}

function thinned(
  steps: readonly number[],
  series: Readonly<Record<string, readonly (number | null)[]>>,
): Pick<Metrics, "steps" | "series"> {
  const every = Math.ceil(steps.length / maxPoints);
  if (every <= 1)
    return {
      steps: [...steps],
      series: Object.fromEntries(Object.entries(series).map(([k, v]) => [k, [...v]])),
    };
  const kept = <T>(values: readonly T[]) => values.filter((_, at) => at % every === 0);
  return {
    steps: kept(steps),
    series: Object.fromEntries(Object.entries(series).map(([name, values]) => [name, kept(values)])),
  };
}
