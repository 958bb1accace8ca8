import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { checkKind, pathError } from "@palimpsest/std/input";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import type { Parameters } from "../base/parameters.js";
import { checkTensors, type ReadOptions } from "../files/hf-weights.js";
import {
  type ConfigOptions,
  hasTokenizer,
  loadConfig,
  loadModel,
  loadTokenizer,
  type ModelFolder,
} from "../files/model-folder.js";
import type { TensorInfo } from "../files/tensor-source.js";
import { WeightFiles } from "../files/weight-files.js";
import { modelConfigFromGguf } from "../gguf/gguf-config.js";
import { openGguf } from "../gguf/gguf-file.js";
import { tokenizerFromGguf } from "../gguf/gguf-tokenizer.js";
import { loadGguf } from "../gguf/load-gguf.js";

export type ModelFormat = "folder" | "gguf";

/** Facts about a model, read from its headers without reading weights. */
export interface ModelFacts {
  readonly format: ModelFormat;
  readonly config: ModelConfig;
  /** Keyed by the names in the file. */
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  readonly weightFiles: readonly string[];
  readonly tokenizer: ModelFolder["tokenizer"] | undefined;
}

/**
 * Reads a model from a folder in the Hugging Face layout or a GGUF file.
 * @throws {ModelError} as `loadModel` and `loadGguf` do
 */
export async function loadAnyModel(
  path: string,
  options: ReadOptions & ConfigOptions = {},
): Promise<ModelFolder & { readonly parameters: Parameters }> {
  switch (formatOf(path)) {
    case "folder":
      return await loadModel(path, options);
    case "gguf":
      return await loadGguf(path, options);
  }
}

/**
 * @throws {ModelError} FILE_MISSING, FILE_DAMAGED, CONFIG_INVALID, TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH,
 *   TOKENIZER_INVALID, DTYPE_UNSUPPORTED
 */
export async function inspectModel(path: string, options: ConfigOptions = {}): Promise<ModelFacts> {
  const format = formatOf(path);
  switch (format) {
    case "folder":
      return { format, ...(await inspectFolder(path, options)) };
    case "gguf":
      return { format, ...(await inspectGguf(path)) };
  }
}

function formatOf(path: string): ModelFormat {
  checkKind(path, "path of the model", "a path", (problem) => new ModelError("CONFIG_INVALID", problem));
  if (!existsSync(path))
    throw new ModelError("FILE_MISSING", `${path} does not exist; give a model folder or file`, {
      cause: pathError("ENOENT", path),
    });
  if (statSync(path).isDirectory()) return "folder";
  if (path.endsWith(".gguf")) return "gguf";
  const fix = "give a model folder or a GGUF file (.gguf)";
  throw new ModelError("FILE_DAMAGED", `${path}: the name has no known extension; ${fix}`);
}

type Found = Omit<ModelFacts, "format">;

async function inspectFolder(path: string, options: ConfigOptions): Promise<Found> {
  const config = await loadConfig(path, options);
  const tokenizer = hasTokenizer(path) ? await loadTokenizer(path) : undefined;
  const files = await WeightFiles.open(path);
  const { tensors, fileNames } = files;
  await files.close();
  checkTensors(config, tensors);
  return { config, tensors, weightFiles: fileNames, tokenizer };
}

async function inspectGguf(path: string): Promise<Found> {
  const file = await openGguf(path);
  try {
    const tensors = [...file.tensors.values()].map(
      ({ name, shape, type, sizeBytes }): [string, TensorInfo] => [
        name,
        { shape, dtype: type.name, sizeBytes },
      ],
    );
    return {
      config: await modelConfigFromGguf(file),
      tensors: new Map(tensors),
      weightFiles: [basename(path)],
      tokenizer: tokenizerFromGguf(file),
    };
  } finally {
    await file.close();
  }
}
