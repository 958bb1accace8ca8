import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Backend, loadBackend } from "@palimpsest/jit";
import {
  checkpointBefore,
  hasAdapters,
  loadCheckpoint,
  localPeers,
  loggedDump,
  type Peers,
  type Replay,
  readCheckpointExtra,
  readStepDump,
  replayStep,
  type StepRecord,
  stepDumpFile,
  type UpdateMetrics,
} from "@palimpsest/learner";
import type { StepDump } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { loadKeptModules } from "../modules/kept-modules.js";
import { publishedType } from "../parts/learner-settings.js";
import { parseConfig } from "../recipe/config-error.js";
import type { ModelCache } from "../recipe/model-source.js";
import { loggedAfter, stepLogOf } from "../run-folder/learner-saves.js";
import { loadBase } from "../run-folder/run-model.js";
import { checkpointDirOf, dumpDirOf } from "../run-folder/run-paths.js";

/** The part of a line of metrics.jsonl that a replay is compared with. */
const recordedSchema = z.object({
  step: z.int(),
  weightsHash: z.string().optional(),
  update: z.record(z.string(), z.unknown()),
});
const runSchema = z.object({
  recipe: z.object({
    learnerThreads: z.int().min(1).optional(),
    learnerActors: z.int().min(1).default(1),
    learner: z.object({ lora: z.unknown() }).default({ lora: null }),
    rollout: z
      .object({
        precision: z.string().optional(),
        engine: z.object({ weightsType: z.string().optional() }).optional(),
      })
      .default({}),
  }),
});

/** Metrics that measure time and therefore differ in a replay. */
const timings = new Set(["durationMs", "tokensPerSecond", "modelTeraflops", "modelFlopUtilization"]);

/** A step that was repeated, with what the run had recorded for it. */
export interface ReplayedStep {
  readonly step: number;
  readonly metrics: UpdateMetrics;
  readonly weightsHash: string;
  /** Hash of the run's weights after the step, from metrics.jsonl; absent if the run ended before it was written. */
  readonly recordedHash: string | undefined;
  /** Metrics that differ from the recorded ones: name, recorded, replayed. */
  readonly differences: readonly {
    readonly name: string;
    readonly recorded: unknown;
    readonly replayed: unknown;
  }[];
}

/**
 * Repeats step `step` of the run in `runDir` from the checkpoint before it and its dump, without sampling.
 * @throws {PalimpsestError} NOT_FOUND naming the missing file
 */
export async function replayRunStep(options: {
  readonly runDir: string;
  readonly step: number;
  /** Cache folder for named models and models from a hub. */
  readonly models: ModelCache;
  /** Default: the backend of the run's learner. */
  readonly backend?: Backend;
}): Promise<ReplayedStep> {
  const { step } = options;
  const runDir = resolve(options.runDir);
  const checkpointDir = checkpointDirOf(runDir);
  const before = await stepsBefore(checkpointDir, step);
  const dumpFile = stepDumpFile(dumpDirOf(checkpointDir), step);
  if (!existsSync(dumpFile))
    throw new PalimpsestError(
      "NOT_FOUND",
      `step ${step} has no dump at ${dumpFile}; only the last train.keepStepDumps steps have one`,
    );
  const runFile = join(runDir, "run.json");
  const run = parseConfig(runSchema, JSON.parse(await readFile(runFile, "utf8")), runFile);
  const { learnerThreads: threads, learnerActors } = run.recipe;
  const backend = options.backend ?? (await loadBackend(threads === undefined ? {} : { threads }));
  const { advantage } = await loadKeptModules(runDir, ["learner.advantage"]);
  const checkpoint = await loadCheckpoint(before.folder);
  const given = {
    backend,
    checkpoint,
    ...(hasAdapters(checkpoint)
      ? { baseParameters: (await loadBase(runDir, options.models)).parameters }
      : {}),
    dump: await readStepDump(dumpFile),
    publishedType: publishedType(run.recipe),
    ...(advantage ? { advantage } : {}),
  };
  const replay = (more: { readonly peers?: Peers }) =>
    replayStep({ ...given, ...more, between: dumpsOf(checkpointDir, before.steps) });
  const { metrics, weightsHash } = await (learnerActors === 1
    ? replay({})
    : replayTogether(learnerActors, replay));
  const recorded = await recordedStep(runDir, step);
  return {
    step,
    metrics,
    weightsHash,
    recordedHash: recorded?.weightsHash,
    differences: recorded === undefined ? [] : differencesOf(recorded.update, metrics),
  };
}

/** Creates as many learners as the run had, in this process: with fewer the order of summation would differ. */
async function replayTogether(
  learnerActors: number,
  replay: (options: { readonly peers: Peers }) => Promise<Replay>,
): Promise<Replay> {
  const replays = localPeers(learnerActors).map(async ({ peers, fail }) => {
    try {
      return await replay({ peers });
    } catch (reason) {
      fail(reason);
      throw reason;
    }
  });
  const ends = await Promise.allSettled(replays);
  const [first] = ends;
  if (first?.status === "fulfilled") return first.value;
  throw first?.reason;
}

/** Finds the newest checkpoint before the step, and the logged steps between the two. */
async function stepsBefore(checkpointDir: string, step: number) {
  const folder = await checkpointBefore(checkpointDir, step);
  if (folder !== undefined) {
    const steps = (await loggedAfter(checkpointDir, await readCheckpointExtra(folder))).filter(
      ({ policyVersion }) => policyVersion < step,
    );
    const { policyVersion } = steps.at(-1) ?? (await readCheckpointExtra(folder));
    if (policyVersion === step - 1) return { folder, steps };
  }
  throw new PalimpsestError(
    "NOT_FOUND",
    `step ${step} starts from policy version ${step - 1}, which cannot be restored from the checkpoints and the log in ${checkpointDir}; choose a later step, or raise train.keepCheckpoints in the next run`,
  );
}

async function* dumpsOf(checkpointDir: string, steps: readonly StepRecord[]): AsyncGenerator<StepDump> {
  for (const step of steps) yield await loggedDump(stepLogOf(checkpointDir), step);
}

/** Returns the last line of that step: a resumed run may have written it twice. */
async function recordedStep(
  runDir: string,
  step: number,
): Promise<z.infer<typeof recordedSchema> | undefined> {
  const file = join(runDir, "metrics.jsonl");
  const text = existsSync(file) ? await readFile(file, "utf8") : "";
  let found: z.infer<typeof recordedSchema> | undefined;
  for (const line of text.split("\n")) {
    // A killed driver may have left an incomplete line.
    const parsed = recordedSchema.safeParse(parseLine(line));
    if (parsed.success && parsed.data.step === step) found = parsed.data;
  }
  return found;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function differencesOf(
  recorded: Readonly<Record<string, unknown>>,
  metrics: UpdateMetrics,
): ReplayedStep["differences"] {
  const replayed: Readonly<Record<string, unknown>> = { ...metrics };
  return Object.keys(recorded)
    .filter((name) => !timings.has(name) && name in replayed)
    .filter((name) => JSON.stringify(recorded[name]) !== JSON.stringify(replayed[name]))
    .map((name) => ({ name, recorded: recorded[name], replayed: replayed[name] }));
}
