import type { Backend, HostArray, JitMode, JitModule } from "@palimpsest/jit";
import { entry } from "@palimpsest/jit";
import { adamwScalars, aggregationWeights, LossConfig, tokenStatistics } from "@palimpsest/learner";
import {
  createSampler,
  type ModelConfig,
  type ModelFolder,
  parameterShapes,
  parametersFromHf,
} from "@palimpsest/model";
import { type Measure, maxDifference } from "../measure.js";
import { compareGradients, gradientNorm } from "./compare-gradients.js";
import {
  gradientName,
  lossName,
  referenceModule,
  referenceOptimizer,
  stateName,
} from "./reference-module.js";
import {
  GRADIENT_CASE,
  type LossCase,
  type ReferenceBatch,
  type ReferenceNumbers,
} from "./reference-numbers.js";

export interface CheckReferenceOptions {
  readonly backend: Backend;
  readonly mode?: "auto" | JitMode;
  readonly signal?: AbortSignal;
}

/** Returns the tolerances of a backend. Kernel libraries sum in different orders, so float32 results differ. */
function barsOf(backend: Backend["name"]) {
  const wide = backend === "wasm" ? 5 : 1;
  return {
    logprobs: 1e-4 * wide,
    entropy: 1e-4 * wide,
    loss: 1e-5 * wide,
    statistic: 1e-5 * wide,
    relativeNorm: 1e-4 * wide,
    cosine: 0.99999,
    relativeGradient: 1e-3 * wide,
    afterSteps: backend === "wasm" ? 5e-4 : 2e-4,
  };
}

type Bars = ReturnType<typeof barsOf>;

/**
 * Recomputes everything in a reference with the learner's and the sampler's own code, and compares the results.
 * @throws {LearnerError} REFERENCE_INVALID; the signal's reason
 */
export async function checkReference(
  model: Pick<ModelFolder, "config" | "parameters">,
  reference: ReferenceNumbers,
  options: CheckReferenceOptions,
): Promise<readonly Measure[]> {
  const bars = barsOf(options.backend.name);
  const module = referenceModule(model.config, reference, options.backend, options.mode ?? "auto");
  try {
    const names = Object.keys(parameterShapes(model.config));
    module.writeState(
      Object.fromEntries(names.map((name) => [stateName("weights", name), entry(model.parameters, name)])),
    );
    const measures: Measure[] = [];
    for (const batch of [reference, ...reference.atTemperatures]) {
      const scored = checkScores(module, batch, bars);
      measures.push(...scored.measures);
      for (const [name, wanted] of batch.losses) {
        options.signal?.throwIfAborted();
        measures.push(...checkLoss(module, model.config, batch, { name, wanted }, scored.logprobs, bars));
      }
    }
    measures.push(...checkAdamw(module, model.config, reference, bars));
    measures.push(await checkGreedy(model, reference, options));
    return measures;
  } finally {
    module.dispose();
  }
}

function checkScores(
  module: JitModule,
  reference: ReferenceBatch,
  bars: Bars,
): { readonly measures: Measure[]; readonly logprobs: HostArray } {
  const outputs = module.call("score", passValues(reference));
  const logprobs = outputs["logprobs"] ?? new Float32Array();
  const present = (i: number) => reference.present[i] === true;
  const at = reference.temperature === 1 ? "" : ` at temperature ${reference.temperature}`;
  return {
    logprobs,
    measures: [
      atMost(`log-probabilities${at}`, maxDifference(logprobs, reference.logprobs, present), bars.logprobs),
      atMost(
        `entropy${at}`,
        maxDifference(outputs["entropy"] ?? [], reference.entropy, present),
        bars.entropy,
      ),
    ],
  };
}

function checkLoss(
  module: JitModule,
  model: ModelConfig,
  reference: ReferenceBatch,
  { name, wanted }: { readonly name: string; readonly wanted: LossCase },
  logprobs: HostArray,
  bars: Bars,
): Measure[] {
  const { loss, gradients } = evaluate(module, model, reference, name, wanted);
  const { klK3, clipFractionHigh, clipFractionLow } = statisticsOf(reference, wanted, logprobs);
  const clipFraction = clipFractionHigh + clipFractionLow;
  const measures = [
    atMost(`${name}: loss`, Math.abs(loss - wanted.loss), bars.loss),
    atMost(`${name}: kl_k3`, Math.abs(klK3 - wanted.kl_k3), bars.statistic),
    ...(wanted.clip_fraction === undefined
      ? []
      : [atMost(`${name}: clip_fraction`, Math.abs(clipFraction - wanted.clip_fraction), bars.statistic)]),
    atMost(
      `${name}: grad_norm (relative)`,
      Math.abs(gradientNorm(gradients) / wanted.grad_norm - 1),
      bars.relativeNorm,
    ),
  ];
  if (name !== reference.gradientCase) return measures;
  const prefix = name === GRADIENT_CASE ? "" : `${name}: `;
  const compared = compareGradients(model, gradients, parametersFromHf(model, reference.gradients));
  const turned = compared.reduce((worst, each) => (each.cosine >= worst.cosine ? worst : each));
  const furthest = compared.reduce((worst, each) => (each.relative <= worst.relative ? worst : each));
  return [
    ...measures,
    {
      name: `${prefix}gradients: least cosine of ${compared.length}`,
      value: turned.cosine,
      bar: bars.cosine,
      goal: "atLeast",
      where: turned.where,
    },
    {
      ...atMost(`${prefix}gradients: greatest relative difference`, furthest.relative, bars.relativeGradient),
      where: furthest.where,
    },
  ];
}

