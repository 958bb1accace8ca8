import type { Backend } from "@palimpsest/jit";
import { initParameters, type ModelConfig } from "@palimpsest/model";
import { expect } from "vitest";
import { type LearnerConfigInput, resolveLearnerConfig } from "../config/config.js";
import { createRandom } from "../config/random.js";
import { aggregationWeights } from "../loss/aggregation.js";
import { trainedTokens } from "../rows/dealt-row.js";
import type { PackableRow } from "../rows/micro-batches.js";
import { initialState, stateName, trainedShapes } from "../state/state.js";
import { compileLearner, type Objective } from "../step/compiled.js";
import { optimizerStep } from "../step/optimizer-step.js";
import { tinyConfig } from "./learner.fixture.js";

/** What a step computed. */
export interface Step {
  readonly loss: number;
  readonly microBatches: number;
  readonly computedTokens: number;
  readonly gradients: Readonly<Record<string, Float32Array>>;
  /** Sum over the trained tokens. */
  readonly entropy: number;
  /** Log-probs of the trained tokens of each row, in their order. */
  readonly policyLogprobs: readonly (readonly number[])[];
}

/** Compiles a learner whose steps apply nothing, so that any number of them start from the same weights. */
export function openSteps(
  backend: Backend,
  objective: Objective,
  overrides: Partial<LearnerConfigInput>,
  model: ModelConfig,
) {
  const config = resolveLearnerConfig(
    tinyConfig({ kl: { coefficient: 0.1 }, entropyCoefficient: 0.01, ...overrides }),
  );
  const module = compileLearner({ backend, model, config, objectives: [objective], mode: "auto" });
  const base = { model, parameters: initParameters(model, 1, { projectionStd: 0.2, headStd: 0.2 }) };
  module.writeState(initialState(base, config));
  // A reference and adapters that are not the start's, so that the KL has a gradient and B is not zero.
  const random = createRandom(5);
  const names = Object.keys(trainedShapes(model, config));
  const start = Object.entries(module.readState(names.map((name) => stateName("weights", name)))) as [
    string,
    Float32Array,
  ][];
  const moved = (values: Float32Array) => values.map((value) => value + (random.below(1000) - 500) / 5000);
  // TensorFlow prepares every set of names separately, which takes longer than a step: one read and one write.
  module.writeState(Object.fromEntries(start.map(([key, values]) => [key, moved(values)])));
  return {
    async run(rows: readonly PackableRow[]): Promise<Step> {
      const extents = rows.map((row, i) => ({ tokens: trainedTokens(row), trajectoryId: String(i) }));
      let gradients: Record<string, Float32Array> = {};
      let entropy = 0;
      const policyLogprobs = rows.map((): number[] => []);
      const { loss, microBatches, computedTokens } = await optimizerStep(module, config, {
        objective,
        rows,
        weights: aggregationWeights(extents, "seq-mean-token-mean"),
        learningRate: 1e-3,
        step: 0,
        onMicroBatch: (_batch, arrays, outputs) => {
          arrays.lossMask.forEach((trained, at) => {
            if (trained === 0) return;
            entropy += outputs["entropy"]?.[at] ?? 0;
            policyLogprobs[arrays.rowOfToken[at] ?? -1]?.push(outputs["policyLogprobs"]?.[at] ?? Number.NaN);
          });
        },
        beforeApply: () => {
          const state = module.readState(names.map((name) => stateName("gradient", name)));
          gradients = Object.fromEntries(
            names.map((name) => [name, (state[stateName("gradient", name)] as Float32Array).slice()]),
          );
          return "skip";
        },
      });
      return { loss, microBatches, computedTokens, gradients, entropy, policyLogprobs };
    },
    close: () => module.dispose(),
  };
}

/** Compares loss, entropy and gradients, the last relative to the largest of each tensor. */
export function expectSame(actual: Step, expected: Step, within = 1e-5): void {
  expect(Math.abs(actual.loss / expected.loss - 1)).toBeLessThan(within);
  expect(Math.abs(actual.entropy - expected.entropy)).toBeLessThan(1e-4);
  expect(Object.keys(actual.gradients)).toEqual(Object.keys(expected.gradients));
  for (const [name, wanted] of Object.entries(expected.gradients)) {
    const given = actual.gradients[name] as Float32Array;
    const largest = wanted.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const worst = wanted.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - (given[i] as number))),
      0,
    );
    expect(largest, name).toBeGreaterThan(1e-4);
    expect(worst / largest, name).toBeLessThan(within);
  }
}
