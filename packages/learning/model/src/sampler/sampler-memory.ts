import { JitError } from "@palimpsest/jit";
import { ModelError } from "../base/error.js";
import type { SamplerConfig } from "./draw/request.js";

const GOES_ON = "the requests in flight failed, but the sampler continues";

/**
 * Turns an out-of-memory error into one that names the settings to lower; other errors are returned unchanged.
 * @param otherwise the state of the sampler if it is not closed
 */
export function withMemoryAdvice(error: unknown, limits: SamplerConfig, otherwise = GOES_ON): unknown {
  if (!(error instanceof JitError) || error.code !== "MEMORY_EXHAUSTED") return error;
  const { maxBatch, maxLength, cacheTokens = maxBatch * maxLength, prefillTokens, precision } = limits;
  const settings = [
    `cacheTokens (${cacheTokens})`,
    `maxBatch (${maxBatch})`,
    `maxLength (${maxLength}; in recipes rollout.maxTokens)`,
    ...(prefillTokens === undefined ? [] : [`prefillTokens (${prefillTokens})`]),
    ...(precision === "float32" ? ['or on a GPU set precision to "bfloat16"'] : []),
  ];
  const said = error.message.replace(/^\[\w+\] /, "");
  const after = error.losesState
    ? "the sampler is closed, because the failed launch destroyed its keys and values; create another one with these settings, in another process"
    : otherwise;
  return new ModelError("MEMORY_EXHAUSTED", `${said}; lower ${settings.join(", ")}; ${after}`, {
    cause: error,
  });
}