function evaluate(
  module: JitModule,
  model: ModelConfig,
  reference: ReferenceBatch,
  name: string,
  { aggregation }: LossCase,
): { readonly loss: number; readonly gradients: Readonly<Record<string, Float32Array>> } {
  const { rows, width, lossMask } = reference;
  const extents = Array.from({ length: rows }, (_, row) => ({
    tokens: lossMask.subarray(row * width, (row + 1) * width).reduce((sum, value) => sum + value, 0),
    trajectoryId: String(row),
  }));
  const outputs = module.call(lossName(name), {
    ...passValues(reference),
    oldLogprobs: reference.oldLogprobs,
    refLogprobs: reference.refLogprobs,
    lossMask,
    advantages: Float32Array.from(reference.advantages),
    tokenWeights: Float32Array.from(aggregationWeights(extents, aggregation)),
  });
  const gradients = Object.keys(parameterShapes(model)).map((parameter) => {
    const values = outputs[gradientName(parameter)];
    return [parameter, Float32Array.from(values ?? [])] as const;
  });
  return { loss: outputs["loss"]?.[0] ?? Number.NaN, gradients: Object.fromEntries(gradients) };
}

/** Returns the inputs that every pass over the batch needs. */
function passValues({ tokenIds, rows, width, temperature }: ReferenceBatch) {
  return { tokenIds, logitScales: new Float32Array(rows * width).fill(1 / temperature) };
}

function statisticsOf(reference: ReferenceBatch, of: LossCase, logprobs: HostArray) {
  const loss = LossConfig.parse({ kind: "clip", clipLow: of.clip_low, clipHigh: of.clip_high });
  const statistics = tokenStatistics(loss);
  reference.lossMask.forEach((trained, i) => {
    if (trained === 0) return;
    const old = reference.oldLogprobs[i] as number;
    statistics.add({
      policyLogprob: logprobs[i] as number,
      rolloutLogprob: old,
      oldLogprob: old,
      refLogprob: reference.refLogprobs[i] as number,
      advantage: reference.advantages[Math.floor(i / reference.width)] as number,
    });
  });
  return statistics.result();
}

function checkAdamw(
  module: JitModule,
  model: ModelConfig,
  reference: ReferenceNumbers,
  bars: Bars,
): Measure[] {
  const { adamw } = reference;
  const optimizer = referenceOptimizer(reference);
  const trained = reference.losses.get(GRADIENT_CASE) as LossCase;
  let worstLoss = 0;
  let worstNorm = 0;
  adamw.steps.forEach((wanted, step) => {
    const { loss, gradients } = evaluate(module, model, reference, GRADIENT_CASE, trained);
    const norm = gradientNorm(gradients);
    worstLoss = Math.max(worstLoss, Math.abs(loss - wanted.loss));
    worstNorm = Math.max(worstNorm, Math.abs(norm / wanted.grad_norm - 1));
    const named = Object.entries(gradients).map(([name, values]) => [gradientName(name), values] as const);
    module.call("apply", { ...adamwScalars(step, adamw.lr, norm, optimizer), ...Object.fromEntries(named) });
  });
  const after = module.call("score", passValues(reference))["logprobs"] ?? [];
  const difference = maxDifference(after, reference.logprobsAfterAdamw, (i) => reference.present[i] === true);
  const steps = `${adamw.steps.length} AdamW steps`;
  return [
    atMost(`${steps}: loss`, worstLoss, bars.afterSteps),
    atMost(`${steps}: grad_norm (relative)`, worstNorm, bars.relativeNorm * 10),
    atMost(`${steps}: log-probabilities after`, difference, bars.afterSteps),
  ];
}

async function checkGreedy(
  { config, parameters }: Pick<ModelFolder, "config" | "parameters">,
  { greedy: { prompt, continuation } }: ReferenceNumbers,
  { backend, mode = "auto", signal }: CheckReferenceOptions,
): Promise<Measure> {
  const length = prompt.length + continuation.length;
  const limits = { maxBatch: 1, maxLength: length, promptLengths: [prompt.length] };
  const sampler = createSampler({ backend, mode, config, parameters, weightsHash: "", ...limits });
  try {
    const wanted = { maxTokens: continuation.length, temperature: 0, stopTokenIds: [], seed: 0 };
    const { tokenIds } = await sampler.generate({ promptTokenIds: prompt, ...wanted }, signal);
    const differing = continuation.filter((id, i) => tokenIds[i] !== id).length;
    return atMost(`greedy continuation: other tokens of ${continuation.length}`, differing, 0);
  } finally {
    await sampler.close();
  }
}

function atMost(name: string, value: number, bar: number): Measure {
  return { name, value, bar, goal: "atMost" };
}
