import type { Backend, JitMode } from "@palimpsest/jit";
import { choosePrecision, type ModelConfig } from "@palimpsest/model";
import type { Checkpoint } from "./checkpoint.js";
import { type LearnerConfigInput, type ResolvedLearnerConfig, resolveLearnerConfig } from "./config.js";

interface Given {
  readonly backend: Backend;
  readonly config: LearnerConfigInput;
  readonly model: ModelConfig;
  readonly checkpoint?: Pick<Checkpoint, "config">;
  readonly mode?: "auto" | JitMode;
}

/**
 * Resolves the configuration, choosing precision auto for this backend and model. A checkpoint's precision is kept, so that
 * a run that resumes elsewhere computes as before.
 * @returns reason why the precision was chosen
 * @throws {LearnerError} as `resolveLearnerConfig`
 */
export function chosenConfig({ backend, config: input, model, checkpoint, mode = "auto" }: Given): {
  readonly config: ResolvedLearnerConfig;
  readonly reason: string;
} {
  const config = resolveLearnerConfig(input);
  const wanted = input.precision ?? "auto";
  if (wanted !== "auto") return { config, reason: "the setting precision names it" };
  const saved = savedPrecision(checkpoint);
  if (saved !== undefined)
    return { config: { ...config, precision: saved }, reason: "the checkpoint was written with it" };
  if (takesSampledRatios(config))
    return { config, reason: "the ratio uses the sampler's log-probs (oldLogprobs rollout)" };
  if (config.firstStepChecks) return { config, reason: "firstStepChecks compares float32 numbers" };
  const { precision, reason } = choosePrecision("auto", backend, mode, model);
  return { config: { ...config, precision }, reason };
}

/**
 * Returns whether the ratio uses the sampler's own log-probs, so that a rounding difference between sampler and learner would
 * look like a change of the policy. Both then keep float32 unless configured otherwise.
 */
export function takesSampledRatios({ oldLogprobs }: Pick<ResolvedLearnerConfig, "oldLogprobs">): boolean {
  return oldLogprobs === "rollout";
}

function savedPrecision(
  checkpoint: Pick<Checkpoint, "config"> | undefined,
): "float32" | "bfloat16" | undefined {
  const config = checkpoint?.config;
  if (config === null || typeof config !== "object" || Array.isArray(config)) return undefined;
  const { precision } = config as { readonly precision?: unknown };
  return precision === "float32" || precision === "bfloat16" ? precision : undefined;
}
