/** Speeds that were measured (docs/measured.md, bench/results), from which a plan estimates seconds. */

/** Rates of a device, which scale with a model's size. Reading weights limits small batches, and arithmetic limits large ones; a decoding
 * step is charged for both. */
export interface Device {
  readonly name: string;
  /** Rate at which decoding reads weights and the optimizer reads and writes its state, bytes per second. */
  readonly weightBytesPerSecond: number;
  /** Rate at which decoding reads keys and values, bytes per second. */
  readonly cacheBytesPerSecond: number;
  readonly decodeFlops: number;
  readonly prefillFlops: number;
  readonly trainFlops: number;
  /** Rate of a pass without gradients. */
  readonly scoreFlops: number;
  /** Time that a decoding step takes regardless of the model's size. */
  readonly decodeStepSeconds: number;
  /** The same for a prompt token that is read, and for a token position that is trained. */
  readonly readTokenSeconds: number;
  readonly trainTokenSeconds: number;
  /** The same for each layer of a micro-batch that is trained: launches of its kernels. */
  readonly trainLayerSeconds: number;
}

/**
 * Returns the rates of this many compute threads, each on a server core of an x86 processor. On two threads,
 * SmolLM2-135M sampled 20 tokens per second alone and 187 with 16 sequences at once, and read 670 prompt tokens per
 * second; a model of 3.4M parameters was trained at 9,100 tokens per second. The costs that do not depend on size come
 * from the quickstart's model: 25,000 tokens were sampled and 87,000 trained per second.
 */
export function processor(threads: number): Device {
  return {
    name: `${threads} processor ${threads === 1 ? "thread" : "threads"}`,
    weightBytesPerSecond: 5.4e9 * threads,
    cacheBytesPerSecond: 5.4e9 * threads,
    decodeFlops: 6e10 * threads,
    prefillFlops: 9e10 * threads,
    trainFlops: 9.3e10 * threads,
    scoreFlops: 9.3e10 * threads,
    decodeStepSeconds: 2.5e-3,
    readTokenSeconds: 5e-6,
    trainTokenSeconds: 1.4e-5 / threads,
    trainLayerSeconds: 0,
  };
}

/**
 * Returns the rates of one H100. In bfloat16 it trained 0.5B, 1.5B, 3B and 4B parameters at 102,000, 40,900, 21,700 and 14,900 tokens per
 * second, one of two H200 7B at 9,550 and a reference's pass of 3B and 4B at 79,000 and 61,000. It read prompts of 2,200 to 7,200 tokens
 * at 83,000, 57,000 and 41,700 tokens per second (3B, 4B, 7B), and a decoding step behind them took 7.7, 14 and 12.3 ms at 64, 40 and 64
 * rows; 1.4 ms at 64 short rows of 0.5B, 2.05 ms at 256. A micro-batch of SmolLM2-135M took 41 ms whatever was in it.
 */
export function h100(precision: "auto" | "float32" | "bfloat16"): Device {
  const half = precision === "bfloat16";
  return {
    name: `one H100, ${half ? "bfloat16" : "float32"}`,
    weightBytesPerSecond: half ? 3e12 : 5.5e11,
    cacheBytesPerSecond: 2.6e12,
    decodeFlops: half ? 3e14 : 2e13,
    prefillFlops: half ? 6e14 : 7.9e13,
    trainFlops: half ? 4.4e14 : 7.9e13,
    scoreFlops: half ? 5e14 : 7.9e13,
    decodeStepSeconds: half ? 1e-3 : 8e-4,
    readTokenSeconds: 1e-6,
    trainTokenSeconds: 1e-6,
    trainLayerSeconds: 8e-4,
  };
}

/** Efficiency of replicas compared with as many separate GPUs: two H200 trained 0.5B parameters 1.88 times as fast as one. */
export const replicaShare = 0.94;

/**
 * Bytes of weights per second: until the learner has read, hashed and stored them, and from then until a sampler on another GPU has
 * fetched the rest and written all. 8.05 GB took 4.5 and 1.9 s, 15.23 GB 9.3 and 3.3 s (bench/results/gpu-weights.json).
 */
export const publishBytesPerSecond = 1.7e9;
export const loadBytesPerSecond = 4.4e9;

/** Bytes of a checkpoint that are hashed and written per second: 37 GB took 135 s, 1.6 GB on two busy cores 6.6 s. */
export const checkpointBytesPerSecond = 2.6e8;

/**
 * Bytes that one thread of a learner of several hosts sends per second while they sum gradients, and receives at the same time: a GB takes
 * 0.8 to 1.1 s of processor time, of which plain TCP takes 0.6 to 0.7 (bench/results/exchange.json). That several threads are as many times
 * as fast, up to what the network passes, is an assumption.
 */
export const exchangeThreadBytesPerSecond = 9.5e8;

/** Gbit/s that a host's network passes each way where `plan.networkGbits` does not say it. An assumption. */
export const assumedNetworkGbits = 25;

/** Bytes of gradients that a learner of several hosts reads from its GPUs per second, or writes to them. An assumption, not measured. */
export const gradientBytesPerSecond = 3e9;

/** Seconds of driver and queues per step, and of a rollout actor's process per conversation, from the steps of SmolLM2 on an H100. */
export const stepSeconds = 0.08;
export const conversationSeconds = 5e-4;
