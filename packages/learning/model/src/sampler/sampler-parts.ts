import type { Backend, JitMode, JitPrecision } from "@palimpsest/jit";
import { parseInput } from "@palimpsest/std/input";
import { type ChosenPrecision, choosePrecision } from "../base/chosen-precision.js";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import type { LoraConfig } from "../base/lora.js";
import { parameterCount } from "../base/parameters.js";
import type { WeightFormat } from "../single/tiles.js";
import type { CachePool } from "./calls/cache-pool.js";
import type { CallPlan } from "./calls/call-plan.js";
import type { SamplingDevice } from "./calls/sampling-device.js";
import { type SamplerConfig, type SamplerConfigInput, samplerConfigSchema } from "./draw/request.js";
import { CallShapes, pageLength } from "./pages/call-shapes.js";
import { PagePool } from "./pages/page-pool.js";
import { SamplerDevice } from "./pages/sampler-device.js";
import { SingleRequest } from "./single/single-request.js";
import { SlotDevice } from "./slots/slot-device.js";
import { SlotPool } from "./slots/slot-pool.js";
import { SlotShapes } from "./slots/slot-shapes.js";
import { tableShape } from "./slots/table-cache.js";
import { runsAsLoop } from "./weights/packed-weights.js";

/** The limit of cuDNN's attention. */
const widestKernelHead = 128;
/** It counts where the keys of a packed piece begin in 32 bits. */
const mostKernelElements = 2 ** 31;
const defaultSteps = { pages: 8, slots: 32 } as const;

/** The parts of a sampler other than its queue. */
export interface SamplerParts {
  readonly shapes: CallPlan;
  readonly pool: CachePool;
  readonly device: SamplingDevice;
  readonly chosen: ChosenPrecision;
}

/** @throws {ModelError} CONFIG_INVALID, naming each wrong field */
export function parseLimits(limits: SamplerConfigInput, model: ModelConfig): SamplerConfig {
  const config = parseInput(
    samplerConfigSchema,
    limits,
    (problem, cause) => new ModelError("CONFIG_INVALID", `sampler: ${problem}`, { cause }),
  );
  const { batchInvariant, lanes, cache, maxLength } = config;
  const refuse = (problem: string): never => {
    throw new ModelError("CONFIG_INVALID", `sampler: ${problem}`);
  };
  if (batchInvariant && lanes > 1)
    refuse(`lanes is ${lanes}, but batchInvariant needs whole batches; set lanes to 1`);
  if (cache === "slots" && (batchInvariant || lanes > 1))
    refuse(
      `cache is slots, which does not work with ${batchInvariant ? "batchInvariant" : `lanes ${lanes}`}; set cache to pages`,
    );
  if (maxLength > model.maxPositions)
    refuse(`maxLength ${maxLength} exceeds the model's maxPositions ${model.maxPositions}; lower it`);
  return config;
}

