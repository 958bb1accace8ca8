import { z } from "zod";

export const failureStages = ["rollout", "reward", "group"] as const;
/** Where an episode has failed. */
export type FailureStage = (typeof failureStages)[number];

const reasonSchema = z.object({ stage: z.enum(failureStages), message: z.string() });

/** The reason why an episode left its group. */
export type FailureReason = Readonly<z.infer<typeof reasonSchema>>;

export const episodeFailureSchema = reasonSchema.extend({ trajectoryId: z.string(), groupId: z.string() });

/** One episode that left its group. */
export type EpisodeFailure = Readonly<z.infer<typeof episodeFailureSchema>>;

// Failures are kept by the thousand, so their messages are cut at this length. It suffices for an error with its cause.
const longestMessage = 2000;

export function encodeFailure({ stage, message }: FailureReason): string {
  return JSON.stringify({ stage, message: message.slice(0, longestMessage) });
}

/** Decodes a failure. Text that does not parse, because another version wrote it, still counts as a failure. */
export function decodeFailure(text: string): FailureReason {
  const reason = reasonSchema.safeParse(jsonOf(text));
  return reason.success
    ? reason.data
    : { stage: "group", message: `unreadable failure: ${text.slice(0, 200)}` };
}

/** Returns undefined for text that is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
