import { loadBackend, tf } from "@palimpsest/jit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initParameters, parameterShapes } from "../base/parameters.js";
import { forwardHidden } from "../forward/forward.js";
import { smallConfig } from "../testing/index.js";
import { trainBpe } from "../tokens/bpe-trainer.js";
import { ModelEmbedder } from "./model-embedder.js";

const tokenizer = trainBpe(["the cat sat on the mat. the dog sat on the log."], {
  vocabSize: 280,
  specialTokens: ["<|im_end|>"],
  alphabet: "bytes",
});
const config = smallConfig({
  architecture: "qwen3",
  vocabSize: 280,
  intermediateSize: 32,
  tieWordEmbeddings: true,
});
const parameters = initParameters(config, 3);

describe("ModelEmbedder", () => {
  let embedder: ModelEmbedder;
  beforeAll(async () => {
    const backend = await loadBackend({ prefer: "cpu" });
    embedder = new ModelEmbedder({ config, parameters, tokenizer }, { backend, name: "little" });
  });
  afterAll(() => embedder.dispose());

  it("gives the mean of the last states after the first token, whatever the padding and the order", async () => {
    const texts = ["the cat", "", "the dog sat on the mat. ".repeat(3), "x", ...Array(9).fill("the log")];
    const vectors = await embedder.embed(texts);
    expect(vectors.map(({ length }) => length)).toEqual(texts.map(() => 16));
    expect([...(vectors[1] as Float32Array)]).toEqual(Array(16).fill(0));
    for (const [i, text] of texts.entries()) {
      const ids = tokenizer.encode(text).slice(0, 64);
      if (ids.length === 0) continue;
      const expected = tf.tidy(() => {
        const tensors = Object.fromEntries(
          Object.entries(parameterShapes(config)).map(([name, shape]) => [
            name,
            tf.tensor(parameters[name] as Float32Array, [...shape]),
          ]),
        );
        const hidden = forwardHidden(tensors, tf.tensor2d([ids], undefined, "int32"), config);
        const first = Math.min(1, ids.length - 1);
        return [...hidden.slice([0, first, 0]).mean(1).dataSync()];
      });
      expect([...(vectors[i] as Float32Array)]).toEqual(expected.map((value) => expect.closeTo(value, 4)));
    }
  });

  it("stops at an abort", async () => {
    await expect(embedder.embed(["the"], AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });
});
