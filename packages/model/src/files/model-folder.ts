import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { BpeTokenizer } from "../bpe-tokenizer.js";
import type { ModelConfig } from "../config.js";
import { ModelError } from "../error.js";
import { checkFinite, checkParameters, type Parameters } from "../parameters.js";
import { modelConfigFromHf, modelConfigToHf } from "./hf-config.js";
import { parametersFromHf, parametersToHf } from "./hf-weights.js";
import { readSafetensors, type StoredTensor, writeSafetensors } from "./safetensors.js";

const weightsFile = "model.safetensors";
const indexFile = "model.safetensors.index.json";

const shardIndexSchema = z.object({ weight_map: z.record(z.string(), z.string()) });

/** A model as it lies in a folder in the Hugging Face layout. */
export interface ModelFolder {
  readonly config: ModelConfig;
  readonly parameters: Readonly<Record<string, Float32Array>>;
  /** Absent when the folder has no tokenizer.json. */
  readonly tokenizer?: BpeTokenizer;
}

/**
 * Writes config.json, model.safetensors (F32) and the tokenizer's files, such that `transformers` loads
 * them. The folder appears whole or not at all: everything is written beside it, synced and renamed. A
 * folder that is already there is replaced.
 * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE, before anything is written
 */
export async function saveModel(folder: string, model: ModelFolder): Promise<void> {
  checkParameters(model.config, model.parameters);
  checkFinite(model.parameters);
  const target = resolve(folder);
  const mark = randomBytes(6).toString("hex");
  const fresh = join(dirname(target), `.${basename(target)}.new-${mark}`);
  const replaced = join(dirname(target), `.${basename(target)}.old-${mark}`);
  await mkdir(fresh, { recursive: true });
  try {
    await writeSafetensors(join(fresh, weightsFile), parametersToHf(model.config, model.parameters));
    await writeJson(join(fresh, "config.json"), modelConfigToHf(model.config));
    if (model.tokenizer !== undefined) {
      await writeJson(join(fresh, "tokenizer.json"), model.tokenizer.json);
      await writeJson(join(fresh, "tokenizer_config.json"), model.tokenizer.configJson);
    }
    await syncFolder(fresh);
    if (existsSync(target)) await rename(target, replaced);
    await rename(fresh, target);
    await syncFolder(dirname(target));
  } finally {
    await rm(fresh, { recursive: true, force: true });
    if (existsSync(target)) await rm(replaced, { recursive: true, force: true });
  }
}

/**
 * Reads a folder in the Hugging Face layout; weights in one file or in shards with an index, in F32, F16
 * or BF16.
 * @throws {ModelError} FILE_MISSING, FILE_DAMAGED, CONFIG_INVALID, TENSOR_MISSING, TENSOR_UNKNOWN,
 *   SHAPE_MISMATCH, DTYPE_UNSUPPORTED, NOT_FINITE, TOKENIZER_INVALID
 */
export async function loadModel(folder: string): Promise<ModelFolder & { readonly parameters: Parameters }> {
  const config = modelConfigFromHf(await readJson(join(folder, "config.json")));
  const parameters = parametersFromHf(config, await readWeights(folder));
  if (!existsSync(join(folder, "tokenizer.json"))) return { config, parameters };
  return { config, parameters, tokenizer: await loadTokenizer(folder) };
}

/** @throws {ModelError} FILE_MISSING, FILE_DAMAGED, TOKENIZER_INVALID */
export async function loadTokenizer(folder: string): Promise<BpeTokenizer> {
  const json = await readJson(join(folder, "tokenizer.json"));
  const configPath = join(folder, "tokenizer_config.json");
  const configJson = existsSync(configPath) ? await readJson(configPath) : {};
  return new BpeTokenizer(json, configJson as Readonly<Record<string, unknown>>);
}

async function readWeights(folder: string): Promise<Record<string, StoredTensor>> {
  if (existsSync(join(folder, weightsFile))) return await readSafetensors(join(folder, weightsFile));
  const indexPath = join(folder, indexFile);
  if (!existsSync(indexPath)) {
    throw new ModelError(
      "FILE_MISSING",
      `${folder}: neither ${weightsFile} nor ${indexFile}; is this a model folder?`,
    );
  }
  const index = shardIndexSchema.safeParse(await readJson(indexPath));
  if (!index.success) throw new ModelError("FILE_DAMAGED", `${indexPath}: ${z.prettifyError(index.error)}`);
  const tensors: Record<string, StoredTensor> = {};
  for (const shard of new Set(Object.values(index.data.weight_map))) {
    // A shard is a file of this folder: a path elsewhere in an index is damage or an attack.
    if (basename(shard) !== shard)
      throw new ModelError("FILE_DAMAGED", `${indexPath}: shard ${shard} is a path`);
    if (!existsSync(join(folder, shard))) {
      throw new ModelError("FILE_MISSING", `${folder}: shard ${shard} named in ${indexFile} is not there`);
    }
    Object.assign(tensors, await readSafetensors(join(folder, shard)));
  }
  return tensors;
}

async function readJson(path: string): Promise<unknown> {
  if (!existsSync(path))
    throw new ModelError("FILE_MISSING", `${path} is not there; is this a model folder?`);
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new ModelError("FILE_DAMAGED", `${path} is not JSON`, { cause });
  }
}

async function writeJson(path: string, value: unknown): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
