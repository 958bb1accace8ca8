import type { Task } from "@palimpsest/memory/records";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { checkId } from "./run-keys.js";

/** The small part of a group that travels as job data. */
const specFields = {
  groupId: z.string(),
  taskId: z.string(),
  groupSize: z.int().min(1).max(4096).describe("Episodes of the group."),
  agent: z.string().min(1).describe('Agent that runs it, such as "memagent".'),
  seed: z
    .int()
    .min(0)
    .max(0xffffffff)
    .describe("Seed of the group; each episode's own seed follows from it."),
  minPolicyVersion: z.int().min(0).describe("Rollout waits for weights of at least this version."),
  step: z.int().min(0).describe("Training step that asked for it."),
  traceparent: z
    .string()
    .optional()
    .describe("The span that dispatched it, as W3C's traceparent; absent: nobody traces."),
};
export const groupSpecSchema = z.strictObject(specFields);
export type GroupSpec = Readonly<z.infer<typeof groupSpecSchema>>;

export const episodeSpecSchema = z.strictObject({ ...specFields, episodeIndex: z.int().min(0) });
export type EpisodeSpec = Readonly<z.infer<typeof episodeSpecSchema>>;

/** What the trainer asks for: G episodes of one task. The same group id asks for the same thing, once. */
export interface GroupRequest extends Omit<GroupSpec, "taskId" | "traceparent"> {
  readonly task: Task;
}

/** One episode, as a rollout actor gets it. A later attempt gets the same one. */
export interface Episode extends EpisodeSpec {
  readonly trajectoryId: string;
  readonly task: Task;
  /** Seed of this episode alone. */
  readonly seed: number;
  /** 1 for the first attempt. Taking over from a dead consumer is not an attempt. */
  readonly attempt: number;
}

/** @throws {PalimpsestError} INVALID_ARGUMENT */
export function specOf(request: GroupRequest): GroupSpec {
  const { task, ...fields } = request;
  checkId("groupId", request.groupId);
  return parseSpec(groupSpecSchema, { ...fields, taskId: task.id });
}

/** @throws {PalimpsestError} INVALID_ARGUMENT naming each wrong field */
export function parseSpec<T>(schema: z.ZodType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    throw new PalimpsestError("INVALID_ARGUMENT", `group request: ${z.prettifyError(parsed.error)}`);
  }
  return parsed.data;
}

/** Trajectory ids follow from the group: that makes dispatch, rollout and reward idempotent (T1). */
export function trajectoryIdOf(groupId: string, episodeIndex: number): string {
  return `${groupId}.${episodeIndex}`;
}

export function trajectoryIdsOf(spec: { readonly groupId: string; readonly groupSize: number }): string[] {
  return Array.from({ length: spec.groupSize }, (_, index) => trajectoryIdOf(spec.groupId, index));
}

/** The episode that a trajectory id names; undefined when it is none. */
export function splitTrajectoryId(
  trajectoryId: string,
): { readonly groupId: string; readonly episodeIndex: number } | undefined {
  const match = /^(.+)\.(\d+)$/.exec(trajectoryId);
  return match ? { groupId: match[1] as string, episodeIndex: Number(match[2]) } : undefined;
}

/** Seed of one episode: uint32, different for neighbors, the same for every attempt.
 *  Source: finalizer of MurmurHash3 (Appleby, public domain) over the seed and the golden-ratio multiple of the index. */
export function episodeSeed(groupSeed: number, episodeIndex: number): number {
  let hash = (groupSeed + Math.imul(episodeIndex + 1, 0x9e3779b9)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}
