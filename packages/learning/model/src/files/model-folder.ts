import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { shellWord } from "@palimpsest/std";
import { checkKind, pathError } from "@palimpsest/std/input";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { checkFinite, checkParameters, type HeldParameters, type Parameters } from "../base/parameters.js";
import { BpeTokenizer } from "../tokens/bpe-tokenizer.js";
import { endTokenIds, type GenerationConfig, listedEndTokenIds } from "../tokens/end-tokens.js";
import { sentencePieceJson } from "../tokens/sentence-pieces.js";
import { withTokenlessIds } from "../tokens/tokenless-ids.js";
import { modelConfigFromHf, modelConfigToHf } from "./hf-config.js";
import { type ReadOptions, readParameters, writableTensors } from "./hf-weights.js";
import { readText } from "./pointer.js";
import type { WrittenDtype } from "./safetensors-writer.js";
import { readSentencePieces, type SentencePieceFile } from "./sentence-piece-file.js";
import { WeightFiles, writeWeights } from "./weight-files.js";
import { writeJson, writeWholeFolder } from "./whole-folder.js";

const defaultMaxShardBytes = 5_000_000_000;

/** A model in a folder in the Hugging Face layout. */
export interface ModelFolder {
  readonly config: ModelConfig;
  readonly parameters: Readonly<Record<string, Float32Array>>;
  /** Absent when the folder has neither tokenizer.json nor tokenizer.model. */
  readonly tokenizer?: BpeTokenizer;
  /** What generation_config.json says, with the special tokens of config.json: end tokens and sampling settings. */
  readonly generationConfig?: Readonly<Record<string, unknown>>;
}

export interface ConfigOptions {
  /** Unknown fields of config.json that do not change the model. Default: none, so that each is refused. */
  readonly ignoreConfig?: readonly string[] | undefined;
}

export interface SaveOptions {
  /** Default float32, which is lossless. */
  readonly dtype?: WrittenDtype;
  /** Above this many bytes the weights are split into several files with an index. Default 5 GB. */
  readonly maxShardBytes?: number;
}

/**
 * Writes config.json, the weights as safetensors and the tokenizer's files, so that `transformers` can load
 * them. The folder appears either complete or not at all: everything is written next to it, synced and renamed. An
 * existing model is replaced; a folder with anything else is left alone. Besides the weights given, a few MiB of memory
 * are used.
 * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE, FOLDER_TAKEN, before anything
 *   is written
 */
export async function saveModel(
  folder: string,
  model: Omit<ModelFolder, "parameters"> & { readonly parameters: HeldParameters },
  { dtype = "float32", maxShardBytes = defaultMaxShardBytes }: SaveOptions = {},
): Promise<void> {
  const refuse = (problem: string) => new ModelError("CONFIG_INVALID", problem);
  checkKind(folder, "folder of saveModel()", "a path", refuse);
  checkKind(model, "model of saveModel()", "an object", refuse);
  for (const part of ["config", "parameters"] as const)
    checkKind(model[part], `model of saveModel(): ${part}`, "an object", refuse);
  checkParameters(model.config, model.parameters);
  checkFinite(model.parameters);
  await refuseForeign(folder);
  await writeWholeFolder(folder, async (fresh) => {
    await writeWeights(fresh, writableTensors(model.config, model.parameters), { dtype, maxShardBytes });
    const { tokenizer, generationConfig } = model;
    await writeJson(join(fresh, "config.json"), {
      ...modelConfigToHf(model.config, dtype),
      ...specialTokenIds(tokenizer, generationConfig),
    });
    if (generationConfig !== undefined)
      await writeJson(join(fresh, "generation_config.json"), generationConfig);
    if (tokenizer !== undefined) {
      await writeJson(join(fresh, "tokenizer.json"), tokenizer.json, 0);
      await writeJson(join(fresh, "tokenizer_config.json"), tokenizer.configJson);
    }
  });
}

