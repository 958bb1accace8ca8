import { loadBackend, tf } from "@palimpsest/jit";
import { beforeAll, describe, expect, it } from "vitest";
import { OptimizerConfig } from "../config/config.js";
import { adamwScalars, adamwStep } from "./optimizer.js";

/** AdamW on one number, written out in float64. */
function byHand(gradients: readonly number[], start: number, lr: number, config: OptimizerConfig): number {
  let [w, m, v] = [start, 0, 0];
  gradients.forEach((raw, step) => {
    const scale = config.maxGradNorm === null ? 1 : Math.min(1, config.maxGradNorm / (Math.abs(raw) + 1e-6));
    const g = raw * scale;
    m = config.beta1 * m + (1 - config.beta1) * g;
    v = config.beta2 * v + (1 - config.beta2) * g * g;
    const mHat = m / (1 - config.beta1 ** (step + 1));
    const vHat = v / (1 - config.beta2 ** (step + 1));
    w -= lr * config.weightDecay * w;
    w -= (lr * mHat) / (Math.sqrt(vHat) + config.epsilon);
  });
  return w;
}

describe("adamwStep", () => {
  beforeAll(async () => {
    await loadBackend({ prefer: "cpu" });
  });

  it.each([
    ["plain", {}],
    ["with decay", { weightDecay: 0.1 }],
    ["without clipping", { maxGradNorm: null }],
    ["with a large epsilon", { epsilon: 0.1, beta2: 0.999 }],
  ] as const)("does what the formula says over several steps (%s)", (_, overrides) => {
    const config = OptimizerConfig.parse(overrides);
    const gradients = [0.5, -2, 30, 1e-4];
    const zero = () => tf.tensor1d([0]);
    let state: Parameters<typeof adamwStep>[0] = {
      weights: tf.tensor1d([1.5]),
      moment1: zero(),
      moment2: zero(),
    };
    gradients.forEach((gradient, step) => {
      const host = adamwScalars(step, 0.01, Math.abs(gradient), config);
      const scalar = (name: keyof typeof host) => tf.scalar(host[name][0] ?? Number.NaN);
      const scalars = {
        gradientScale: scalar("gradientScale"),
        decay: scalar("decay"),
        stepSize: scalar("stepSize"),
        rootCorrection: scalar("rootCorrection"),
      };
      state = adamwStep(state, tf.tensor1d([gradient]), scalars, config);
    });
    const got = state.weights.dataSync()[0] ?? Number.NaN;
    expect(Math.abs(got - byHand(gradients, 1.5, 0.01, config))).toBeLessThan(1e-6);
  });

  it("scales by the global norm only above the bound", () => {
    const config = OptimizerConfig.parse({ maxGradNorm: 2 });
    expect(adamwScalars(0, 1, 1.5, config).gradientScale[0]).toBe(1);
    expect(adamwScalars(0, 1, 8, config).gradientScale[0]).toBeCloseTo(0.25, 6);
  });
});
