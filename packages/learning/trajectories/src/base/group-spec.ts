import type { Task } from "@palimpsest/memory/records";
import { parseInput } from "@palimpsest/std/input";
import { murmurMix32 } from "@palimpsest/std/random";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { checkId } from "./run-keys.js";

/** The small part of a group, which travels as job data. */
const specFields = {
  groupId: z.string(),
  taskId: z.string(),
  groupSize: z.int().min(1).max(4096).describe("Number of episodes of the group."),
  agent: z.string().min(1).describe('Agent that runs it, such as "memagent".'),
  seed: z
    .int()
    .min(0)
    .max(0xffffffff)
    .describe("Seed of the group, from which each episode's own seed is derived."),
  minPolicyVersion: z.int().min(0).describe("A rollout waits for weights of at least this version."),
  step: z.int().min(0).describe("Training step that requested the group."),
  traceparent: z
    .string()
    .optional()
    .describe("The span that dispatched the group, as a W3C traceparent; absent when tracing is off."),
};
export const groupSpecSchema = z.strictObject(specFields);
export type GroupSpec = Readonly<z.infer<typeof groupSpecSchema>>;

export const episodeSpecSchema = z.strictObject({ ...specFields, episodeIndex: z.int().min(0) });
export type EpisodeSpec = Readonly<z.infer<typeof episodeSpecSchema>>;

/** A trainer's request for G episodes of one task. Equal group ids request the same group, once. */
export interface GroupRequest extends Omit<GroupSpec, "taskId" | "traceparent"> {
  readonly task: Task;
}

/** One episode, as a rollout actor receives it. A later attempt receives the same one. */
export interface Episode extends EpisodeSpec {
  readonly trajectoryId: string;
  readonly task: Task;
  /** Seed of this episode. */
  readonly seed: number;
  /** 1 for the first attempt. Taking over from a dead consumer does not count as an attempt. */
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
  return parseInput(
    schema,
    data,
    (problem) => new PalimpsestError("INVALID_ARGUMENT", `group request: ${problem}`),
  );
}

/** Derives the trajectory id from the group, which makes dispatch, rollout and reward idempotent (T1). */
export function trajectoryIdOf(groupId: string, episodeIndex: number): string {
  return `${groupId}.${episodeIndex}`;
}

/** Returns the episode that a trajectory id names; undefined for other ids. */
export function splitTrajectoryId(
  trajectoryId: string,
): { readonly groupId: string; readonly episodeIndex: number } | undefined {
  const match = /^(.+)\.(\d+)$/.exec(trajectoryId);
  return match ? { groupId: match[1] as string, episodeIndex: Number(match[2]) } : undefined;
}

/**
 * Returns the seed of one episode: uint32, different for neighboring episodes, the same for every attempt. It
 * mixes the seed and the golden-ratio multiple of the index.
 */
export function episodeSeed(groupSeed: number, episodeIndex: number): number {
  return murmurMix32(groupSeed + Math.imul(episodeIndex + 1, 0x9e3779b9));
}
