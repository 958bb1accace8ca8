import { type Backend, entry, type JitMode, type JitModule, jit, type TensorSpec, tf } from "@palimpsest/jit";
import {
  type BpeTokenizer,
  createSampler,
  forwardHidden,
  logitsOf,
  type ModelConfig,
  ModelError,
  type ModelFolder,
  parameterShapes,
  tokenStatistics,
} from "@palimpsest/model";
import { type Measure, maxDifference } from "../measure.js";
import type { ReferenceText } from "./reference-texts.js";

export interface CheckTextsOptions {
  readonly backend: Backend;
  readonly mode?: "auto" | JitMode;
  readonly signal?: AbortSignal;
}

/** The tolerance of log-probabilities, nats. Float32 sums in a different order differ by about 1e-5 at 30 layers. */
const LOGPROB_BAR = 2e-3;

/**
 * Encodes, scores and continues every text with Palimpsest's own code, and compares the results with the reference.
 * @throws {ModelError} TOKENIZER_INVALID if the model has no tokenizer; the signal's reason
 */
export async function checkTexts(
  model: ModelFolder,
  cases: readonly ReferenceText[],
  options: CheckTextsOptions,
): Promise<readonly Measure[]> {
  const { tokenizer } = model;
  if (tokenizer === undefined) {
    throw new ModelError("TOKENIZER_INVALID", "the model has no tokenizer.json, so no text can be checked");
  }
  const encoded = cases.map(({ text }) => tokenizer.encodePrompt(text));
  const differing = cases.flatMap(({ text, ids }, i) => (sameIds(encoded[i] ?? [], ids) ? [] : [text]));
  return [
    count("texts with other token ids", differing),
    ...checkScores(model, cases, options),
    ...(await checkGreedy(model, tokenizer, cases, options)),
  ];
}

function checkScores(
  { config, parameters }: ModelFolder,
  cases: readonly ReferenceText[],
  { backend, mode = "auto", signal }: CheckTextsOptions,
): Measure[] {
  // All texts are padded to one width: with causal attention, tokens after a text do not change its scores.
  const width = Math.max(...cases.map(({ ids }) => ids.length));
  const module = scoringModule(config, width, backend, mode);
  try {
    module.writeState(parameters);
    let logprobs = 0;
    let likeliest = 0;
    const otherOrder: string[] = [];
    for (const { text, ids, logprobs: expected, last_top5: top } of cases) {
      signal?.throwIfAborted();
      const tokenIds = new Int32Array(width);
      tokenIds.set(ids);
      const outputs = module.call("score", { tokenIds, last: Int32Array.of(ids.length - 1) });
      const scored = outputs["logprobs"]?.subarray(0, ids.length - 1) ?? [];
      logprobs = Math.max(logprobs, maxDifference(scored, expected));
      const last = logSoftmax(outputs["logits"] ?? []);
      const own = top.map(([id]) => last[id] ?? Number.NaN);
      likeliest = Math.max(
        likeliest,
        maxDifference(
          own,
          top.map(([, logprob]) => logprob),
        ),
      );
      const ranked = [...last.keys()].sort((a, b) => (last[b] as number) - (last[a] as number));
      if (
        !sameIds(
          ranked.slice(0, top.length),
          top.map(([id]) => id),
        )
      )
        otherOrder.push(text);
    }
    return [
      { name: "log-probabilities of the texts", value: logprobs, bar: LOGPROB_BAR, goal: "atMost" },
      { name: "log-probabilities of the likeliest", value: likeliest, bar: LOGPROB_BAR, goal: "atMost" },
      count("texts with other likeliest tokens", otherOrder),
    ];
  } finally {
    module.dispose();
  }
}

function scoringModule(
  config: ModelConfig,
  width: number,
  backend: Backend,
  mode: "auto" | JitMode,
): JitModule {
  const state = Object.fromEntries(
    Object.entries(parameterShapes(config)).map(([name, shape]): [string, TensorSpec] => [
      name,
      { shape, dtype: "float32" },
    ]),
  );
  return jit({
    backend,
    mode,
    state,
    functions: {
      score: {
        inputs: { tokenIds: { shape: [width], dtype: "int32" }, last: { shape: [1], dtype: "int32" } },
        body: (parameters, inputs) => {
          const ids = entry(inputs, "tokenIds").reshape([1, width]);
          const hidden = forwardHidden(parameters, ids, config).reshape([width, config.hiddenSize]);
          const targets = ids.slice([0, 1], [1, width - 1]).reshape([width - 1]);
          const before = hidden.slice([0, 0], [width - 1, config.hiddenSize]);
          const head = entry(parameters, config.tieWordEmbeddings ? "embedding" : "head");
          const { logprobs } = tokenStatistics(before, head, targets, {
            tokenlessIds: config.tokenlessIds,
          });
          const ending = tf.gather(hidden, entry(inputs, "last")); // [1, D]
          return { outputs: { logprobs, logits: logitsOf(parameters, ending, config) } };
        },
      },
    },
  });
}

async function checkGreedy(
  { config, parameters }: ModelFolder,
  tokenizer: BpeTokenizer,
  cases: readonly ReferenceText[],
  { backend, mode = "auto", signal }: CheckTextsOptions,
): Promise<Measure[]> {
  const longest = Math.max(...cases.map(({ ids, greedy_ids: greedy }) => ids.length + greedy.length));
  const longestPrompt = Math.max(...cases.map(({ ids }) => ids.length));
  const sampler = createSampler({
    backend,
    mode,
    config,
    parameters,
    weightsHash: "",
    precision: "float32",
    maxBatch: cases.length,
    maxLength: longest,
    promptLengths: [longestPrompt],
  });
  try {
    // There are no stop tokens, so each continuation has the reference's length and is compared completely.
    const results = await Promise.all(
      cases.map(({ ids, greedy_ids: greedy }) =>
        sampler.generate(
          { promptTokenIds: ids, maxTokens: greedy.length, temperature: 0, stopTokenIds: [], seed: 0 },
          signal,
        ),
      ),
    );
    const otherIds = cases.flatMap(({ text, greedy_ids: greedy }, i) =>
      sameIds(results[i]?.tokenIds ?? [], greedy) ? [] : [text],
    );
    const otherText = cases.flatMap(({ text, greedy_text: greedy }, i) =>
      tokenizer.decode(results[i]?.tokenIds ?? []) === greedy ? [] : [text],
    );
    return [
      count("greedy continuations that differ", otherIds),
      count("greedy texts that differ", otherText),
    ];
  } finally {
    await sampler.close();
  }
}

function logSoftmax(logits: ArrayLike<number>): Float64Array {
  const values = Float64Array.from(logits);
  const largest = values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
  const sum = values.reduce((total, value) => total + Math.exp(value - largest), 0);
  return values.map((value) => value - largest - Math.log(sum));
}

function sameIds(actual: readonly number[], expected: readonly number[]): boolean {
  return actual.length === expected.length && expected.every((id, i) => id === actual[i]);
}

function count(name: string, found: readonly string[]): Measure {
  const [first] = found;
  const where = first === undefined ? {} : { where: JSON.stringify(first.slice(0, 40)) };
  return { name, value: found.length, bar: 0, goal: "atMost", ...where };
}
