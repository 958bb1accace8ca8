import type { AgentKind } from "@palimpsest/agents";
import { resolveLearnerConfig } from "@palimpsest/learner";
import type { ModelConfig } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { StepReport } from "../records/event.js";
import type { ProcessMemory } from "../records/process-memory.js";
import { episodeMeter } from "./plan-episodes.js";
import { gpuSharing, plannedGpuBytes } from "./plan-gpu.js";
import { planModelIn } from "./plan-source.js";
import { firstExtents, type OpenTasks, planStep, type RunTime, replyShareOf } from "./plan-step.js";
import { type RunMemory, runMemory } from "./run-memory.js";

/** One figure of the dry run's plan, compared with what happened. */
export interface HeldFigure {
  readonly what: string;
  readonly unit: "seconds" | "bytes";
  /** null: it was not planned, and `note` says why. */
  readonly planned: number | null;
  /** null: it was not measured, and `note` says why. */
  readonly measured: number | null;
  /** Measured divided by planned; null if one of the two is missing or the plan is zero. */
  readonly ratio: number | null;
  readonly note?: string;
}

/** The measurements of a run, as far as they were taken. */
export interface MeasuredRun {
  readonly steps: readonly StepReport[];
  /** Absent if the process did not answer. */
  readonly learner: ProcessMemory | undefined;
  /** Memory of the rollout actors that answered. */
  readonly rollouts: readonly ProcessMemory[];
}

/** The plan of `train --dry-run` for a run. */
export interface PlannedRun {
  readonly time: RunTime;
  readonly needs: RunMemory;
}

