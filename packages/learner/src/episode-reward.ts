/** What one trajectory earned, with the group it is compared within. */
export interface EpisodeReward {
  readonly groupId: string;
  readonly trajectoryId: string;
  readonly reward: number;
  /** Trained tokens, which `reinforce++` weighs by. Default 1. */
  readonly tokens?: number;
  /** Parts of the reward by name, before penalties; for estimators of your own. */
  readonly components?: Readonly<Record<string, number>>;
}
