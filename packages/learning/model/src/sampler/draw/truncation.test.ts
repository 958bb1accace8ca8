import { describe, expect, it } from "vitest";
import { type DrawRule, drawTruncated, needsHost } from "./truncation.js";

/** Deterministic logits with ties. */
const someLogits = (size: number, seed: number) =>
  Float32Array.from({ length: size }, (_, i) => Math.round(Math.sin(i * 12.9898 + seed * 78.233) * 60) / 10);

/** The same distribution the plain way: sort everything, mask in the order of transformers, normalize. */
function probabilities(
  logits: Float32Array,
  { temperature, topK = 0, topP = 1, minP = 0 }: DrawRule,
): number[] {
  const scaled = [...logits].map((logit) => logit / temperature);
  const softmax = (values: readonly number[]) => {
    const largest = Math.max(...values);
    const weights = values.map((value) => Math.exp(value - largest));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  };
  let kept = scaled;
  if (topK > 0) {
    const bound = kept.toSorted((a, b) => b - a)[Math.min(topK, kept.length) - 1] as number;
    kept = kept.map((value) => (value >= bound ? value : Number.NEGATIVE_INFINITY));
  }
  if (topP < 1) {
    const shares = softmax(kept);
    const order = shares
      .map((_, id) => id)
      .toSorted((a, b) => (shares[b] as number) - (shares[a] as number) || a - b);
    let before = 0;
    const out = new Set<number>();
    for (const [place, id] of order.entries()) {
      if (place > 0 && before >= topP - 1e-12) out.add(id);
      before += shares[id] as number;
    }
    kept = kept.map((value, id) => (out.has(id) ? Number.NEGATIVE_INFINITY : value));
  }
  if (minP > 0) {
    const shares = softmax(kept);
    const bound = minP * Math.max(...shares);
    kept = kept.map((value, id) =>
      (shares[id] as number) >= bound - 1e-12 ? value : Number.NEGATIVE_INFINITY,
    );
  }
  return softmax(kept);
}

describe("a truncated draw", () => {
  it.each<DrawRule>([
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
  ])("comes from the distribution that transformers' warpers leave: %o", (rule) => {
    for (let seed = 0; seed < 3; seed++) {
      const logits = someLogits(300, seed);
      const expected = probabilities(logits, rule);
      const seen = new Array<number>(logits.length).fill(0);
      const count = 1000;
      let wrong = 0;
      for (let i = 0; i < count; i++) {
        const { tokenId, sampledLogprob } = drawTruncated(logits, rule, i / count);
        wrong = Math.max(wrong, Math.abs(sampledLogprob - Math.log(expected[tokenId] as number)));
        (seen[tokenId] as number)++;
      }
      expect(wrong).toBeLessThan(1e-6);
      // Evenly spaced uniform numbers meet each token as often as it is likely, give or take one.
      const differences = expected.map((probability, id) =>
        Math.abs((seen[id] as number) - probability * count),
      );
      expect(Math.max(...differences)).toBeLessThanOrEqual(1.001);
    }
  });

  it("reports the log-probability before truncation, and the likeliest tokens", () => {
    const logits = Float32Array.of(0, 3, 1, 2);
    const total = Math.log([...logits].reduce((sum, logit) => sum + Math.exp(logit), 0));
    const drawn = drawTruncated(logits, { temperature: 0.5, topK: 1, logprobs: 3 }, 0.9);
    expect(drawn.tokenId).toBe(1);
    expect(drawn.rolloutLogprob).toBeCloseTo(3 - total, 6);
    expect(drawn.sampledLogprob).toBe(0);
    expect(drawn.top?.tokenIds).toEqual([1, 3, 2]);
    expect(drawn.top?.logprobs[2]).toBeCloseTo(1 - total, 6);
  });

  it("has one number for a token, drawn or among the likeliest, and none above the first of these", () => {
    for (let seed = 0; seed < 200; seed++) {
      const logits = someLogits(40, seed).map((logit, i) => logit * Math.fround(1 + seed / 7) + i / 3);
      for (const uniform of [0, 0.3, 0.99]) {
        const { tokenId, rolloutLogprob, top } = drawTruncated(
          logits,
          { temperature: 1, logprobs: 20 },
          uniform,
        );
        const place = top?.tokenIds.indexOf(tokenId) ?? -1;
        if (place >= 0) expect(rolloutLogprob).toBe(top?.logprobs[place]);
        expect(rolloutLogprob).toBeLessThanOrEqual(top?.logprobs[0] ?? Number.NaN);
      }
    }
  });

  it("is the first of the largest when greedy", () => {
    expect(drawTruncated(Float32Array.of(1, 4, 4), { temperature: 0, logprobs: 1 }, 0.99).tokenId).toBe(1);
  });

  it("is left to the device where nothing is truncated or reported", () => {
    expect(needsHost({ temperature: 1, topP: 1, topK: 0, minP: 0 })).toBe(false);
    expect(needsHost({ temperature: 0, topP: 0.5 })).toBe(false);
    expect(needsHost({ temperature: 1, topP: 0.5 })).toBe(true);
    expect(needsHost({ temperature: 0, logprobs: 1 })).toBe(true);
  });
});
