import { existsSync } from "node:fs";
import { join } from "node:path";
import { entry, sizeOf } from "@palimpsest/jit";
import { z } from "zod";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import {
  LORA_PROJECTIONS,
  type LoraConfig,
  loraConfigSchema,
  loraForm,
  loraShapes,
  projectionNames,
} from "../base/lora.js";
import { findNotFinite, type Parameters } from "../base/parameters.js";
import { hfTensors } from "./hf-layout.js";
import { peftModules } from "./peft-modules.js";
import { readText } from "./pointer.js";
import { readSafetensors } from "./safetensors.js";
import { type WrittenDtype, writeSafetensors } from "./safetensors-writer.js";
import { placeTransposed, takeTransposed } from "./stacking.js";
import { writeJson, writeWholeFolder } from "./whole-folder.js";

/** Adapters of a model, without the base model. */
export interface AdapterFolder {
  readonly lora: LoraConfig;
  /** Keyed by the names of `loraShapes`. */
  readonly adapters: Readonly<Record<string, Float32Array>>;
  /** Folder or hub id of the base, for readers that download it. */
  readonly baseModel?: string;
}

const CONFIG = "adapter_config.json";
const WEIGHTS = "adapter_model.safetensors";

/** The fields of PEFT's configuration that affect the result; unsupported values that would change it are refused. */
const peftConfigSchema = z.looseObject({
  peft_type: z.literal("LORA"),
  r: z.int().min(1),
  lora_alpha: z.number().positive(),
  target_modules: z.union([z.string().min(1), z.array(z.string()).min(1)]),
  exclude_modules: z.union([z.string(), z.array(z.string())]).nullish(),
  layers_to_transform: z.union([z.int(), z.array(z.int())]).nullish(),
  layers_pattern: z.union([z.string(), z.array(z.string())]).nullish(),
  base_model_name_or_path: z.string().nullish(),
  bias: z.literal("none").default("none"),
  fan_in_fan_out: z.literal(false).default(false),
  use_dora: z.literal(false).default(false),
  use_rslora: z.boolean().default(false),
  lora_bias: z.literal(false).default(false),
  rank_pattern: z.record(z.string(), z.never()).default({}),
  alpha_pattern: z.record(z.string(), z.never()).default({}),
  modules_to_save: z.array(z.never()).nullish(),
  // Other initializations (PiSSA, OLoRA, CorDA, LoftQ) subtract something from the base weights, which would then have
  // to be changed too.
  init_lora_weights: z.union([z.boolean(), z.enum(["gaussian", "eva", "orthogonal"])]).nullish(),
  layer_replication: z.null().optional(),
  use_qalora: z.literal(false).default(false),
  alora_invocation_tokens: z.null().optional(),
  trainable_token_indices: z.null().optional(),
  target_parameters: z.array(z.never()).nullish(),
});

/**
 * Writes adapters as PEFT does: adapter_config.json and adapter_model.safetensors. The folder appears either
 * complete or not at all.
 * @param dtype default float32, which is lossless
 * @throws {ModelError} TENSOR_MISSING, SHAPE_MISMATCH, NOT_FINITE, before anything is written
 */
