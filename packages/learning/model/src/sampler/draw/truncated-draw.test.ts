import { loadBackend, tf } from "@palimpsest/jit";
import { beforeAll, describe, expect, it } from "vitest";
import { greedyInverseTemperature } from "./draw.js";
import { drawTruncatedTokens } from "./truncated-draw.js";
import { type DrawRule, drawTruncated } from "./truncation.js";

beforeAll(async () => {
  await loadBackend();
});

const [rows, vocabSize] = [24, 120];

/** Deterministic logits; rounded to tenths there are ties, and some lie far below. */
function someLogits(step: number): Float32Array {
  return Float32Array.from({ length: rows * vocabSize }, (_, i) => {
    const value = Math.sin(i * 12.9898 + 3) * 7 - (i % 11 === 0 ? 90 : 0);
    return Math.round(value / step) * step;
  });
}

/** Uniform numbers from 0 to the largest below 1. */
const uniforms = Float32Array.from({ length: rows }, (_, i) => (i / (rows - 1)) * (1 - 2 ** -23));

/** What the host draws, row by row, and what the tensors do. */
function both(logits: Float32Array, rule: DrawRule) {
  const host = Array.from({ length: rows }, (_, i) =>
    drawTruncated(
      logits.subarray(i * vocabSize, (i + 1) * vocabSize),
      rule,
      rule.temperature === 0 ? 0 : (uniforms[i] as number),
    ),
  );
  const { temperature, topK = 0, topP = 1, minP = 0 } = rule;
  const drawn = tf.tidy(() => {
    const each = (value: number) => tf.fill([rows], value);
    const result = drawTruncatedTokens(tf.tensor2d(logits, [rows, vocabSize]), {
      uniforms: temperature === 0 ? each(0) : tf.tensor1d(uniforms),
      inverseTemperature: each(temperature === 0 ? greedyInverseTemperature : 1 / temperature),
      topK: each(topK),
      topP: each(topP),
      minP: each(minP),
    });
    return {
      tokens: [...result.tokens.dataSync()],
      logprobs: [...result.logprobs.dataSync()],
      sampledLogprobs: [...result.sampledLogprobs.dataSync()],
    };
  });
  return { host, drawn };
}

const rules: readonly DrawRule[] = [
  { temperature: 1, topK: 1 },
  { temperature: 1, topK: 7 },
  { temperature: 0.6, topK: 500 },
  { temperature: 1, topP: 0.9 },
  { temperature: 1.7, topP: 0.999 },
  { temperature: 0.3, topP: 1e-6 },
  { temperature: 1, minP: 0.2 },
  { temperature: 2, minP: 1 },
  { temperature: 0.8, topK: 40, topP: 0.8, minP: 0.05 },
  { temperature: 1, topK: 3, topP: 0.99 },
  { temperature: 1.3, topP: 0.7, minP: 0.3 },
  { temperature: 0 },
];

describe.each([
  ["without ties", 1e-6],
  ["with ties", 0.5],
])("a draw truncated on the device, %s", (_, step) => {
  it.each(rules)("is the host's: %o", (rule) => {
    const { host, drawn } = both(someLogits(step), rule);
    // A uniform number at the very border of two tokens may fall to either: sums are added in another order.
    const different = host.filter(({ tokenId }, i) => tokenId !== drawn.tokens[i]);
    expect(different.length).toBeLessThanOrEqual(1);
    host.forEach(({ tokenId, rolloutLogprob, sampledLogprob }, i) => {
      if (tokenId !== drawn.tokens[i]) return;
      expect(drawn.logprobs[i]).toBeCloseTo(rolloutLogprob, 4);
      // Greedily the host counts the first of the largest alone.
      if (rule.temperature > 0) expect(drawn.sampledLogprobs[i]).toBeCloseTo(sampledLogprob, 4);
    });
  });
});

it("truncates each row by its own rule, and leaves rows of NaN within the vocabulary", () => {
  const logits = someLogits(1e-6);
  logits.fill(Number.NaN, vocabSize, 2 * vocabSize);
  const [tokens, sampled] = tf.tidy(() => {
    const drawn = drawTruncatedTokens(tf.tensor2d(logits, [rows, vocabSize]), {
      uniforms: tf.tensor1d(uniforms),
      inverseTemperature: tf.ones([rows]),
      topK: tf.tensor1d(Float32Array.from({ length: rows }, (_, i) => (i % 2 === 0 ? 1 : 0))),
      topP: tf.ones([rows]),
      minP: tf.zeros([rows]),
    });
    return [drawn.tokens.dataSync(), drawn.sampledLogprobs.dataSync()];
  });
  for (let row = 0; row < rows; row++) {
    const own = logits.subarray(row * vocabSize, (row + 1) * vocabSize);
    expect(tokens[row]).toBeGreaterThanOrEqual(0);
    expect(tokens[row]).toBeLessThan(vocabSize);
    if (row % 2 === 0) expect(tokens[row]).toBe(own.indexOf(Math.max(...own)));
    else if (row > 1) expect(sampled[row]).toBeLessThan(-1e-3);
  }
  expect(sampled[1]).toBeNaN();
});
