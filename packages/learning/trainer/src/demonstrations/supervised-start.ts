/**
 * Responsibility: fine-tunes a model folder on demonstrations, in this process; if interrupted, it resumes.
 * Not responsible for: where the model and the demonstrations come from.
 *
 * The folder's `supervised.json` is written last: if it exists the folder is complete, and it says what the model was made from.
 */

import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Backend, loadBackend } from "@palimpsest/jit";
import { createLearner, latestCheckpoint, loadCheckpoint } from "@palimpsest/learner";
import {
  endTokens,
  hashWeights,
  loadGenerationConfig,
  loadModel,
  loadTokenizer,
  type ModelFolder,
  saveModel,
} from "@palimpsest/model";
import { sha256Of } from "@palimpsest/std";
import { replaceFile } from "@palimpsest/std/files";
import { createRandom } from "@palimpsest/std/random";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import type { DemonstrationSettings } from "../recipe/demonstration-settings.js";
import { readDemonstrations } from "./demonstration-file.js";
import { dealtRows, demonstrationRows } from "./demonstration-rows.js";

const resultSchema = z.object({
  /** Hash of base weights, demonstrations and settings. */
  madeFrom: z.string(),
  weightsHash: z.string(),
  rows: z.int(),
  skipped: z.int(),
  templated: z.boolean(),
  steps: z.int(),
  /** Mean over the last step's learned tokens of −log p, nats; absent if nothing was left to do. */
  loss: z.number().optional(),
});
/** What a supervised start has trained: its losses and where its model is. */
export type SupervisedResult = z.infer<typeof resultSchema>;

export interface SupervisedProgress {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
  readonly tokensPerSecond: number;
}

/** What a supervised start trains, on what, and where the model goes. */
export interface SupervisedOptions {
  /** Folder of the base model. */
  readonly modelFolder: string;
  readonly settings: DemonstrationSettings;
  /** Folder of the resulting model; its checkpoints are next to it until then. */
  readonly outDir: string;
  /**
   * Nothing else writes into `outDir`, and it is used only for this model and these settings: once the model is made, neither
   * the base nor the demonstrations are needed. Its weights are verified all the same.
   */
  readonly ownFolder?: boolean;
  /** Unknown fields of the base's config.json that do not change it. */
  readonly ignoreConfig?: readonly string[] | undefined;
  readonly threads?: number;
  readonly backend?: Backend;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: SupervisedProgress) => void;
}

const FILE = "supervised.json";

/** Returns whether the folder contains a complete model that was made here. */
export function isSupervised(folder: string): boolean {
  return existsSync(join(folder, FILE));
}

/**
 * Trains, resumes, or finds that the model is already made.
 * @throws {PalimpsestError} CONFIG_INVALID; the signal's reason
 */
