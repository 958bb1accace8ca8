import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type AgentModule, type AgentSettings, agentSettingsSchema } from "@palimpsest/agents";
import {
  hasAdapters,
  latestCheckpoint,
  loadCheckpoint,
  trainedAdapters,
  trainedWeights,
} from "@palimpsest/learner";
import {
  type AdapterFolder,
  loadGenerationConfig,
  loadModel,
  loadTokenizer,
  type ModelConfig,
  type ModelFolder,
  saveModel,
  withTokenlessIds,
} from "@palimpsest/model";
import { pathError } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { isSupervised } from "../demonstrations/supervised-start.js";
import { loadKeptModules } from "../modules/kept-modules.js";
import { parseConfig } from "../recipe/config-error.js";
import {
  type ModelSource,
  modelSourceSchema,
  type ResolveSourceOptions,
  resolveSource,
} from "../recipe/model-source.js";
import { checkpointDirOf } from "./run-paths.js";

const runFileSchema = z.object({
  recipe: z.object({ model: modelSourceSchema, start: z.unknown().optional() }),
});
/** A run stores its agent's complete settings, so that later changes of presets do not affect it. */
const savedAgentSchema = z
  .object({ kind: z.string(), config: z.record(z.string(), z.unknown()) })
  .loose()
  .transform(({ kind, preset, config, ...agent }) => ({
    ...agent,
    // An agent from a module has no `kind`.
    ...(kind === "module" ? {} : { kind }),
    ...(preset === "" ? {} : { preset }),
    settings: config,
  }));
const runAgentSchema = z.object({
  recipe: z.object({
    agent: z.preprocess((saved) => savedAgentSchema.safeParse(saved).data ?? saved, agentSettingsSchema),
  }),
});

/** How the model of a run is found. */
export interface RunModelOptions extends ResolveSourceOptions {
  /** Folder of the tokenizer; default: the run's initial model. */
  readonly tokenizerFrom?: string;
}

/** A run's model, and the policy version of its checkpoint. */
export interface RunModel extends ModelFolder {
  readonly policyVersion: number;
}

/** Returns true for a run's folder and for one of its checkpoints. */
export function holdsRunModel(folder: string): boolean {
  return existsSync(join(folder, "run.json")) || existsSync(join(folder, "checkpoint.json"));
}

/**
 * Reads what a run has trained so far: the weights of a checkpoint, or of the newest checkpoint of a run's folder, with
 * adapters merged in, and the tokenizer of the run's initial model.
 * @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID; {LearnerError} CHECKPOINT_CORRUPT
 */
export async function readRunModel(folder: string, options: RunModelOptions): Promise<RunModel> {
  const { runDir, checkpoint } = await checkpointOf(folder);
  const saved = await loadCheckpoint(checkpoint);
  const base = hasAdapters(saved) ? (await loadBase(runDir, options)).parameters : undefined;
  const { model, parameters } = trainedWeights(saved, base);
  const tokenizerFolder = options.tokenizerFrom ?? (await baseOfRun(runDir, options));
  const generationConfig = await loadGenerationConfig(tokenizerFolder);
  const tokenizer = await loadTokenizer(tokenizerFolder);
  return {
    config: withTokenlessIds(model, (id) => tokenizer.hasToken(id)),
    parameters,
    policyVersion: saved.policyVersion,
    tokenizer,
    ...(generationConfig === undefined ? {} : { generationConfig }),
  };
}

/**
 * Reads the adapters that a run has trained so far, as PEFT stores them: those of a checkpoint, or of the newest
 * checkpoint of a run's folder. Their base is named by the id or known name that the run has for it, or by its folder.
 * It has no name if the checkpoint's run is missing.
 * @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID; {LearnerError} CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH without
 *   adapters
 */
export async function readRunAdapters(
  folder: string,
): Promise<AdapterFolder & { readonly model: ModelConfig; readonly policyVersion: number }> {
  if (!holdsRunModel(folder))
    throw new PalimpsestError(
      "NOT_FOUND",
      `${folder} contains neither run.json nor checkpoint.json; give the folder of a run with learner.lora, or one of its checkpoints`,
    );
  const { runDir, checkpoint } = await checkpointOf(folder);
  const saved = await loadCheckpoint(checkpoint);
  const baseModel = existsSync(join(runDir, "run.json")) ? baseNameOf(runDir) : undefined;
  return {
    ...trainedAdapters(saved),
    policyVersion: saved.policyVersion,
    ...(baseModel === undefined ? {} : { baseModel }),
  };
}

/** Returns the base of the run's adapters, which differs from the recipe's model if that was fine-tuned first. */
function baseNameOf(runDir: string): string | undefined {
  const { model, start } = readRunFile(runDir, runFileSchema).recipe;
  if (start !== undefined) return supervisedFolder(runDir);
  if (model.checkpoint !== undefined) return startFolder(runDir);
  return model.hub ?? model.name ?? model.path;
}

