/**
 * The other learners of one training: several processes, each with the whole model, that train it together. A learner knows of them
 * what is here alone; how messages travel is for whoever starts them.
 */
export interface Peers {
  /** From 0 on. Rank 0 is the one whose state the others take over. */
  readonly rank: number;
  /** Learners together, this one included. */
  readonly size: number;
  /**
   * Replaces the values by their sums over all ranks, which are the same bits on every rank. All ranks give equally many.
   * @throws where a rank failed, differs or does not answer in time
   */
  allReduce(values: Float32Array): Promise<void>;
  /**
   * What every rank gave, by rank: plain data and typed arrays.
   * @throws as `allReduce`
   */
  allGather<Value>(value: Value): Promise<readonly Value[]>;
}
