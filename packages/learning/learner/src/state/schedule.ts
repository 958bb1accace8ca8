import type { ScheduleConfig } from "../config/config.js";

/**
 * Returns the learning rate of optimizer step `step` (the first is 0).
 * Warm-up is linear and its first step is not 0: peak · (step + 1) / (warmupSteps + 1).
 */
export function learningRateAt(step: number, config: ScheduleConfig): number {
  const { learningRate: peak, warmupSteps, totalSteps, endFraction } = config;
  if (step < warmupSteps) return (peak * (step + 1)) / (warmupSteps + 1);
  if (config.kind === "constant") return peak;
  const span = Math.max(totalSteps - warmupSteps, 1);
  const done = Math.min((step - warmupSteps) / span, 1);
  const left = config.kind === "linear" ? 1 - done : (1 + Math.cos(Math.PI * done)) / 2;
  return peak * (endFraction + (1 - endFraction) * left);
}
