/**
 * The other learners of one training: several processes, each with the whole model, that train it together. A learner depends
 * only on this interface; how messages travel is up to whoever starts the learners.
 */
export interface Peers {
  /** This learner's rank, from 0. The others load the state of rank 0. */
  readonly rank: number;
  /** Number of learners, including this one. */
  readonly size: number;
  /**
   * Replaces the values by their sums over all ranks, which are the same bits on every rank. All ranks must pass equally many.
   * @throws if a rank failed, diverged or does not answer in time
   */
  allReduce(values: Float32Array): Promise<void>;
  /**
   * Returns the values of all ranks, by rank: plain data and typed arrays.
   * @throws as `allReduce`
   */
  allGather<Value>(value: Value): Promise<readonly Value[]>;
}
