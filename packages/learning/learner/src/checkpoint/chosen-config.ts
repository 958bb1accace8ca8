import type { Backend, JitMode } from "@palimpsest/jit";
import { choosePrecision, type ModelConfig } from "@palimpsest/model";
import {
  type LearnerConfigInput,
  type ResolvedLearnerConfig,
  resolveLearnerConfig,
} from "../config/config.js";
import type { Checkpoint } from "./checkpoint.js";

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
  if (needsSampledLogprobs(config)) {
    const setting = config.firstStepChecks ? "firstStepChecks" : "oldLogprobs rollout";
    return { config, reason: `${setting} compares the learner's log-probs with the sampler's` };
  }
  const { precision, reason } = choosePrecision("auto", backend, mode, model);
  return { config: { ...config, precision }, reason };
}

/**
 * Returns whether a rounding difference between sampler and learner would look like a change of the policy (the ratio uses the
 * sampler's own log-probs) or like other weights (`firstStepChecks`). Both then keep float32 unless configured otherwise.
 */
export function needsSampledLogprobs({
  oldLogprobs,
  firstStepChecks,
}: Pick<ResolvedLearnerConfig, "oldLogprobs" | "firstStepChecks">): boolean {
  return oldLogprobs === "rollout" || firstStepChecks;
}

function savedPrecision(
  checkpoint: Pick<Checkpoint, "config"> | undefined,
): "float32" | "bfloat16" | undefined {
  const config = checkpoint?.config;
  if (config === null || typeof config !== "object" || Array.isArray(config)) return undefined;
  const { precision } = config as { readonly precision?: unknown };
  return precision === "float32" || precision === "bfloat16" ? precision : undefined;
}
