import { z } from "zod";
import { type MemoryRecord, memoryTypes, type StoreDiff } from "./records/index.js";

/** The form of a record in files and databases. */
export const memoryRecordSchema = z.strictObject({
  id: z.string().min(1),
  content: z.string(),
  memoryType: z.enum(memoryTypes),
  speaker: z.string().exactOptional(),
  session: z.string().exactOptional(),
  dialogueTime: z.string().exactOptional(),
  createdAt: z.string().exactOptional(),
  updatedAt: z.string().exactOptional(),
  source: z.string().exactOptional(),
  provenance: z.array(z.string()),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
}) satisfies z.ZodType<MemoryRecord>;

/** The fields that a new record brings, and those that a change replaces. */
const {
  id: _id,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  content,
  ...others
} = memoryRecordSchema.shape;
export const recordChangeSchema = z.strictObject({ content, ...others }).partial();
export const recordDraftSchema = recordChangeSchema.required({ content: true });

export const storeDiffSchema = z.strictObject({
  created: z.array(memoryRecordSchema),
  updated: z.array(memoryRecordSchema),
  deleted: z.array(z.string()),
}) satisfies z.ZodType<StoreDiff>;
