import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tf } from "@palimpsest/jit";
import { beforeAll, describe, expect, it } from "vitest";
import type { ModelConfig } from "../base/config.js";
import { parameterShapes } from "../base/parameters.js";
import { modelConfigFromHf } from "../files/hf-config.js";
import { parametersFromHf } from "../files/hf-weights.js";
import { readSafetensors, type StoredTensor } from "../files/safetensors.js";
import { forwardHidden, logitsOf } from "./forward.js";
import type { ParameterTensors } from "./forward-options.js";
import { entropy, tokenLogprobs } from "./token-logprobs.js";

// Reference numbers of transformers + PyTorch in float32 for three tiny random models.
const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const fixtures = `${shared}/fixtures/hf-parity`;
const present = existsSync(fixtures);
if (!present)
  process.stderr.write(`skipped: no reference numbers at ${fixtures} (PALIMPSEST_SHARED moves it)\n`);

const tolerance = 1e-4; // absolute, nats and logits

describe.skipIf(!present).each(["llama", "qwen2", "qwen3"])("a %s checkpoint of Hugging Face", (family) => {
  let config: ModelConfig;
  let parameters: ParameterTensors;
  let reference: Record<string, StoredTensor>;
  let greedy: { greedy_prompt: number[]; greedy_continuation: number[] };
  let ids: tf.Tensor2D;

  beforeAll(async () => {
    await tf.setBackend("cpu");
    const folder = `${fixtures}/${family}`;
    config = modelConfigFromHf(JSON.parse(await readFile(`${folder}/config.json`, "utf8")));
    const weights = parametersFromHf(config, await readSafetensors(`${folder}/model.safetensors`));
    const shapes = parameterShapes(config);
    parameters = Object.fromEntries(
      Object.entries(weights).map(([name, values]) => [name, tf.tensor(values, [...(shapes[name] ?? [])])]),
    );
    reference = await readSafetensors(`${folder}/reference.safetensors`);
    greedy = JSON.parse(await readFile(`${folder}/reference.json`, "utf8"));
    ids = tf.tensor2d(reference["input_ids"]?.values as Int32Array, [3, 40], "int32");
  });

  /** Largest difference over the tokens that are not padding; entry t of a row of `width` predicts t+1. */
  function worst(actual: tf.Tensor, expected: Float32Array, width: number, channels: number): number {
    const mask = reference["attention_mask"]?.values as Int32Array;
    const values = actual.dataSync();
    let largest = 0;
    expect(values.length).toBe(expected.length);
    for (let i = 0; i < values.length; i++) {
      const position = Math.floor(i / channels);
      const row = Math.floor(position / width);
      if (mask[row * 40 + (position % width) + (40 - width)] !== 1) continue;
      largest = Math.max(largest, Math.abs((values[i] as number) - (expected[i] as number)));
    }
    return largest;
  }

  it("gives the reference's logits", () => {
    const hidden = forwardHidden(parameters, ids, config).reshape([120, config.hiddenSize]);
    const logits = logitsOf(parameters, hidden, config);
    expect(worst(logits, reference["logits"]?.values as Float32Array, 40, config.vocabSize)).toBeLessThan(
      tolerance,
    );
  });

  it("gives the reference's log-probabilities and entropies", () => {
    const logprobs = tokenLogprobs(parameters, ids, config);
    expect(worst(logprobs, reference["logprobs"]?.values as Float32Array, 39, 1)).toBeLessThan(tolerance);
    const entropies = entropy(parameters, ids, config);
    expect(worst(entropies, reference["entropy"]?.values as Float32Array, 39, 1)).toBeLessThan(tolerance);
  });

  it("continues a prompt greedily with the reference's tokens", () => {
    const tokens = [...greedy.greedy_prompt];
    for (let i = 0; i < greedy.greedy_continuation.length; i++) {
      const next = tf.tidy(() => {
        const hidden = forwardHidden(parameters, tf.tensor2d([tokens], undefined, "int32"), config);
        const last = hidden.slice([0, tokens.length - 1, 0], [1, 1, config.hiddenSize]);
        return logitsOf(parameters, last.reshape([1, config.hiddenSize]), config)
          .argMax(-1)
          .dataSync()[0] as number;
      });
      tokens.push(next);
    }
    expect(tokens.slice(greedy.greedy_prompt.length)).toEqual(greedy.greedy_continuation);
  });
});
