import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import type { StepResult } from "../records/step-result.js";

/** The learner's own fields in a checkpoint. */
export const cursorSchema = z.object({
  last: z.custom<StepResult>().optional(),
  baseWeightsHash: z.string().optional(),
  /** Covers the same steps as the checkpoint's `consumedGroupIds`: the last one and the one before. */
  rejectedGroupIds: z.array(z.string()).default([]),
});

/**
 * Refuses adapters over base weights other than those they were trained with, which would be another policy.
 * @param saved hash of those weights, as in the checkpoint; undefined: it does not say
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function checkBase(saved: string | undefined, now: string): void {
  if (saved === undefined || saved === now) return;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `model: the checkpoint's adapters were trained on weights ${saved}, but the model now has weights ${now}; restore the model with which the run began`,
  );
}
