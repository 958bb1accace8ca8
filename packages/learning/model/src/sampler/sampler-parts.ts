import type { Backend, JitMode } from "@palimpsest/jit";
import { parseInput } from "@palimpsest/std/input";
import { type ChosenPrecision, choosePrecision } from "../base/chosen-precision.js";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import type { LoraConfig } from "../base/lora.js";
import type { CachePool } from "./calls/cache-pool.js";
import type { CallPlan } from "./calls/call-plan.js";
import type { SamplingDevice } from "./calls/sampling-device.js";
import { type SamplerConfig, type SamplerConfigInput, samplerConfigSchema } from "./draw/request.js";
import { chooseEngine } from "./engine.js";
import { CallShapes, pageLength } from "./pages/call-shapes.js";
import { PagePool } from "./pages/page-pool.js";
import { SamplerDevice } from "./pages/sampler-device.js";
import { SlotDevice } from "./slots/slot-device.js";
import { SlotPool } from "./slots/slot-pool.js";
import { SlotShapes } from "./slots/slot-shapes.js";

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
  const { batchInvariant, lanes, maxLength } = config;
  const refuse = (problem: string): never => {
    throw new ModelError("CONFIG_INVALID", `sampler: ${problem}`);
  };
  if (batchInvariant && lanes > 1)
    refuse(`lanes is ${lanes}, but batchInvariant needs whole batches; set lanes to 1`);
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
  const { gpu } = backend;
  const engine = chooseEngine({ backend, mode, precision, config, limits });
  const stepsPerCall = limits.stepsPerCall ?? defaultSteps[engine.cache];
  const common = {
    maxLength,
    stepsPerCall,
    promptLengths,
    prefillTokens,
    gpu,
    speculates: engine.speculates,
  };
  if (engine.cache === "slots") {
    const { slots, packs } = engine;
    const shapes = new SlotShapes(config, { ...common, maxBatch: slots, packs });
    const stages = limits.weightUpdates === "staged";
    const device = new SlotDevice({ backend, mode, config, shapes, maxLength, precision, lora, stages });
    return { shapes, device, chosen, pool: new SlotPool({ slots, share }) };
  }
  const { half, writesSteps, single, guessesAlone } = engine;
  const settings = { half, writesSteps, batchInvariant, lanes };
  const shapes = new CallShapes(config, { ...common, ...settings, maxBatch });
  const longest = Math.ceil(maxLength / pageLength);
  const pages =
    cacheTokens === undefined ? maxBatch * longest : Math.max(longest, Math.ceil(cacheTokens / pageLength));
  const sharedUnit = batchInvariant ? { sharedUnitPages: shapes.sharedUnit / pageLength } : {};
  const pool = new PagePool({ pages, pageLength, share, ...sharedUnit });
  const model = { backend, mode, config, maxLength, precision, lora };
  const device = new SamplerDevice({ ...model, ...settings, shapes, pages, single, guessesAlone });
  return { shapes, pool, chosen, device };
}
