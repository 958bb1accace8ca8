/**
 * The other learners of one training: several processes, each with the whole model on one or several GPUs of its host, that train it
 * together. A learner depends only on this interface; how messages travel is up to whoever starts the learners.
 */
export interface Peers {
  /** This learner's rank, from 0. The others load the state of rank 0. */
  readonly rank: number;
  /** Number of learners, including this one. */
  readonly size: number;
  /**
   * Replaces the values by their sums over all ranks, which are the same bits on every rank. All ranks must pass equally many, of one
   * type, in the same order of calls, of which several may be outstanding.
   * @param values float32, or the bits of bfloat16: these are added in float32 in the order of ranks, and the sum is rounded once
   * @throws if a rank failed, diverged or does not answer in time
   */
  allReduce(values: Float32Array | Uint16Array): Promise<void>;
  /**
   * Replaces the values by those of rank 0.
   * @throws as `allReduce`
   */
  broadcast(values: Float32Array): Promise<void>;
  /**
   * Returns the values of all ranks, by rank: plain data and typed arrays, small ones.
   * @throws as `allReduce`
   */
  allGather<Value>(value: Value): Promise<readonly Value[]>;
}

/** Moves bytes between ranks without copying them into messages. Each name is used once between two ranks. */
export interface RankLinks {
  /** Offers bytes to another rank; they must not change until it has them. Resolves when the rank has come for them. */
  give(rank: number, name: string, bytes: Uint8Array): Promise<void>;
  /** Fills all of `into` with what the other rank offers under the name, for which it waits up to a deadline. */
  take(rank: number, name: string, into: Uint8Array): Promise<void>;
}

/** float32, or the bits of bfloat16. */
export type Values = Float32Array | Uint16Array;

/** Sums and passes its part of what ranks exchange. All ranks must use it with the same calls, each once. */
export interface ExchangeLane {
  /** Bytes sent to all other ranks so far. */
  readonly sentBytes: number;
  /** As `Peers.allReduce`. */
  sum(call: number, values: Values): Promise<void>;
  /** As `Peers.broadcast`. */
  pass(call: number, values: Values): Promise<void>;
}
