import type { Trajectory } from "@palimpsest/trajectories";
import type { OverlongConfig } from "../config/loss-config.js";

type Conversations = Pick<Trajectory, "conversations">;

/** Returns whether a length limit cut off the trajectory, which then leaves the loss; its reward stays in the group's mean. */
export function isOverlong(trajectory: Conversations, config: OverlongConfig): boolean {
  if (config.kind !== "mask") return false;
  return spokenOf(trajectory, config.of).some(({ stopReason }) => stopReason === "length");
}

/**
 * Returns the penalty of a long reply: 0 up to maxTokens − bufferTokens, then linearly up to `factor` at maxTokens.
 * Source: soft overlong punishment of DAPO, arXiv:2503.14476.
 */
export function overlongPenalty(trajectory: Conversations, config: OverlongConfig): number {
  if (config.kind !== "penalty") return 0;
  const lengths = spokenOf(trajectory, config.of).map(({ sampledTokenIds }) => sampledTokenIds.length);
  const over = Math.max(0, ...lengths) - (config.maxTokens - config.bufferTokens);
  return config.factor * Math.min(Math.max(over / config.bufferTokens, 0), 1);
}

function spokenOf({ conversations }: Conversations, of: "final" | "any"): Trajectory["conversations"] {
  if (of === "any") return conversations;
  const last = conversations.reduce((max, { step }) => Math.max(max, step), 0);
  return conversations.filter(({ step }) => step === last);
}
