import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { latestCheckpoint, loadCheckpoint, trainedWeights } from "@palimpsest/learner";
import { loadTokenizer, type ModelFolder } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { parseConfig } from "./config-error.js";
import { checkpointDirOf } from "./learner-actor.js";
import {
  absoluteSource,
  modelSourceSchema,
  type ResolveSourceOptions,
  resolveSource,
} from "./model-source.js";

const runFileSchema = z.object({ recipe: z.object({ model: modelSourceSchema }) });

export interface RunModelOptions extends ResolveSourceOptions {
  /** Folder to take the tokenizer from; default: the model that the run began with. */
  readonly tokenizerFrom?: string;
}

/** True of a run's folder and of one of its checkpoints. */
export function holdsRunModel(folder: string): boolean {
  return existsSync(join(folder, "run.json")) || existsSync(join(folder, "checkpoint.json"));
}

/**
 * What a run has made so far: the weights of a checkpoint (of a run's folder: of its newest), adapters merged,
 * with the tokenizer of the model that the run began with.
 * @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID; {LearnerError} CHECKPOINT_CORRUPT
 */
export async function readRunModel(folder: string, options: RunModelOptions): Promise<ModelFolder> {
  const path = resolve(folder);
  const isRun = existsSync(join(path, "run.json"));
  const checkpoint = isRun ? await latestCheckpoint(checkpointDirOf(path)) : path;
  if (checkpoint === undefined)
    throw new PalimpsestError(
      "NOT_FOUND",
      `${path}: this run has no checkpoint yet; wait for its first step`,
    );
  const { model, parameters } = trainedWeights(await loadCheckpoint(checkpoint));
  // A checkpoint lies in the folder `checkpoints` of its run.
  const tokenizerFolder =
    options.tokenizerFrom ?? (await baseOf(isRun ? path : dirname(dirname(path)), options));
  return { config: model, parameters, tokenizer: await loadTokenizer(tokenizerFolder) };
}

async function baseOf(runDir: string, options: ResolveSourceOptions): Promise<string> {
  const file = join(runDir, "run.json");
  if (!existsSync(file)) {
    const mend = "give the folder of its run, or name a model folder with the tokenizer";
    throw new PalimpsestError("NOT_FOUND", `${file} is not there, so the tokenizer is not known; ${mend}`);
  }
  const { recipe } = parseConfig(runFileSchema, JSON.parse(readFileSync(file, "utf8")) as unknown, file);
  const source = absoluteSource(recipe.model, runDir);
  if (source.checkpoint === undefined) return await resolveSource(source, options);
  const earlier = source.checkpoint;
  return await baseOf(existsSync(join(earlier, "run.json")) ? earlier : dirname(dirname(earlier)), options);
}
