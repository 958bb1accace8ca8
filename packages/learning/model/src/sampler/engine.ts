import { type Backend, fitsFusedAttention, type JitMode, type JitPrecision } from "@palimpsest/jit";
import { attentionKinds, isUniform } from "../base/attention-kind.js";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { parameterCount } from "../base/parameters.js";
import type { WeightFormat } from "../single/tiles.js";
import type { SamplerConfig } from "./draw/request.js";
import type { DeviceOptions } from "./pages/sampler-device.js";
import { SingleRequest } from "./single/single-request.js";
import { tableShape } from "./slots/table-cache.js";
import { runsAsLoop } from "./weights/packed-weights.js";

/** It counts where the keys of a packed piece begin in 32 bits. */
const mostKernelElements = 2 ** 31;
/** Smaller models spend their time in operations, not in reading weights. */
const leastParametersAlone = 2e7;

/** What is sampled, where, and with which settings. */
export interface EngineRequest {
  readonly backend: Pick<Backend, "name" | "gpu">;
  readonly mode: "auto" | JitMode;
  readonly precision: JitPrecision;
  readonly config: ModelConfig;
  readonly limits: SamplerConfig;
}

/** Where keys and values are, and which of the faster ways of sampling are on. */
export type Engine =
  | {
      readonly cache: "slots";
      readonly slots: number;
      /** Prompts are packed end to end. */
      readonly packs: boolean;
      readonly speculates: boolean;
    }
  | ({ readonly cache: "pages"; readonly speculates: boolean } & Required<
      Pick<DeviceOptions, "half" | "writesSteps" | "single" | "guessesAlone">
    >);

type Cell = EngineRequest & { readonly cache: "pages" | "slots" };

const conditions = {
  pages: ["cache pages", ({ cache }) => cache === "pages"],
  cpu: ["a CPU", ({ backend }) => !backend.gpu],
  gpu: ["a GPU", ({ backend }) => backend.gpu],
  tensorflow: ["the tensorflow backend", ({ backend }) => backend.name === "tensorflow"],
  graph: ["mode graph", ({ mode }) => mode === "graph" || mode === "auto"],
  xla: ["mode xla", ({ mode }) => mode === "xla" || mode === "auto"],
  compiled: ["mode graph or xla", ({ mode }) => mode !== "eager"],
  bfloat16: ["precision bfloat16", ({ precision }) => precision === "bfloat16"],
  deep: ["a model of more than 8 layers", ({ config }) => runsAsLoop(config)],
  shallow: ["a model of at most 8 layers", ({ config }) => !runsAsLoop(config)],
  uniform: [
    "layers that attend to all tokens alike, without a sliding window shorter than maxLength",
    ({ config, limits }) => isUniform(attentionKinds(config, limits.maxLength)),
  ],
  variant: ["batchInvariant false", ({ limits }) => !limits.batchInvariant],
  oneLane: ["lanes 1", ({ limits }) => limits.lanes === 1],
  // Without an attention kernel, a NaN of one prompt would reach the others, and the scores of a call would take a gigabyte.
  kernelHeads: ["heads of a kernel", ({ config }) => fitsFusedAttention(config.headDim)],
  addressable: ["a table of 2^31 values", (cell) => tableElements(cell) < mostKernelElements],
} satisfies Record<string, readonly [name: string, holds: (cell: Cell) => boolean]>;

type Condition = keyof typeof conditions;

/** Each engine and way of sampling, with all that it needs. The first condition that does not hold is the reason of a refusal. */
const table = {
  slots: ["uniform", "variant", "oneLane"],
  slotsUnasked: ["uniform", "variant", "oneLane", "gpu", "xla", "bfloat16"],
  packs: ["gpu", "xla", "bfloat16", "kernelHeads", "addressable"],
  // Mode eager has no bfloat16, and XLA on a GPU is slow at writing rows into a bfloat16 table.
  half: ["cpu", "tensorflow", "graph", "bfloat16"],
  writesSteps: ["cpu", "tensorflow", "graph", "shallow"],
  guesses: ["variant", "cpu", "tensorflow", "compiled", "deep"],
  single: ["pages", "variant", "cpu", "tensorflow", "compiled", "deep"],
} satisfies Record<string, readonly Condition[]>;

