import { loadBackend, tf } from "@palimpsest/jit";
import { beforeAll, describe, expect, it } from "vitest";
import { drawTokens, drawUniform, greedyInverseTemperature } from "./draw.js";

beforeAll(async () => {
  await loadBackend();
});

function draw(logits: number[], uniform: number, inverseTemperature = 1) {
  return tf.tidy(() => {
    const drawn = drawTokens(
      tf.tensor2d([logits]),
      tf.tensor1d([uniform]),
      tf.tensor1d([inverseTemperature]),
    );
    return { token: drawn.tokens.dataSync()[0] as number, logprob: drawn.logprobs.dataSync()[0] as number };
  });
}

describe("a drawn token", () => {
  // Sizes with a divisor near the root, a prime, one block, one entry.
  it.each([1, 2, 7, 16, 97, 256, 1187])(
    "is where the running sum of %i weights passes the uniform number",
    (size) => {
      const logits = Array.from({ length: size }, (_, i) => Math.sin(i * 7.3) * 2 - (i % 5 === 0 ? 1000 : 0));
      if (size === 1) logits[0] = 0;
      const weights = logits.map(Math.exp);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (let i = 0; i < 60; i++) {
        const uniform = drawUniform(3, i);
        let running = 0;
        const expected = weights.findIndex((weight) => {
          running += weight;
          return running > uniform * total;
        });
        const { token, logprob } = draw(logits, uniform);
        // Float32 sums may move a boundary that the uniform number falls upon.
        expect(Math.abs(token - expected)).toBeLessThanOrEqual(
          uniform * total - running < 1e-3 * total ? 2 : 0,
        );
        expect(logprob).toBeCloseTo((logits[token] as number) - Math.log(total), 4);
      }
    },
  );

  it("never has weight 0, at either end of the uniform numbers", () => {
    const impossible = -1e9;
    const logits = Array.from({ length: 100 }, (_, i) => (i === 37 || i === 61 ? i / 100 : impossible));
    expect(draw(logits, 0).token).toBe(37);
    expect(draw(logits, 1 - 2 ** -23).token).toBe(61);
  });

  it("is the first of the largest when greedy, with the log-probability before temperature", () => {
    const { token, logprob } = draw([1, 3, 2.9999998, 3, 0], 0, greedyInverseTemperature);
    expect(token).toBe(1);
    const total = Math.exp(1) + 3 * Math.exp(3) + 1;
    expect(logprob).toBeCloseTo(3 - Math.log(total), 4);
  });
});

describe("the uniform numbers", () => {
  it("are in [0, 1), differ with seed and index, and spread evenly", () => {
    const seen = new Set<number>();
    const bins = new Array<number>(10).fill(0);
    for (const seed of [0, 1, -1, 2 ** 31, 2 ** 32, 2 ** 40 + 1]) {
      for (let index = 0; index < 1000; index++) {
        const uniform = drawUniform(seed, index);
        expect(uniform).toBeGreaterThanOrEqual(0);
        expect(uniform).toBeLessThan(1);
        seen.add(uniform);
        (bins[Math.floor(uniform * 10)] as number)++;
      }
    }
    expect(seen.size).toBeGreaterThan(5980);
    for (const count of bins) expect(Math.abs(count - 600)).toBeLessThan(100);
  });
});