/** Creates a pool of pages or a table of slots, as the limits and the backend require. */
export function samplerParts(
  backend: Backend,
  mode: "auto" | JitMode,
  config: ModelConfig,
  limits: SamplerConfig,
  lora?: LoraConfig,
): SamplerParts {
  const { maxBatch, maxLength, promptLengths, prefillTokens, cacheTokens } = limits;
  const { prefixCache: share, batchInvariant, lanes } = limits;
  const chosen: ChosenPrecision =
    limits.precision === "auto" && batchInvariant
      ? {
          precision: "float32",
          reason: "batchInvariant needs precision float32; set precision, or leave batchInvariant out",
        }
      : choosePrecision(limits.precision, backend, mode, config);
  const { precision } = chosen;
  const gpu = backend.gpu;
  const isForSlots = gpu && precision === "bfloat16" && (mode === "auto" || mode === "xla");
  const kind = limits.cache ?? (isForSlots && !batchInvariant && lanes === 1 ? "slots" : "pages");
  const stepsPerCall = limits.stepsPerCall ?? defaultSteps[kind];
  const common = { maxLength, stepsPerCall, promptLengths, prefillTokens, gpu };
  if (kind === "slots") {
    if (limits.singleWeights !== "auto" && limits.singleWeights !== "off")
      throw new ModelError(
        "CONFIG_INVALID",
        `sampler: singleWeights is ${limits.singleWeights}, which needs cache pages on a CPU, but cache is slots; set it to auto`,
      );
    const affordable = cacheTokens === undefined ? maxBatch : Math.floor(cacheTokens / maxLength);
    const slots = Math.max(1, Math.min(maxBatch, affordable));
    // Without an attention kernel, a NaN of one prompt would reach the others, and the scores of a call would take a gigabyte.
    const { kvHeads, headDim } = config;
    const isAddressable =
      slots * tableShape(slots, maxLength).length * kvHeads * headDim < mostKernelElements;
    const isKernel = isForSlots && isAddressable && headDim <= widestKernelHead && headDim % 8 === 0;
    const packs = promptLengths === undefined && (limits.packPrompts ?? isKernel);
    const speculates = limits.speculate === true;
    const shapes = new SlotShapes(config, { ...common, maxBatch: slots, packs, speculates });
    const device = new SlotDevice({ backend, mode, config, shapes, maxLength, precision, lora });
    return { shapes, device, chosen, pool: new SlotPool({ slots, share }) };
  }
  const isCpuGraph = backend.name === "tensorflow" && !gpu && (mode === "auto" || mode === "graph");
  // Mode eager has no bfloat16, and XLA on a GPU is slow at writing rows into a bfloat16 table.
  const half = precision === "bfloat16" && isCpuGraph;
  const writesSteps = isCpuGraph && !runsAsLoop(config);
  const canSpeculate =
    runsAsLoop(config) && !batchInvariant && !gpu && backend.name === "tensorflow" && mode !== "eager";
  if (limits.speculate === true && !canSpeculate)
    throw new ModelError(
      "CONFIG_INVALID",
      "sampler: speculate is true, which needs cache slots, or, with cache pages, a model of more than 8 layers on a CPU with the tensorflow backend, without batchInvariant; leave speculate out",
    );
  const single = singleFormat(limits, precision, { canSpeculate, config, maxLength });
  // In bfloat16 the rounding of another shape occasionally changes a draw, so guesses are checked there only on request. In the
  // single-request decoder rounding is the same (SINGLE-4).
  const guessesAlone = single !== undefined && limits.speculate !== false;
  const speculates = canSpeculate && single === undefined && (limits.speculate ?? precision === "float32");
  const shapes = new CallShapes(config, {
    ...common,
    half,
    writesSteps,
    speculates,
    maxBatch,
    batchInvariant,
    lanes,
  });
  const longest = Math.ceil(maxLength / pageLength);
  const pages =
    cacheTokens === undefined ? maxBatch * longest : Math.max(longest, Math.ceil(cacheTokens / pageLength));
  const sharedUnit = batchInvariant ? { sharedUnitPages: shapes.sharedUnit / pageLength } : {};
  const pool = new PagePool({ pages, pageLength, share, ...sharedUnit });
  const settings = {
    shapes,
    pages,
    half,
    writesSteps,
    maxLength,
    precision,
    lanes,
    batchInvariant,
    lora,
    single,
    guessesAlone,
  };
  return { shapes, pool, chosen, device: new SamplerDevice({ backend, mode, config, ...settings }) };
}

/** Smaller models spend their time in operations, not in reading weights. */
const leastParametersAlone = 2e7;

/** The weight format for a request that runs alone; undefined: it is sampled like any other. @throws {ModelError} CONFIG_INVALID */
function singleFormat(
  { singleWeights }: SamplerConfig,
  precision: JitPrecision,
  { canSpeculate, config, maxLength }: { canSpeculate: boolean; config: ModelConfig; maxLength: number },
): WeightFormat | undefined {
  if (singleWeights === "off") return undefined;
  const isNamed = singleWeights !== "auto";
  const format = singleWeights === "auto" ? precision : singleWeights;
  const problem = canSpeculate
    ? SingleRequest.unfitness({ config, format, maxLength })
    : "which needs a model of more than 8 layers on a CPU with the tensorflow backend, without batchInvariant";
  if (problem !== undefined && isNamed)
    throw new ModelError(
      "CONFIG_INVALID",
      `sampler: singleWeights is ${singleWeights}, ${problem}; set it to auto`,
    );
  const isWorthwhile = parameterCount(config) >= leastParametersAlone;
  return problem === undefined && (isNamed || isWorthwhile) ? format : undefined;
}
