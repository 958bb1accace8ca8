import { EngineError } from "./error.js";
import type { GenerateRequest } from "./generate.js";
import type { LogprobsMode, TokenProtocol } from "./protocols/protocol.js";

/** vLLM refuses temperatures above 2. */
const temperatures = [0.5, 2] as const;
const likeliest = 5;
/** llama.cpp reports nothing about a token within a character, so that another seed is tried then. */
const seeds = 8;
/**
 * In nats. Between these temperatures a token's log-prob changes by more than its distance from the likeliest token;
 * the same request twice differs only by the rounding of a 16-bit server.
 */
const leastDifference = 0.25;

/**
 * Determines which log-probs a server reports, by the next token of a fixed prompt at two temperatures: the model's own
 * are the same at both.
 * @throws {EngineError} NOT_TRAINABLE when they are not log-probs, or none are reported
 */
export async function probeLogprobs(
  protocol: TokenProtocol,
  model: string | undefined,
  post: (path: string, body: object) => Promise<unknown>,
): Promise<LogprobsMode> {
  const [cold, hot] = [await likeliestAt(temperatures[0]), await likeliestAt(temperatures[1])];
  for (const [token, logprob] of cold) {
    const other = hot.get(token);
    if (other !== undefined && Math.abs(other - logprob) > leastDifference) return "processed_logprobs";
  }
  return "raw_logprobs";

  async function likeliestAt(temperature: number): Promise<ReadonlyMap<string, number>> {
    for (let seed = 0; seed < seeds; seed++) {
      const request: GenerateRequest = {
        promptTokenIds: [1, 2],
        maxTokens: 1,
        temperature,
        stopTokenIds: [],
        seed,
      };
      const options = { model, stream: false, logprobs: "processed_logprobs", likeliest } as const;
      const told = protocol.likeliest(await post(protocol.path, protocol.body(request, options)));
      checkLogprobs(protocol.path, [...told.values()]);
      if (told.size > 1) return told;
    }
    throw new EngineError(
      "NOT_TRAINABLE",
      `${protocol.path}: the server reports no log-probs of the most likely tokens, so it cannot be determined whether log-probs are taken before or after the temperature; use a newer version of the server`,
    );
  }
}

/** Refuses numbers that are not log-probs, because vLLM can report logits instead. */
function checkLogprobs(path: string, logprobs: readonly number[]): void {
  const total = logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0);
  if (total <= 1.01) return;
  throw new EngineError(
    "NOT_TRAINABLE",
    `${path}: what the server reports as log-probs adds up to a probability of ${total.toPrecision(3)} instead of 1; check that it does not run with a --logprobs-mode of logits`,
  );
}
