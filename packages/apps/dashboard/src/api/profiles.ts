/** Profiles as the pages start and receive them. */
import * as z from "zod";

/** The longest profile, which the head allows. */
export const mostProfileSeconds = 20;

const profileKinds = ["cpu", "heap"] as const;
export type ProfileKind = (typeof profileKinds)[number];

export const profileRequestSchema = z
  .strictObject({
    kind: z.enum(profileKinds),
    seconds: z.number().min(1).max(mostProfileSeconds),
    /** As of `palimpsest profile`: an actor, a driver, a node or a process id. */
    target: z.string().max(200).default(""),
    /** The actors and the driver of a job. Without it and a target: all actors and nodes. */
    job: z.string().max(200).default(""),
  })
  .refine(({ target, job }) => target === "" || job === "", {
    message: "a target is named, too; give `target` or `job`",
    path: ["job"],
  });
export type ProfileRequest = z.output<typeof profileRequestSchema>;

/** The id of the profile with which a server without a cluster was started. */
export const givenProfileId = "given";

/** What a process did, by its own count, in the seconds of a profile. */
export const processPhasesSchema = z.object({
  /** "learner", or what else the actor's role is. */
  role: z.string(),
  actorId: z.string(),
  /** Seconds between the two readings of its metrics. */
  seconds: z.number(),
  phases: z.array(z.object({ name: z.string(), seconds: z.number() })).max(32),
});
export type ProcessPhases = z.infer<typeof processPhasesSchema>;

/** The state of the cluster's last profile. */
export const profileStateSchema = z.object({
  /** Empty if none was taken since the head started. */
  id: z.string(),
  state: z.enum(["none", "running", "done", "failed"]),
  kind: z.enum(profileKinds),
  /** What is profiled, in words. */
  what: z.string(),
  seconds: z.number(),
  startedAtMs: z.number(),
  /** The server's time, with which a page computes how long it has run. */
  nowMs: z.number(),
  processes: z.number(),
  /** Why it failed. */
  problem: z.string(),
});
export type ProfileState = z.infer<typeof profileStateSchema>;
