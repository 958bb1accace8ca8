/** The reward of one trajectory, and the group within which it is compared. */
export interface EpisodeReward {
  readonly groupId: string;
  readonly trajectoryId: string;
  readonly reward: number;
  /** Number of trained tokens, by which `reinforce++` weights. Default 1. */
  readonly tokens?: number;
  /** Components of the reward by name, before penalties; for your own estimators. */
  readonly components?: Readonly<Record<string, number>>;
}