export async function saveAdapters(
  folder: string,
  model: ModelConfig,
  given: AdapterFolder,
  dtype: WrittenDtype = "float32",
): Promise<void> {
  const { lora, adapters, baseModel } = given;
  const places = adapterTensors(model, lora);
  for (const { parameter, size } of places) {
    const values = adapters[parameter];
    if (values === undefined) throw new ModelError("TENSOR_MISSING", `adapter ${parameter} is missing`);
    if (values.length !== size) {
      const message = `adapter ${parameter} has ${values.length} values, but rank ${lora.rank} needs ${size}`;
      throw new ModelError("SHAPE_MISMATCH", message);
    }
    checkFiniteValues(parameter, values);
  }
  const names = Object.entries(LORA_PROJECTIONS);
  const { targets } = loraForm(lora);
  await writeWholeFolder(folder, async (fresh) => {
    const tensors = places.map(({ name, shape, parameter, start }) => {
      const place = { start, rows: shape[0], columns: shape[1] };
      const stack = entry(adapters, parameter);
      const fillRows = (firstRow: number, into: Float32Array): void =>
        takeTransposed(stack, place, firstRow, into);
      return { name, shape, fillRows };
    });
    await writeSafetensors(join(fresh, WEIGHTS), tensors, dtype);
    await writeJson(join(fresh, CONFIG), {
      peft_type: "LORA",
      task_type: "CAUSAL_LM",
      base_model_name_or_path: baseModel ?? null,
      r: lora.rank,
      lora_alpha: lora.alpha,
      lora_dropout: 0,
      target_modules: targets.map((target) => names.find(([, own]) => own === target)?.[0]),
      bias: "none",
      fan_in_fan_out: false,
      inference_mode: true,
    });
  });
}

/**
 * Reads adapters that PEFT or `saveAdapters` wrote, for the base model of this configuration.
 * @throws {ModelError} FILE_MISSING, FILE_DAMAGED, CONFIG_INVALID, TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH,
 *   DTYPE_UNSUPPORTED, NOT_FINITE
 */
export async function loadAdapters(folder: string, model: ModelConfig): Promise<AdapterFolder> {
  for (const name of [CONFIG, WEIGHTS])
    if (!existsSync(join(folder, name))) throw new ModelError("FILE_MISSING", `${folder} has no ${name}`);
  const path = join(folder, CONFIG);
  const { lora, baseModel, adapts } = loraOf(path, await readText(path), model);
  const stored = await readSafetensors(join(folder, WEIGHTS));
  const adapters: Parameters = Object.fromEntries(
    Object.entries(loraShapes(model, loraForm(lora))).map(([name, shape]) => [
      name,
      new Float32Array(sizeOf(shape)),
    ]),
  );
  const places = adapterTensors(model, lora);
  for (const { name, shape, parameter, start } of places) {
    const tensor = stored[name];
    // A module without adapters keeps zeros, which add nothing.
    if (tensor === undefined && !adapts(moduleOf(name))) continue;
    if (tensor === undefined) throw new ModelError("TENSOR_MISSING", `${folder}: tensor ${name} is missing`);
    const { values } = tensor;
    if (!(values instanceof Float32Array))
      throw new ModelError(
        "DTYPE_UNSUPPORTED",
        `${folder}: tensor ${name} contains integers instead of floats`,
      );
    if (tensor.shape.join() !== shape.join()) {
      const message = `${folder}: tensor ${name} is [${tensor.shape.join(", ")}] but the model needs [${shape.join(", ")}]`;
      throw new ModelError("SHAPE_MISMATCH", message);
    }
    checkFiniteValues(name, values);
    const place = { start, rows: shape[0], columns: shape[1] };
    placeTransposed(values, 0, entry(adapters, parameter), place);
  }
  const wanted = new Set(places.map(({ name }) => name).filter((name) => adapts(moduleOf(name))));
  const unknown = Object.keys(stored).find((name) => !wanted.has(name));
  if (unknown !== undefined)
    throw new ModelError(
      "TENSOR_UNKNOWN",
      `${folder}: tensor ${unknown} belongs to no projection of this model that ${CONFIG} names`,
    );
  return { lora, adapters, ...(baseModel === undefined ? {} : { baseModel }) };
}

/** What adapter_config.json says, for the base model of this configuration. */
interface ReadConfig {
  readonly lora: LoraConfig;
  readonly baseModel?: string;
  /** Whether a module, such as `model.layers.0.self_attn.q_proj`, has adapters. */
  readonly adapts: (module: string) => boolean;
}