/** Refuses a folder with other contents, because a mistyped path must not delete them. */
async function refuseForeign(folder: string): Promise<void> {
  const names = await readdir(folder).catch((reason: NodeJS.ErrnoException): string[] => {
    if (reason.code === "ENOENT") return [];
    throw reason;
  });
  if (names.length === 0 || names.includes("config.json")) return;
  const message = `${folder} contains other files (${names[0]}); give another folder, or remove this one`;
  throw new ModelError("FOLDER_TAKEN", message);
}

/** Returns the ids that config.json names, so that `transformers` knows where an answer begins and ends. */
function specialTokenIds(
  tokenizer: BpeTokenizer | undefined,
  generationConfig: GenerationConfig | undefined,
): GenerationConfig {
  const ends =
    tokenizer === undefined ? listedEndTokenIds(generationConfig) : endTokenIds(tokenizer, generationConfig);
  const others = ["bos_token_id", "pad_token_id"].flatMap((field) => {
    const id = generationConfig?.[field];
    return typeof id === "number" ? [[field, id] as const] : [];
  });
  return {
    ...Object.fromEntries(others),
    ...(ends.length === 0 ? {} : { eos_token_id: ends.length === 1 ? ends[0] : ends }),
  };
}

/**
 * Reads a folder in the Hugging Face layout; weights are in one file or in shards with an index, in F32, F16
 * or BF16. They are read in pieces of a few MiB straight into their final memory.
 * @throws {ModelError} FILE_MISSING, FILE_DAMAGED, CONFIG_INVALID, TENSOR_MISSING, TENSOR_UNKNOWN,
 *   SHAPE_MISMATCH, DTYPE_UNSUPPORTED, NOT_FINITE, TOKENIZER_INVALID; the signal's reason
 */
export async function loadModel(
  folder: string,
  options: ReadOptions & ConfigOptions = {},
): Promise<ModelFolder & { readonly parameters: Parameters }> {
  const shape = await loadConfig(folder, options);
  // The tokenizer is read before the weights, because it is quick and the most likely to fail.
  const tokenizer = hasTokenizer(folder) ? await loadTokenizer(folder) : undefined;
  const config = tokenizer === undefined ? shape : withTokenlessIds(shape, (id) => tokenizer.hasToken(id));
  const generationConfig = await loadGenerationConfig(folder);
  const files = await WeightFiles.open(folder);
  try {
    return {
      config,
      parameters: await readParameters(config, files, options),
      ...(tokenizer === undefined ? {} : { tokenizer }),
      ...(generationConfig === undefined ? {} : { generationConfig }),
    };
  } finally {
    await files.close();
  }
}

/**
 * Reads generation_config.json, if there is one, and adds the special tokens that only config.json names.
 * Returns undefined if neither says anything.
 * @throws {ModelError} FILE_DAMAGED
 */
export async function loadGenerationConfig(folder: string): Promise<GenerationConfig | undefined> {
  const own = await readRecord(join(folder, "generation_config.json"));
  const model = await readRecord(join(folder, "config.json"));
  const ends = [...new Set([...listedEndTokenIds(own), ...listedEndTokenIds(model)])];
  const others = ["bos_token_id", "pad_token_id"].flatMap((field) => {
    const id = own?.[field] ?? model?.[field];
    return typeof id === "number" ? [[field, id] as const] : [];
  });
  const merged = {
    ...own,
    ...Object.fromEntries(others),
    ...(ends.length === 0 ? {} : { eos_token_id: ends.length === 1 ? ends[0] : ends }),
  };
  return own === undefined && Object.keys(merged).length === 0 ? undefined : merged;
}

async function readRecord(path: string): Promise<GenerationConfig | undefined> {
  if (!existsSync(path)) return undefined;
  const json = await readJson(path);
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return { ...json };
  throw new ModelError("FILE_DAMAGED", `${path} is not a JSON object; fetch it again, or remove it`);
}

/** @throws {ModelError} FILE_MISSING, FILE_DAMAGED, CONFIG_INVALID */
export async function loadConfig(folder: string, options: ConfigOptions = {}): Promise<ModelConfig> {
  checkKind(folder, "folder of the model", "a path", (problem) => new ModelError("CONFIG_INVALID", problem));
  return modelConfigFromHf(await readJson(join(folder, "config.json")), options.ignoreConfig);
}

