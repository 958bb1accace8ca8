import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { BpeTokenizer } from "../bpe-tokenizer.js";
import type { ModelConfig } from "../config.js";
import { ModelError } from "../error.js";
import { checkFinite, checkParameters, type Parameters } from "../parameters.js";
import { modelConfigFromHf, modelConfigToHf } from "./hf-config.js";
import { parametersFromHf, parametersToHf } from "./hf-weights.js";
import { readSafetensors, type StoredTensor, writeSafetensors } from "./safetensors.js";
import { writeJson, writeWholeFolder } from "./whole-folder.js";

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
  await writeWholeFolder(folder, async (fresh) => {
    await writeSafetensors(join(fresh, weightsFile), parametersToHf(model.config, model.parameters));
    await writeJson(join(fresh, "config.json"), modelConfigToHf(model.config));
    if (model.tokenizer !== undefined) {
      await writeJson(join(fresh, "tokenizer.json"), model.tokenizer.json);
      await writeJson(join(fresh, "tokenizer_config.json"), model.tokenizer.configJson);
    }
  });
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
  // Newer folders keep the chat template in a file of its own, which then is the one that counts.
  const templatePath = join(folder, "chat_template.jinja");
  const template = existsSync(templatePath) ? { chat_template: await readFile(templatePath, "utf8") } : {};
  return new BpeTokenizer(json, { ...(configJson as Readonly<Record<string, unknown>>), ...template });
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
