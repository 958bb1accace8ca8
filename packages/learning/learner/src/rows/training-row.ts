import type { ScoredTrajectory } from "@palimpsest/trajectories";
import type { Advantages } from "../loss/advantages.js";

/** One conversation as tokens. All arrays have one entry per token of prompt and response. */
export interface ConversationRow {
  readonly groupId: string;
  readonly trajectoryId: string;
  /** Index of the conversation within its trajectory. */
  readonly step: number;
  readonly tokenIds: Int32Array;
  /**
   * Log-probs in nats of the distribution that the token was drawn from, after temperature and truncation; 0 at prompt
   * tokens.
   */
  readonly rolloutLogprobs: Float32Array;
  /** Sampling temperature, > 0; the trained policy is the model's distribution at it. */
  readonly temperature: number;
  /** Whether some tokens could not be drawn, so that the sampler's log-probs are not those of the whole distribution. */
  readonly truncated: boolean;
  /** 1 at sampled tokens that are trained. */
  readonly lossMask: Uint8Array;
  readonly policyVersion: number;
}

/** A conversation with its training targets. */
export interface TrainingRow extends ConversationRow {
  /** The trajectory's advantage, mixed with its step's if the configuration says so. */
  readonly advantage: number;
  /** π_old if it is not the sampler's, nats; 0 at prompt tokens. */
  readonly oldLogprobs?: Float32Array;
}

/** The contents of a batch before advantages are assigned. */
export interface GatheredRows {
  /** In the order of (groupId, episodeIndex, step), whatever order the groups came in. */
  readonly rows: readonly ConversationRow[];
  /** Scored trajectories in the same order, with the rewards that were used. */
  readonly members: readonly ScoredTrajectory[];
  /** Penalties on rewards, by trajectory; absent: none. */
  readonly penalties: ReadonlyMap<string, number>;
  /** Conversations without a token to train (aborted, or masked entirely). */
  readonly emptyConversations: number;
  /** Trajectories removed from the loss because a length limit cut them off. */
  readonly overlongTrajectories: number;
}

export interface RowBatch extends GatheredRows {
  readonly rows: readonly TrainingRow[];
  readonly advantages: Advantages;
}