/**
 * Returns the newest checkpoint of a run's folder, or the checkpoint itself, with the folder of its run.
 * @throws {PalimpsestError} NOT_FOUND
 */
async function checkpointOf(folder: string): Promise<{ runDir: string; checkpoint: string }> {
  const path = resolve(folder);
  const isRun = existsSync(join(path, "run.json"));
  const checkpoint = isRun ? await latestCheckpoint(checkpointDirOf(path)) : path;
  if (checkpoint === undefined)
    throw new PalimpsestError(
      "NOT_FOUND",
      `${path}: this run has no checkpoint yet; wait for its first step`,
    );
  // A checkpoint is in the folder `checkpoints` of its run.
  return { checkpoint, runDir: isRun ? path : dirname(dirname(path)) };
}

/**
 * Returns the settings of the agent that a run trains.
 * @param folder folder of the run or of one of its checkpoints
 * @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID
 */
export function agentOfRun(folder: string): AgentSettings {
  return readRunFile(runDirOf(folder), runAgentSchema).recipe.agent;
}

/**
 * Loads the exports of the module whose agent the run trains, from the code that the run keeps.
 * @param folder as for `agentOfRun`
 * @returns undefined for a built-in agent
 * @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID
 */
export async function agentModuleOfRun(folder: string): Promise<AgentModule | undefined> {
  if (agentOfRun(folder).kind !== "module") return undefined;
  return (await loadKeptModules(runDirOf(folder), ["agent"])).agent;
}

/** Returns the run's folder, given it or one of its checkpoints. */
function runDirOf(folder: string): string {
  const path = resolve(folder);
  return existsSync(join(path, "run.json")) ? path : dirname(dirname(path));
}

/** Returns the folder of a run's initial model. @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID */
async function baseOfRun(runDir: string, options: ResolveSourceOptions): Promise<string> {
  const { recipe } = readRunFile(runDir, runFileSchema);
  if (recipe.start !== undefined) {
    const folder = supervisedFolder(runDir);
    if (isSupervised(folder)) return folder;
    throw new PalimpsestError(
      "NOT_FOUND",
      `${folder}: this run has not finished its fine-tuning on demonstrations yet; wait until its first step`,
    );
  }
  return await resolveStart(recipe.model, runDir, options);
}

/** Loads a run's initial model. @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID; {ModelError} */
export async function loadBase(runDir: string, options: ResolveSourceOptions): Promise<ModelFolder> {
  const { ignoreConfig } = readRunFile(runDir, runFileSchema).recipe.model;
  return await loadModel(await baseOfRun(runDir, options), { ignoreConfig });
}

/** Returns the initial model of a run with a `start` section, after the fine-tuning on its demonstrations. */
export function supervisedFolder(runDir: string): string {
  return join(resolve(runDir), "supervised");
}

/** Returns the initial model of a run whose recipe names a checkpoint of another run. */
function startFolder(runDir: string): string {
  return join(resolve(runDir), "start");
}

function readRunFile<Schema extends z.ZodType>(runDir: string, schema: Schema): z.output<Schema> {
  const file = join(runDir, "run.json");
  if (!existsSync(file)) {
    const fix = "give the folder of its run, or a model folder with the tokenizer";
    throw new PalimpsestError(
      "NOT_FOUND",
      `${file} does not exist, so the run's recipe is not known; ${fix}`,
      { cause: pathError("ENOENT", file) },
    );
  }
  return parseConfig(schema, JSON.parse(readFileSync(file, "utf8")), file);
}

/** Returns the folder of the initial model of a checkpoint's run. @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID */
export async function baseOfCheckpoint(folder: string, options: ResolveSourceOptions): Promise<string> {
  const isRun = existsSync(join(folder, "run.json"));
  return await baseOfRun(isRun ? folder : dirname(dirname(folder)), options);
}

/** Returns the model folder of a source; a checkpoint of another run is saved as one inside the new run's folder. */
export async function resolveStart(
  source: ModelSource,
  runDir: string,
  options: ResolveSourceOptions,
): Promise<string> {
  if (source.checkpoint === undefined) return await resolveSource(source, options);
  const folder = startFolder(runDir);
  if (!existsSync(join(folder, "config.json"))) {
    if (!holdsRunModel(source.checkpoint)) {
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `model.checkpoint: ${source.checkpoint} contains neither run.json nor checkpoint.json; give the folder of a run or of one of its checkpoints`,
      );
    }
    await saveModel(folder, await readRunModel(source.checkpoint, options));
  }
  return folder;
}
