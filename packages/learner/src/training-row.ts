import type { ScoredTrajectory } from "@palimpsest/trajectories";
import type { Advantages } from "./advantages.js";

/** One conversation as tokens. All arrays have one entry a token of prompt and response. */
export interface ConversationRow {
  readonly groupId: string;
  readonly trajectoryId: string;
  /** Place of the conversation within its trajectory. */
  readonly step: number;
  readonly tokenIds: Int32Array;
  /** Nats, of the distribution that the token was drawn from: after temperature and truncation; 0 at prompt tokens. */
  readonly rolloutLogprobs: Float32Array;
  /** The policy is the model's distribution at this temperature, > 0. */
  readonly temperature: number;
  /** Some tokens could not be drawn: the sampler's numbers are not those of the whole distribution. */
  readonly truncated: boolean;
  /** 1 at sampled tokens that are trained. */
  readonly lossMask: Uint8Array;
  readonly policyVersion: number;
}

/** A conversation with what it trains on. */
export interface TrainingRow extends ConversationRow {
  /** The trajectory's, with its step's where the configuration mixes them. */
  readonly advantage: number;
  /** π_old where it is not the sampler's, nats; 0 at prompt tokens. */
  readonly oldLogprobs?: Float32Array;
}

/** What a batch holds before anybody says what it was worth. */
export interface GatheredRows {
  /** In the order of (groupId, episodeIndex, step), whatever order the groups came in. */
  readonly rows: readonly ConversationRow[];
  /** Scored trajectories in the same order, with the rewards that were used. */
  readonly members: readonly ScoredTrajectory[];
  /** Taken off rewards, by trajectory; absent: nothing. */
  readonly penalties: ReadonlyMap<string, number>;
  /** Conversations without a token to train (aborted, or masked whole). */
  readonly emptyConversations: number;
  /** Trajectories that left the loss because a length limit cut them. */
  readonly overlongTrajectories: number;
}

export interface RowBatch extends GatheredRows {
  readonly rows: readonly TrainingRow[];
  readonly advantages: Advantages;
}