function loraOf(path: string, text: string, model: ModelConfig): ReadConfig {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new ModelError("FILE_DAMAGED", `${path} is not JSON`, { cause });
  }
  const refuse = (what: string, cause?: unknown): never => {
    const message = `${path}: ${what}; only plain LoRA of the layers' projections is read`;
    throw new ModelError("CONFIG_INVALID", message, { cause });
  };
  const read = peftConfigSchema.safeParse(json);
  if (!read.success) return refuse(refusedFields(json, read.error), read.error);
  const peft = read.data;
  const adapts = peftModules(peft, (field, why) => refuse(`${field} is ${shown(peft[field])}: ${why}`));
  for (const other of ["lm_head", "model.embed_tokens"])
    if (adapts(other)) refuse(`target_modules is ${shown(peft.target_modules)}, which includes ${other}`);
  const modules = hfTensors(model).map(({ name }) => name.slice(0, -".weight".length));
  const targets = projectionNames.filter((name) =>
    modules.some((module) => module.endsWith(`.${name}`) && adapts(module)),
  );
  if (targets.length === 0)
    refuse(`target_modules is ${shown(peft.target_modules)}, which matches no projection of this model`);
  const { r: rank, lora_alpha, use_rslora, target_modules, base_model_name_or_path: baseModel } = peft;
  const lora = loraConfigSchema.safeParse({
    rank,
    // Rank-stabilized adapters are scaled by alpha / √rank.
    alpha: use_rslora ? lora_alpha * Math.sqrt(rank) : lora_alpha,
    targets: target_modules === "all-linear" ? "all-linear" : targets,
  });
  if (!lora.success) return refuse(`r is ${rank}; at most 1024 is supported`, lora.error);
  return { lora: lora.data, adapts, ...(baseModel ? { baseModel } : {}) };
}

const shown = (value: unknown) => (value === undefined ? "missing" : JSON.stringify(value));

/** Names each refused field with its value. */
function refusedFields(json: unknown, { issues }: z.ZodError): string {
  const fields = new Set(issues.map(({ path }) => String(path[0] ?? "")));
  if (fields.has("")) return "is not an object";
  return [...fields]
    .map((field) => `${field} is ${shown((json as Record<string, unknown>)[field])}`)
    .join("; ");
}

/** Returns the module of a tensor, as PEFT matches it: `model.layers.0.self_attn.q_proj`. */
function moduleOf(tensor: string): string {
  return tensor.replace(/^base_model\.model\./, "").replace(/\.lora_[AB]\.weight$/, "");
}

/** One tensor of PEFT's file and its position in our parameters, where every such tensor is transposed. */
interface AdapterTensor {
  readonly name: string;
  readonly shape: readonly [rows: number, columns: number];
  readonly parameter: string;
  readonly start: number;
  /** Number of elements of the whole parameter. */
  readonly size: number;
}

/** Lists the tensors, sorted by name. */
function adapterTensors(model: ModelConfig, lora: LoraConfig): AdapterTensor[] {
  const shapes = loraShapes(model, loraForm(lora));
  const found = hfTensors(model).flatMap(({ name, parameter }, _index, all): AdapterTensor[] => {
    const layer = all
      .filter((other) => other.parameter === parameter)
      .findIndex((other) => other.name === name);
    return (["A", "B"] as const).flatMap((letter) => {
      const stacked = `${parameter}.lora${letter}`;
      const shape = shapes[stacked];
      if (shape === undefined) return [];
      const [, inner = 0, outer = 0] = shape;
      const stem = name.slice(0, -".weight".length);
      return [
        {
          name: `base_model.model.${stem}.lora_${letter}.weight`,
          shape: [outer, inner] as const,
          parameter: stacked,
          start: layer * inner * outer,
          size: sizeOf(shape),
        },
      ];
    });
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function checkFiniteValues(name: string, values: Float32Array): void {
  const bad = findNotFinite(values);
  if (bad !== undefined)
    throw new ModelError(
      "NOT_FINITE",
      `${name} has the value ${values[bad]} at element ${bad}, which is not finite`,
    );
}
