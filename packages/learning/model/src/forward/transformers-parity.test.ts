import { loadBackend, tf } from "@palimpsest/jit";
import { beforeAll, describe, expect, it } from "vitest";
import { modelConfigFromHf, modelConfigToHf } from "../files/hf-config.js";
import { tokenLogprobs } from "./token-logprobs.js";
import { numbersOf, type TransformersCase, transformersCases } from "./transformers-numbers.fixture.js";

// The numbers are those of transformers and PyTorch in float32 (bench/peers/model_reference.py).
const cases = await transformersCases();
const tolerance = 1e-4; // nats

describe.each(Object.entries(cases))("a model of transformers: %s", (_name, given: TransformersCase) => {
  beforeAll(async () => {
    await loadBackend();
  });

  it("has the log-probs of transformers", () => {
    const { config, parameters, ids } = numbersOf(given);
    const tokens = tf.tensor2d(ids, undefined, "int32");
    const actual = tokenLogprobs(parameters, tokens, config).arraySync() as number[][];
    const differences = actual.flatMap((row, r) =>
      row.map((value, t) => Math.abs(value - (given.logprobs[r]?.[t] ?? Number.NaN))),
    );
    expect(Math.max(...differences)).toBeLessThan(tolerance);
  });

  it("has the same config after it was written and read", () => {
    const { config } = numbersOf(given);
    expect(modelConfigFromHf(modelConfigToHf(config))).toEqual(config);
  });
});

it("a model with dynamic scaling is refused sequences whose length would change its angles", () => {
  const given = cases["dynamic"] as TransformersCase;
  const { config, parameters } = numbersOf(given);
  expect(() => tokenLogprobs(parameters, tf.zeros([1, 66], "int32"), config)).toThrow(
    /sequences of 65 tokens exceed the model's maxPositions 64, beyond which the angles .* shorten them/,
  );
});
