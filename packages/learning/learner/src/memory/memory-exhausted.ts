import { JitError, type JitMode } from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";

/** Turns an out-of-memory error into one that names the settings to lower; other errors are returned unchanged. */
export function withMemoryAdvice(error: unknown, config: ResolvedLearnerConfig, mode: JitMode): unknown {
  if (!(error instanceof JitError) || error.code !== "MEMORY_EXHAUSTED") return error;
  const said = error.message.replace(/^\[\w+\] /, "");
  const after = error.losesState
    ? "the learner is closed, because the failed launch destroyed its state; create another one, with these settings, from the last checkpoint"
    : "the weights are unchanged";
  return new LearnerError("MEMORY_EXHAUSTED", `${said}; lower ${memoryAdvice(config, mode)}; ${after}`, {
    details: { ...error.shortage },
    cause: error,
  });
}

/** Lists the settings that make a micro-batch smaller, with their values, those that cost the least speed first. */
export function memoryAdvice(config: ResolvedLearnerConfig, mode: JitMode): string {
  const { memory, buckets, microBatch, lora, precision } = config;
  const isFused = mode === "xla" && precision === "bfloat16";
  const settings: string[] = [];
  if (isFused && memory.keep !== "nothing")
    settings.push(`memory.keep to "nothing" (it is "${memory.keep}")`);
  if (!isFused && memory.layers !== "scan")
    settings.push(`memory.layers to "scan" (it is "${memory.layers}")`);
  settings.push(`memory.logitsMb (${memory.logitsMb ?? "by the device"})`);
  if (!isFused) settings.push(`memory.scoresMb (${memory.scoresMb})`);
  const largest = Math.max(...buckets.map(({ rows, length }) => rows * length));
  const at = buckets.findIndex(({ rows, length }) => rows * length === largest);
  settings.push(
    microBatch === undefined
      ? `buckets[${at}].rows (${buckets[at]?.rows})`
      : `microBatch.tokens (${microBatch.tokens})`,
  );
  if (config.replicas > 1 && memory.optimizerState === "whole")
    settings.push(
      'memory.optimizerState to "sharded", which distributes float32 weights, moments and gradients over the replicas',
    );
  if (config.replicas === 1 && isFused && lora === null)
    settings.push('or set replicas to 2 or more, a GPU each, with memory.optimizerState "sharded"');
  if (lora === null) settings.push("or set lora, which trains adapters and keeps moments only of these");
  settings.push("or the memory of a sampler on the same device (rollout.cacheTokens, rollout.maxBatch)");
  return settings.join(", ");
}

/** Returns whether a failure has left state from which nothing may continue, so that the learner closes. */
export function endsLearner(error: unknown): error is Error {
  if (error instanceof JitError) return error.losesState;
  return (
    error instanceof LearnerError &&
    (error.code === "APPLY_FAILED" || error.code === "PEER_FAILED" || endsLearner(error.cause))
  );
}
