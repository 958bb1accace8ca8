/** The contents of a checkpoint's folder besides its tensors: `checkpoint.json`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** Any JSON value. */
export type JsonValue = z.infer<ReturnType<typeof z.json>>;

/** The trainer's fields in a checkpoint; the learner returns them unchanged. */
export interface CheckpointExtra {
  /** Groups that these weights were trained on. */
  readonly consumedGroupIds: readonly string[];
  /** The position of the task source. */
  readonly dataCursor: JsonValue;
  /** The metric that selects the best checkpoint; higher is better. */
  readonly metric?: number;
}

export const MANIFEST = "checkpoint.json";

export const tensorFileSchema = z.object({
  sizeBytes: z.int().min(0),
  sha256: z.string(),
  tensors: z.array(z.object({ name: z.string(), offset: z.int().min(0), count: z.int().min(0) })),
});
const manifestSchema = z.object({
  format: z.literal("palimpsest-checkpoint"),
  /** In version 1 the reference is among the other tensors. */
  formatVersion: z.union([z.literal(1), z.literal(2)]),
  policyVersion: z.int().min(0),
  step: z.int().min(0),
  random: z.array(z.number()),
  klCoefficient: z.number().optional(),
  config: z.json(),
  model: z.json(),
  consumedGroupIds: z.array(z.string()),
  dataCursor: z.json(),
  metric: z.number().nullable(),
  ...tensorFileSchema.shape,
  /** The reference, in a separate file that other checkpoints share; absent if there is none. */
  reference: tensorFileSchema.optional(),
});
export type Manifest = z.infer<typeof manifestSchema>;

export async function readManifest(folder: string): Promise<Manifest> {
  return manifestSchema.parse(JSON.parse(await readFile(join(folder, MANIFEST), "utf8")));
}

export function extraOf({ consumedGroupIds, dataCursor, metric }: Manifest): CheckpointExtra {
  return { consumedGroupIds, dataCursor, ...(metric === null ? {} : { metric }) };
}