export async function superviseModel(options: SupervisedOptions): Promise<SupervisedResult> {
  const { settings, outDir, signal } = options;
  const done = await resultIn(outDir);
  if (done !== undefined && options.ownFolder === true) return await verified(outDir, done);
  const base = await readBase(options.modelFolder, options.ignoreConfig);
  const { demonstrations, sha256 } = await readDemonstrations(settings.demonstrations, signal);
  const madeFrom = hashOf([hashWeights(base.parameters), sha256, { ...settings, demonstrations: "" }]);
  if (done?.madeFrom === madeFrom) return done;
  // A folder without a result but with checkpoints was interrupted just before the result was written.
  if (done !== undefined || (existsSync(join(outDir, "config.json")) && !existsSync(checkpointsOf(outDir))))
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${outDir} contains a model that was trained on other demonstrations or with other settings; give another folder, or remove this one`,
    );
  const read = demonstrationRows(
    demonstrations,
    base.tokenizer,
    settings,
    endTokens(base.tokenizer, base.generationConfig),
  );
  const trained = await trainRows(options, base, read.rows, madeFrom);
  const { generationConfig } = base;
  await saveModel(outDir, {
    config: base.config,
    parameters: trained.parameters,
    tokenizer: base.tokenizer,
    ...(generationConfig === undefined ? {} : { generationConfig }),
  });
  const result: SupervisedResult = {
    madeFrom,
    weightsHash: hashWeights(trained.parameters),
    rows: read.rows.length,
    skipped: read.skipped,
    templated: read.templated,
    steps: trained.steps,
    ...(trained.loss === undefined ? {} : { loss: trained.loss }),
  };
  // The result must be on disk before the checkpoints are removed.
  await replaceFile(join(outDir, FILE), `${JSON.stringify(result, null, 2)}\n`);
  await rm(checkpointsOf(outDir), { recursive: true, force: true });
  return result;
}

/** @throws {PalimpsestError} CONFIG_INVALID if the weights are not those that were made */
async function verified(folder: string, result: SupervisedResult): Promise<SupervisedResult> {
  const { parameters } = await readBase(folder);
  const weightsHash = hashWeights(parameters);
  if (weightsHash === result.weightsHash) return result;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `${folder} contains weights ${weightsHash}, but the fine-tuning wrote ${result.weightsHash}; restore those, or remove the folder to train again`,
  );
}

type Base = ModelFolder & { readonly tokenizer: NonNullable<ModelFolder["tokenizer"]> };

async function readBase(folder: string, ignoreConfig?: readonly string[]): Promise<Base> {
  try {
    const { config, parameters } = await loadModel(folder, { ignoreConfig });
    const generationConfig = await loadGenerationConfig(folder);
    const tokenizer = await loadTokenizer(folder);
    return { config, parameters, tokenizer, ...(generationConfig === undefined ? {} : { generationConfig }) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PalimpsestError("CONFIG_INVALID", `model: ${folder} cannot be loaded (${reason})`, { cause });
  }
}

async function trainRows(
  { settings, outDir, threads, signal, onProgress, ...given }: SupervisedOptions,
  { config: model, parameters }: Base,
  rows: ReturnType<typeof demonstrationRows>["rows"],
  madeFrom: string,
) {
  const backend = given.backend ?? (await loadBackend(threads === undefined ? {} : { threads }));
  const { seed, maxTokens, learningRate, warmupFraction, checkpointEverySteps, lora, precision } = settings;
  const { steps, at } = dealtRows(rows, (pass) => orderOf(rows.length, `${seed}/${pass}`), settings);
  const root = checkpointsOf(outDir);
  const folder = await latestCheckpoint(root);
  const checkpoint = folder === undefined ? undefined : await loadCheckpoint(folder);
  if (checkpoint !== undefined && checkpoint.extra.dataCursor !== madeFrom)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${root} was begun with another model, other demonstrations or other settings; remove it, or give another folder`,
    );
  const longest = Math.min(maxTokens, Math.max(...rows.map(({ tokenIds }) => tokenIds.length)));
  const learner = createLearner({
    backend,
    model,
    parameters,
    objectives: ["supervised"],
    ...(checkpoint === undefined ? {} : { checkpoint }),
    config: {
      seed,
      lora,
      precision,
      // No KL is measured.
      reference: "none",
      kl: { coefficient: 0 },
      schedule: {
        kind: "cosine",
        learningRate,
        warmupSteps: Math.round(steps * warmupFraction),
        totalSteps: steps,
        endFraction: 0.1,
      },
      microBatch: {
        tokens: Math.max(settings.microBatchTokens, longest),
        lengths: [
          ...new Set([longest / 4, longest / 2, longest].map((length) => Math.max(2, Math.ceil(length)))),
        ],
      },
    },
  });
  let loss: number | undefined;
  try {
    for (let step = learner.step; step < steps; step++) {
      const done = await learner.sft(at(step), { signal });
      loss = done.loss;
      onProgress({ step: step + 1, steps, loss, tokensPerSecond: done.tokensPerSecond });
      if ((step + 1) % checkpointEverySteps === 0 || step + 1 === steps)
        await learner.saveCheckpoint(root, { consumedGroupIds: [], dataCursor: madeFrom }, { keepLast: 1 });
    }
    return { parameters: learner.parameters(parameters), steps, loss };
  } catch (reason) {
    signal.throwIfAborted();
    throw reason;
  } finally {
    learner.close();
  }
}

function checkpointsOf(outDir: string): string {
  return `${outDir}-checkpoints`;
}

async function resultIn(folder: string): Promise<SupervisedResult | undefined> {
  if (!isSupervised(folder)) return undefined;
  return resultSchema.parse(JSON.parse(await readFile(join(folder, FILE), "utf8")));
}

/** Returns the numbers below `count` in an order drawn by the seed. */
function orderOf(count: number, seed: string): readonly number[] {
  const order = Array.from({ length: count }, (_, place) => place);
  const random = createRandom(seed);
  for (let last = count - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  return order;
}

function hashOf(value: unknown): string {
  return sha256Of(JSON.stringify(value));
}
