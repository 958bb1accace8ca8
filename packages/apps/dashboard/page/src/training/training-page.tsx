/**
 * Shows every number that runs have logged per step, with several runs in one plot, and where a step's time went.
 */
import { useMemo } from "preact/hooks";
import { type Metrics, runsSchema } from "../../../src/api/runs.js";
import { getJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { goTo, linkTo, place, withQuery } from "../data/route.js";
import { loadMetrics } from "../data/run-metrics.js";
import { FilterField } from "../parts/filter-field.js";
import { Loading, Problem } from "../parts/state.js";
import { CurveChart, curveColors } from "./curve-chart.js";
import { StepTimes } from "./step-times.js";

const mostRuns = 8;
/** Maximum number of charts at once. Each is a canvas, so more of them would make the page slow. */
const mostCharts = 40;

/** These metrics are shown first. */
const firstNames = [
  "rewardMean",
  "update.loss",
  "update.entropy",
  "update.policyKl",
  "update.gradientNorm",
  "update.responseTokensMean",
  "update.zeroVarianceFraction",
  "samplerTokensPerSecond",
  "learnerTokensPerSecond",
] as const;

interface Loaded {
  readonly all: readonly string[];
  readonly folders: readonly string[];
  readonly chosen: readonly { readonly run: string; readonly metrics: Metrics }[];
}

export function TrainingPage() {
  const { query } = place.value;
  const wanted = (query.get("runs") ?? "").split(",").filter(Boolean).slice(0, mostRuns);
  const key = wanted.join(",");
  const { now } = usePoll(
    async (signal): Promise<Loaded> => {
      const { rows, folders } = await getJson("/runs", runsSchema, signal);
      const all = rows.filter(({ lastStep }) => lastStep > 0).map(({ id }) => id);
      const runs = wanted.length > 0 ? wanted.filter((id) => all.includes(id)) : all.slice(0, 1);
      const chosen = await Promise.all(
        runs.map(async (run) => ({
          run,
          metrics: await loadMetrics(run, signal),
        })),
      );
      return { all, folders, chosen };
    },
    3_000,
    key,
  );
  const { value, error } = now.value;
  const words = query.get("q") ?? "";
  const weight = Number(query.get("smooth") ?? 0) / 100;
  const names = useMemo(() => {
    const known = new Set((value?.chosen ?? []).flatMap(({ metrics }) => Object.keys(metrics.series)));
    if (words === "") return firstNames.filter((name) => known.has(name));
    const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...known].filter(
      (name) => words === "*" || parts.every((part) => name.toLowerCase().includes(part)),
    );
    return found.sort();
  }, [value, words]);
  if (value === undefined) return error ? <Problem text={error} /> : <Loading />;
  const { all, chosen, folders } = value;
  const total = new Set(chosen.flatMap(({ metrics }) => Object.keys(metrics.series))).size;
  const set = (values: Readonly<Record<string, string>>) => goTo(withQuery(values), { replace: true });
  const shown = chosen.map(({ run }) => run);
  const toggle = (run: string) =>
    set({ runs: (shown.includes(run) ? shown.filter((one) => one !== run) : [...shown, run]).join(",") });
  return (
    <>
      <h1>Training</h1>
      <Problem text={error} />
      {all.length === 0 ? <p class="dim">No run in {folders.join(", ")} has trained a step yet.</p> : null}
      <fieldset class="runs">
        <legend class="dim">Runs to compare, at most {mostRuns}</legend>
        {all.slice(0, 200).map((run) => {
          const at = shown.indexOf(run);
          return (
            <label key={run}>
              <input
                type="checkbox"
                checked={at >= 0}
                disabled={at < 0 && shown.length >= mostRuns}
                onChange={() => toggle(run)}
              />
              {at >= 0 ? <Swatch color={curveColors[at % curveColors.length] ?? ""} /> : null}
              {run}
            </label>
          );
        })}
      </fieldset>
      <p class="tools">
        <FilterField
          label="Filter metrics"
          hint="name of a metric; * for all"
          value={words}
          onText={(text) => set({ q: text })}
        />
        <label>
          smoothing{" "}
          <input
            type="range"
            min={0}
            max={95}
            step={5}
            value={weight * 100}
            onInput={(event) => set({ smooth: event.currentTarget.value })}
          />
        </label>
        <span class="dim" data-charts>
          {Math.min(names.length, mostCharts)} of {total} metrics
        </span>
        <span class="dim small">click a curve to see the episodes of that step</span>
      </p>
      {names.length > mostCharts ? (
        <p class="warn">Only the first {mostCharts} are drawn: filter by name to see others.</p>
      ) : null}
      <Charts names={names.slice(0, mostCharts)} chosen={chosen} weight={weight} />
      {chosen.map(({ run, metrics }) => (
        <StepTimes key={run} run={run} metrics={metrics} step={Number(query.get("step") ?? 0)} />
      ))}
    </>
  );
}

function Charts({ names, chosen, weight }: ChartsProps) {
  const charts = useMemo(
    () =>
      names.map((name) => ({
        name,
        curves: chosen.map(({ run, metrics }) => ({
          run,
          steps: metrics.steps,
          values: metrics.series[name] ?? [],
        })),
      })),
    [
      names.join(),
      chosen.map(({ run, metrics }) => `${run} ${metrics.steps.at(-1)} ${metrics.steps.length}`).join(),
    ],
  );
  return (
    <div class="curves">
      {charts.map(({ name, curves }) => (
        <CurveChart
          key={name}
          title={name}
          curves={curves}
          weight={weight}
          onStep={(step) => goTo(linkTo(["runs", curves[0]?.run ?? ""], { step: String(step) }))}
        />
      ))}
    </div>
  );
}

interface ChartsProps {
  readonly names: readonly string[];
  readonly chosen: Loaded["chosen"];
  readonly weight: number;
}

function Swatch({ color }: { readonly color: string }) {
  return (
    <svg width="10" height="10" aria-hidden="true">
      <rect width="10" height="10" rx="2" fill={color} />
    </svg>
  );
}