export interface PlannedRunOptions {
  readonly recipe: Recipe;
  /** Folder of the run's initial model. */
  readonly modelFolder: string;
  readonly tasks: OpenTasks;
  readonly agent: AgentKind | undefined;
  /** Memory of the learner's GPU, if it has one. */
  readonly gpuBytes: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Makes the dry run's plan for a run that has ended, from its own tasks; returns a text if it cannot be made, since a user's
 * agent may refuse the replies that a plan is made with.
 * @throws the signal's reason
 */
export async function plannedRun(options: PlannedRunOptions): Promise<PlannedRun | string> {
  const { recipe, modelFolder, tasks, agent, gpuBytes, signal } = options;
  try {
    const model = await planModelIn(modelFolder, recipe.model.ignoreConfig);
    const config = resolveLearnerConfig(recipe.learner);
    const meter = episodeMeter(recipe.agent, model, {
      ...{ module: agent, buckets: config.buckets, replyShare: replyShareOf(recipe) },
    });
    const extents = await firstExtents(meter, tasks, signal);
    const { time } = planStep(recipe, model.config, config, extents);
    return { time, needs: neededBy(recipe, model.config, gpuBytes) };
  } catch (reason) {
    if (signal.aborted) throw reason;
    return PalimpsestError.from(reason).message;
  }
}

function neededBy(recipe: Recipe, model: ModelConfig, gpuBytes: number | undefined): RunMemory {
  return runMemory(recipe, model, plannedGpuBytes(recipe, gpuBytes));
}

/** Pairs plan and measurement: seconds per step, then memory of the processes and of their GPUs. */
export function heldPlan(
  recipe: Recipe,
  planned: PlannedRun | string,
  { steps, learner, rollouts }: MeasuredRun,
): HeldFigure[] {
  const plan = typeof planned === "string" ? undefined : planned;
  const unplanned = typeof planned === "string" ? `not planned: ${planned}` : undefined;
  const figure = (
    what: string,
    unit: HeldFigure["unit"],
    expected: number | undefined,
    { value, note }: Measurement,
  ): HeldFigure => {
    const notes = [unplanned, note].filter((text) => text !== undefined);
    return {
      what,
      unit,
      planned: expected ?? null,
      measured: value ?? null,
      ratio: expected !== undefined && expected > 0 && value !== undefined ? value / expected : null,
      ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
    };
  };
  const needs = plan?.needs;
  const seconds = plan?.time.expected;
  return [
    figure(
      "rollouts of a step",
      "seconds",
      seconds && seconds.sampling + seconds.loading,
      rolloutSeconds(recipe, steps),
    ),
    figure("update of a step", "seconds", seconds?.update, updateSeconds(steps)),
    figure(
      "publication of a step",
      "seconds",
      seconds?.publishing,
      partSeconds(settled(steps), "publishSeconds"),
    ),
    figure("checkpoints of a step", "seconds", seconds?.checkpoint, partSeconds(steps, "checkpointSeconds")),
    figure("a step", "seconds", seconds && seconds.total - seconds.evaluation, wholeSeconds(steps)),
    figure("learner", "bytes", needs?.learnerBytes, peakOf(learner === undefined ? [] : [learner], 1)),
    figure("a rollout actor", "bytes", needs?.rolloutBytes, peakOf(rollouts, recipe.rollout.actors)),
    ...gpuFigures(recipe, needs, learner, rollouts).map(({ what, expected, measured }) =>
      figure(what, "bytes", expected, measured),
    ),
  ];
}

/** A number, or why there is none. */
interface Measurement {
  readonly value?: number | undefined;
  readonly note?: string | undefined;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function meanOfSteps(values: readonly number[], compiled: boolean): Measurement {
  if (values.length === 0)
    return { note: "not measured: this driver ran no step of which it could be measured" };
  const note = values.length === 1 ? "one step" : `mean of ${values.length} steps`;
  return { value: mean(values), note: compiled ? `${note}, including compilation` : note };
}

/** Leaves out the first step that this driver saw, which compiles functions, unless it is the only one. */
function settled(steps: readonly StepReport[]): readonly StepReport[] {
  return steps.length > 1 ? steps.slice(1) : steps;
}

function rolloutSeconds({ train }: Recipe, steps: readonly StepReport[]): Measurement {
  if (train.maxStaleness > 0)
    return {
      note: "not measured: with train.maxStaleness above 0 rollouts and updates run at the same time",
    };
  // Rollouts that started during an evaluation were not timed from their beginning.
  const alone = settled(steps).filter((step) => step.rolloutSeconds <= step.learnerWaitSeconds);
  return meanOfSteps(
    alone.map((step) => step.rolloutSeconds),
    steps.length === 1,
  );
}

function updateSeconds(steps: readonly StepReport[]): Measurement {
  const own = settled(steps);
  return meanOfSteps(
    own.map((step) => step.updateSeconds),
    steps.length === 1,
  );
}

/** Not every step leaves a checkpoint, so that the first one counts there. */
function partSeconds(
  steps: readonly StepReport[],
  part: "checkpointSeconds" | "publishSeconds",
): Measurement {
  return meanOfSteps(
    steps.map((step) => step[part]),
    false,
  );
}

/** The learner waits for groups, or updates, saves and publishes. */
function wholeSeconds(steps: readonly StepReport[]): Measurement {
  return meanOfSteps(
    settled(steps).map(
      (step) => step.learnerWaitSeconds + step.updateSeconds + step.publishSeconds + step.checkpointSeconds,
    ),
    steps.length === 1,
  );
}

function peakOf(processes: readonly ProcessMemory[], count: number): Measurement {
  const [first, ...others] = processes.map(({ peakRssBytes }) => peakRssBytes);
  if (first === undefined) return { note: "not measured: the process did not answer at the run's end" };
  const missing = processes.length < count ? `; ${count - processes.length} of ${count} did not answer` : "";
  return { value: Math.max(first, ...others), note: `highest resident set${missing}` };
}

interface GpuFigure {
  readonly what: string;
  readonly expected: number | undefined;
  readonly measured: Measurement;
}

function gpuFigures(
  recipe: Recipe,
  needs: RunMemory | undefined,
  learner: ProcessMemory | undefined,
  rollouts: readonly ProcessMemory[],
): GpuFigure[] {
  const { besideLearner, mates } = gpuSharing(recipe);
  const figures: GpuFigure[] = [];
  const used = (processes: readonly ProcessMemory[]): Measurement => {
    const [first, ...others] = processes.flatMap(({ gpuUsedBytes }) => gpuUsedBytes ?? []);
    if (first === undefined)
      return { note: "not measured: nvidia-smi did not report the used memory of the process's GPU" };
    return { value: Math.max(first, ...others), note: "used memory of the GPU at the run's end" };
  };
  if (recipe.learnerGpus > 0) {
    const beside = besideLearner === 0 ? "" : `, with ${besideLearner} of the rollout actors`;
    figures.push({
      what: `the learner's GPU${beside}`,
      expected: needs && needs.learnerDeviceBytes + besideLearner * needs.rolloutDeviceBytes,
      measured: used(learner === undefined ? [] : [learner]),
    });
  }
  if (mates > 0)
    figures.push({
      what: `a GPU of ${mates === 1 ? "a rollout actor" : `${mates} rollout actors`}`,
      expected: recipe.rollout.engine === undefined && needs ? mates * needs.rolloutDeviceBytes : undefined,
      measured:
        recipe.rollout.engine !== undefined
          ? {
              note: "neither planned nor measured: an engine's own flags determine how much of its GPU it takes",
            }
          : besideLearner > 0
            ? { note: "not measured: the other rollout actors share the learner's GPU" }
            : used(rollouts),
    });
  return figures;
}

const figureText = (value: number | null, unit: HeldFigure["unit"]) => {
  if (value === null) return "–";
  if (unit === "bytes") return `${(value / 2 ** 30).toFixed(2)} GiB`;
  return `${Number(value.toPrecision(2))} s`;
};

/** Formats one figure as a line: planned, measured, ratio and note. */
export function heldText({ planned, measured, unit, ratio, note }: HeldFigure): string {
  const times = ratio === null ? "" : `, ${ratio.toFixed(2)} times as much`;
  const said = `planned ${figureText(planned, unit)}, measured ${figureText(measured, unit)}${times}`;
  return note === undefined ? said : `${said} (${note})`;
}
