import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";

/** Decides whether a step with this gradient norm, before clipping, is applied. @throws {LearnerError} GRADIENT_GATE */
export function checkGradient(
  gradientNorm: number,
  { gradientGate }: Pick<ResolvedLearnerConfig, "gradientGate">,
): "apply" | "skip" {
  if (gradientGate === null || gradientNorm <= gradientGate.norm) return "apply";
  if (gradientGate.action === "skip") return "skip";
  throw new LearnerError(
    "GRADIENT_GATE",
    `the gradient norm is ${gradientNorm}, more than gradientGate.norm ${gradientGate.norm}, so the step was not applied; examine the batch, lower the learning rate, or set gradientGate.action to "skip"`,
    { details: { gradientNorm } },
  );
}
