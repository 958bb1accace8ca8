/**
 * Models with windows, layers of several kinds and rotary scaling (Gemma 3, Mistral, YaRN, …) on whatever device TensorFlow has: a
 * forward pass against the numbers of transformers, and what the sampler says of its tokens against that forward pass. The exit
 * status is 1 if a log-prob differs by 1e-4 nats. Set NVIDIA_TF32_OVERRIDE=0.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/attention-kinds.ts [--mode xla] [--only REGEXP] [--json FILE]
 */
import { type JitMode, loadBackend } from "../../packages/learning/jit/src/index.js";
import {
  numbersOf,
  transformersCases,
} from "../../packages/learning/model/src/forward/transformers-numbers.fixture.js";
import { createSampler, tokenLogprobs } from "../../packages/learning/model/src/index.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({ mode: "xla", only: "", json: undefined });
const TOLERANCE = 1e-4;
const backend = await loadBackend();
const { tf } = backend;
/** Prompts of one token, of less than a window, and of several calls, of which two begin alike. */
const beginning = Array.from({ length: 36 }, (_, t) => (t * t * 5 + 3 * t) % 48);
const prompts = [[7], [3, 1, 4], beginning, [...beginning.slice(0, 33), 2, 9, 1], [...beginning, 5]];

const results: { case: string; forward: number; sampler: number; tokens: number }[] = [];
for (const [name, given] of Object.entries(await transformersCases())) {
  if (!new RegExp(flags.only).test(name)) continue;
  const { config, parameters, weights, ids } = numbersOf(given);
  const whole = (rows: number[][]) =>
    tf.tidy(
      () =>
        tokenLogprobs(parameters, tf.tensor2d(rows, undefined, "int32"), config).arraySync() as number[][],
    );
  const forward = Math.max(
    ...whole(ids).flatMap((row, r) =>
      row.map((value, t) => Math.abs(value - (given.logprobs[r]?.[t] ?? Number.NaN))),
    ),
  );
  const sampler = createSampler({
    backend,
    config,
    parameters: weights,
    maxBatch: 4,
    maxLength: 64,
    stepsPerCall: 8,
    mode: flags.mode as JitMode,
    precision: "float32",
  });
  const asked = (promptTokenIds: number[], seed: number) =>
    sampler.generate({ promptTokenIds, maxTokens: 20, temperature: 1, stopTokenIds: [], seed });
  const replies = await Promise.all(prompts.map(asked));
  const differences = replies.flatMap(({ tokenIds, rolloutLogprobs }, i) => {
    const prompt = prompts[i] ?? [];
    const expected = whole([[...prompt, ...tokenIds]])[0] ?? [];
    return rolloutLogprobs.map((value, t) =>
      Math.abs(value - (expected[prompt.length - 1 + t] ?? Number.NaN)),
    );
  });
  await sampler.close();
  const told = { case: name, forward, sampler: Math.max(...differences), tokens: differences.length };
  // At once: each case compiles its own functions, which a time limit may cut short.
  console.log(JSON.stringify(told));
  results.push(told);
}
if (flags.json !== undefined) writeResult(flags.json, { mode: flags.mode, results });
process.exit(results.every(({ forward, sampler }) => forward < TOLERANCE && sampler < TOLERANCE) ? 0 : 1);
