import type { ModelConfig } from "@palimpsest/model";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import type { Checkpoint, JsonValue } from "./checkpoint.js";

/** Settings that affect how an update is computed or monitored, but not its result. */
const freeSettings: ReadonlySet<string> = new Set([
  "buckets",
  "microBatch",
  "memory",
  "replicas",
  "reduceType",
  "deterministic",
  "peakTeraflops",
  "measureEntropy",
  "maxLogprobDifference",
  "firstStepChecks",
] satisfies (keyof ResolvedLearnerConfig)[]);

/**
 * Refuses a checkpoint that was written with another model or other settings: its tensors would fit if the sizes are equal,
 * and the run would silently continue as a different one. Fields that the checkpoint lacks, because an earlier version
 * wrote it, are not compared.
 * @throws {LearnerError} CHECKPOINT_MISMATCH naming the first field that differs
 */
export function checkSameLearner(
  checkpoint: Pick<Checkpoint, "model" | "config">,
  model: ModelConfig,
  config: ResolvedLearnerConfig,
): void {
  compare("model", checkpoint.model, model, new Set());
  compare("config", anyLength(checkpoint.config), anyLength(config), freeSettings);
}

/** Leaves out the end of the schedule, so that a run can be made longer: it affects only the steps to come. */
function anyLength<T extends JsonValue | object>(config: T): T {
  if (typeof config !== "object" || config === null || !("schedule" in config)) return config;
  const { schedule } = config;
  if (typeof schedule !== "object" || schedule === null || !("totalSteps" in schedule)) return config;
  const { totalSteps: _end, ...rest } = schedule;
  return { ...config, schedule: rest };
}

function compare(what: string, saved: JsonValue, given: object, free: ReadonlySet<string>): void {
  if (saved === null || typeof saved !== "object" || Array.isArray(saved)) {
    throw new LearnerError(
      "CHECKPOINT_MISMATCH",
      `the checkpoint's ${what} is not an object, so another program wrote it; give a checkpoint of this learner`,
    );
  }
  const wanted = JSON.parse(JSON.stringify(given)) as Record<string, JsonValue>;
  for (const [field, value] of Object.entries(saved)) {
    if (free.has(field) || textOf(value) === textOf(wanted[field])) continue;
    throw new LearnerError(
      "CHECKPOINT_MISMATCH",
      `${what}.${field} is ${textOf(wanted[field])}, but the checkpoint was written with ${textOf(value)}; set it to that, or start anew with the checkpoint's weights as parameters`,
      { details: { field: `${what}.${field}` } },
    );
  }
}

/** Returns the same text for the same value, regardless of the order of its keys. */
function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return "absent";
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
