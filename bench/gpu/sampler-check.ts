import type { Backend } from "../../packages/learning/jit/src/index.js";
import {
  type GenerateRequest,
  type ModelConfig,
  type ModelSampler,
  parameterShapes,
  tokenLogprobs,
} from "../../packages/learning/model/src/index.js";

/**
 * Compares log-probabilities of sampled tokens with one pass over prompt and reply in float32, tensor by tensor. The
 * prompts are ragged: some come in several pieces, some share a prefix, some have truncated sampling. Set
 * NVIDIA_TF32_OVERRIDE=0.
 */
export async function checkLogprobs(
  { tf }: Backend,
  sampler: ModelSampler,
  config: ModelConfig,
  parameters: Readonly<Record<string, Float32Array>>,
) {
  const shared = Array.from({ length: 160 }, (_, t) => (t * t * 5 + 3 * t) % config.vocabSize);
  const requests: GenerateRequest[] = Array.from({ length: 24 }, (_, i) => ({
    promptTokenIds: [
      ...(i % 3 === 0 ? shared : []),
      ...Array.from({ length: 1 + ((i * 37) % 90) }, (_, t) => (i * 131 + t * t * 7) % config.vocabSize),
    ],
    maxTokens: 20 + ((i * 13) % 60),
    temperature: 1,
    ...(i % 4 === 1 ? { topP: 0.9, topK: 40 } : {}),
    stopTokenIds: [],
    seed: i,
  }));
  const results = await Promise.all(requests.map((request) => sampler.generate(request)));
  const weights = Object.fromEntries(
    Object.entries(parameterShapes(config)).map(([name, shape]) => [
      name,
      tf.tensor(parameters[name] as Float32Array, [...shape]),
    ]),
  );
  let [largest, sum, count, raised] = [0, 0, 0, 0];
  results.forEach(({ tokenIds, rolloutLogprobs, sampledLogprobs }, i) => {
    const prompt = requests[i]?.promptTokenIds ?? [];
    const expected = tf.tidy(() => {
      const ids = tf.tensor2d([[...prompt, ...tokenIds]], undefined, "int32");
      return [...tokenLogprobs(weights, ids, config).dataSync()].slice(prompt.length - 1);
    });
    rolloutLogprobs.forEach((logprob, t) => {
      const difference = Math.abs(logprob - (expected[t] as number));
      largest = Math.max(largest, difference);
      sum += difference;
      count += 1;
      // Truncation removes the mass of other tokens, so the remaining ones can only become more likely.
      if ((sampledLogprobs[t] as number) < logprob - 1e-4) raised += 1;
    });
  });
  tf.dispose(weights);
  const { cachedTokens, prefillTokens } = sampler.stats;
  return {
    tokens: count,
    logprobMax: largest,
    logprobMean: sum / count,
    likelierBeforeTruncation: raised,
    cachedTokens,
    prefillTokens,
  };
}