/** @returns what a row of the table needs and does not have; undefined: it can be had */
function missing(row: keyof typeof table, cell: Cell): string | undefined {
  const condition = table[row].find((one) => !conditions[one][1](cell));
  return condition && conditions[condition][0];
}

function cellOf(request: EngineRequest): Cell {
  const automatic = missing("slotsUnasked", { ...request, cache: "slots" }) === undefined ? "slots" : "pages";
  return { ...request, cache: request.limits.cache ?? automatic };
}

/** @returns what `speculate: true` needs and does not have; undefined: a sampler of this request can guess */
export function speculationNeed(request: EngineRequest): string | undefined {
  const cell = cellOf(request);
  return cell.cache === "slots" ? missing("slots", cell) : missing("guesses", cell);
}

/** @throws {ModelError} CONFIG_INVALID, naming a setting that cannot be had and what it needs */
export function chooseEngine(request: EngineRequest): Engine {
  const { limits, precision } = request;
  const { speculate, promptLengths, packPrompts } = limits;
  const cell = cellOf(request);
  const has = (row: keyof typeof table) => missing(row, cell) === undefined;
  const refuse = (setting: "cache" | "speculate", need: string | undefined, fix: string) => {
    if (need !== undefined) throw invalid(`${setting} is ${limits[setting]}, which needs ${need}; ${fix}`);
  };
  const single = singleFormat(cell);
  if (cell.cache === "slots") {
    refuse("cache", missing("slots", cell), "set cache to pages");
    const packs = promptLengths === undefined && (packPrompts ?? has("packs"));
    return { cache: "slots", slots: slotsOf(limits), packs, speculates: speculate === true };
  }
  if (speculate === true)
    refuse(
      "speculate",
      speculationNeed(request),
      `${has("slots") ? "set cache to slots, or " : ""}leave speculate out`,
    );
  return {
    cache: "pages",
    half: has("half"),
    writesSteps: has("writesSteps"),
    single,
    // In bfloat16 the rounding of another shape occasionally changes a draw, so guesses are checked there only on request. In the
    // single-request decoder rounding is the same (SINGLE-4).
    guessesAlone: single !== undefined && speculate !== false,
    speculates: has("guesses") && single === undefined && (speculate ?? precision === "float32"),
  };
}

function singleFormat(cell: Cell): WeightFormat | undefined {
  const { config, precision } = cell;
  const { singleWeights, maxLength } = cell.limits;
  if (singleWeights === "off") return undefined;
  const format = singleWeights === "auto" ? precision : singleWeights;
  const need = missing("single", cell) ?? SingleRequest.unmetNeed({ config, format, maxLength });
  if (singleWeights === "auto")
    return need === undefined && parameterCount(config) >= leastParametersAlone ? format : undefined;
  if (need !== undefined)
    throw invalid(`singleWeights is ${singleWeights}, which needs ${need}; set it to auto`);
  return format;
}

function slotsOf({ maxBatch, maxLength, cacheTokens }: SamplerConfig): number {
  const affordable = cacheTokens === undefined ? maxBatch : Math.floor(cacheTokens / maxLength);
  return Math.max(1, Math.min(maxBatch, affordable));
}

function tableElements({ config: { kvHeads, headDim }, limits }: Cell): number {
  const slots = slotsOf(limits);
  return slots * tableShape(slots, limits.maxLength).length * kvHeads * headDim;
}

function invalid(problem: string): ModelError {
  return new ModelError("CONFIG_INVALID", `sampler: ${problem}`);
}
