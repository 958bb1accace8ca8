import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import type { StepResult } from "./step-result.js";

/** What a learner keeps in a checkpoint; it wrote it itself. */
export const cursorSchema = z.object({
  last: z.custom<StepResult>().optional(),
  baseWeightsHash: z.string().optional(),
  /** As the checkpoint's `consumedGroupIds`: of the last step and the one before. */
  rejectedGroupIds: z.array(z.string()).default([]),
});

/**
 * Adapters over other weights than those they were trained with would be another policy.
 * @param saved hash of those, as the checkpoint has it; undefined: it does not say
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function checkBase(saved: string | undefined, now: string): void {
  if (saved === undefined || saved === now) return;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `model: the checkpoint's adapters belong to weights ${saved}, and the model has ${now} now; bring back the model that the run began with`,
  );
}