/** Returns whether a folder has a tokenizer that `loadTokenizer` reads. */
export function hasTokenizer(folder: string): boolean {
  return ["tokenizer.json", "tokenizer.model"].some((name) => existsSync(join(folder, name)));
}

/**
 * Reads tokenizer.json, or else tokenizer.model.
 * @throws {ModelError} FILE_MISSING, FILE_DAMAGED, TOKENIZER_INVALID
 */
export async function loadTokenizer(folder: string): Promise<BpeTokenizer> {
  const configPath = join(folder, "tokenizer_config.json");
  const given = existsSync(configPath) ? await readRecord(configPath) : undefined;
  const piecesPath = join(folder, "tokenizer.model");
  const { json, configJson } =
    existsSync(join(folder, "tokenizer.json")) || !existsSync(piecesPath)
      ? { json: await readJson(join(folder, "tokenizer.json")), configJson: given ?? {} }
      : tokenizerOfPieces(readSentencePieces(await readFile(piecesPath), piecesPath), given ?? {});
  const template = await readTemplateFiles(folder);
  return new BpeTokenizer(json, {
    ...configJson,
    ...(template === undefined ? {} : { chat_template: template }),
  });
}

/** What transformers makes of a tokenizer.model, given the fields of tokenizer_config.json. */
function tokenizerOfPieces(
  { addsSpace, named, ...pieces }: SentencePieceFile,
  given: Readonly<Record<string, unknown>>,
): { readonly json: unknown; readonly configJson: Readonly<Record<string, unknown>> } {
  const added = given["legacy"] === false ? "first" : "each";
  const begins = given["add_bos_token"] !== false;
  const tokens = Object.entries(named).map(([name, id]) => [name, pieces.pieces[id]?.text] as const);
  return {
    json: sentencePieceJson({
      ...pieces,
      space: addsSpace && given["add_prefix_space"] !== false ? added : "none",
      beginTokenId: begins ? named["bos_token"] : undefined,
    }),
    configJson: { ...Object.fromEntries(tokens), ...given },
  };
}

/**
 * Reads the chat templates that a folder has as files, which take precedence over tokenizer_config.json:
 * chat_template.jinja, those for other uses in additional_chat_templates, or the older chat_template.json.
 */
async function readTemplateFiles(folder: string): Promise<unknown> {
  const more = join(folder, "additional_chat_templates");
  const names = existsSync(more) ? (await readdir(more)).filter((name) => name.endsWith(".jinja")) : [];
  const additional = await Promise.all(
    names.toSorted().map(async (name) => ({
      name: basename(name, ".jinja"),
      template: await readText(join(more, name)),
    })),
  );
  const path = join(folder, "chat_template.jinja");
  const main = existsSync(path) ? await readText(path) : undefined;
  if (additional.length > 0) {
    return main === undefined ? additional : [{ name: "default", template: main }, ...additional];
  }
  if (main !== undefined) return main;
  return (await readRecord(join(folder, "chat_template.json")))?.["chat_template"];
}

function modelFolderHint(path: string): string {
  if (existsSync(join(dirname(path), "adapter_config.json")))
    return `${dirname(path)} contains adapters without their base; make a model of both with \`palimpsest model export BASE --add-adapters ${shellWord(dirname(path))} --out FOLDER\``;
  const trained = join(dirname(path), "model");
  return existsSync(join(trained, basename(path)))
    ? `the model that this run trained is in ${trained}`
    : "check that this is a model folder";
}

async function readJson(path: string): Promise<unknown> {
  if (!existsSync(path))
    throw new ModelError("FILE_MISSING", `${path} does not exist; ${modelFolderHint(path)}`, {
      cause: pathError("ENOENT", path),
    });
  const text = await readText(path);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ModelError("FILE_DAMAGED", `${path} is not JSON; fetch it again`, { cause });
  }
}
