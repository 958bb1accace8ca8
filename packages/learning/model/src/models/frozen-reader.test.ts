import { loadBackend, tf } from "@palimpsest/jit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initParameters, parameterShapes } from "../base/parameters.js";
import { tokenLogprobs } from "../forward/token-logprobs.js";
import { FrozenReader } from "../index.js";
import { smallConfig } from "../testing/index.js";
import { trainBpe } from "../tokens/bpe-trainer.js";

const tokenizer = trainBpe(["the cat sat on the mat. the dog sat on the log."], {
  vocabSize: 300,
  specialTokens: ["<|im_end|>"],
  alphabet: "bytes",
});
const config = smallConfig({
  architecture: "qwen3",
  vocabSize: 300,
  intermediateSize: 32,
  maxPositions: 200,
  tieWordEmbeddings: true,
});
const parameters = initParameters(config, 3);

describe("FrozenReader", () => {
  let reader: FrozenReader;
  beforeAll(async () => {
    const backend = await loadBackend({ prefer: "cpu" });
    reader = new FrozenReader({ config, parameters, tokenizer }, { backend });
  });
  afterAll(() => reader.dispose());

  it("sums the log-probabilities of the answer's tokens after the prompt, whatever the padding", async () => {
    for (const prompt of ["the cat", "the dog sat on the mat. ".repeat(14)]) {
      const before = tokenizer.encode(prompt);
      const answer = tokenizer.encode(" sat on the log");
      const expected = tf.tidy(() => {
        const tensors = Object.fromEntries(
          Object.entries(parameterShapes(config)).map(([name, shape]) => [
            name,
            tf.tensor(parameters[name] as Float32Array, [...shape]),
          ]),
        );
        const ids = tf.tensor2d([[...before, ...answer]], undefined, "int32");
        return [...tokenLogprobs(tensors, ids, config).dataSync()].slice(before.length - 1);
      });
      expect(before.length).toBeLessThan(190);
      const { logprob, tokens } = await reader.logLikelihood({ prompt, answer: " sat on the log" });
      expect(tokens).toBe(answer.length);
      expect(logprob).toBeCloseTo(
        expected.reduce((sum, value) => sum + value, 0),
        3,
      );
    }
  });

  it("refuses what is too long, and stops at an abort", async () => {
    const long = { prompt: "the cat ".repeat(200), answer: " sat" };
    await expect(reader.logLikelihood(long)).rejects.toThrow("both together have at most 200");
    await expect(reader.logLikelihood({ prompt: "", answer: " sat" })).rejects.toThrow("must not be empty");
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(reader.logLikelihood({ prompt: "the", answer: " cat", signal })).rejects.toThrow("stop");
  });
});
