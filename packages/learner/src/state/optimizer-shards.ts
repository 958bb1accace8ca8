import { entry, type JitModule, sizeOf, type Tensors, tf } from "@palimpsest/jit";
import type { ModelConfig } from "@palimpsest/model";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { shardCount, shardShape } from "./shard-shape.js";
import { type StateKind, stateName, trainedShapes } from "./state.js";

/*
 * Responsibility: the optimizer's moments sharded over replicas, each with an equal run of every entry's values (ZeRO's first
 * stage, Rajbhandari et al., arXiv:1910.02054). A replica updates its run of the weights; a sum over replicas then gives all to each.
 *
 * ZERO-1. Every value has exactly one owner among the replicas, and the others contribute zero to the sum, so that
 *   the sum is what the owners computed, bit for bit.
 * ZERO-2. A checkpoint has whole moments in the shapes of their weights, so that it can resume with another number of replicas.
 */

/** Tells a function that updates its own run which replica it is: int32 []. */
export const REPLICA = "replica";
/** Sums the runs that replicas have placed into whole weights. */
export const WEIGHTS = "weights";

/** Selects one replica's run of a tensor's values, in row-major order; past the end it is padded with zeros. */
export function ownShard(tensor: tf.Tensor, replica: tf.Tensor, shards: number): tf.Tensor {
  const [length = 0] = shardShape(tensor.shape, shards);
  const missing = shards * length - tensor.size;
  const flat = tf.reshape(tensor, [tensor.size]);
  const even = missing === 0 ? flat : tf.pad(flat, [[0, missing]]);
  return tf.gather(tf.reshape(even, [shards, length]), replica);
}

/** Places the run at its position in a tensor of zeros of `shape`. */
export function placedShard(
  shard: tf.Tensor,
  replica: tf.Tensor,
  shards: number,
  shape: readonly number[],
): tf.Tensor {
  const [length = 0] = shard.shape;
  const mine = tf.reshape(tf.oneHot(tf.reshape(replica, [1]) as tf.Tensor1D, shards), [shards, 1]);
  const even = tf.reshape(tf.mul(tf.cast(mine, "float32"), tf.reshape(shard, [1, length])), [
    shards * length,
  ]);
  return tf.reshape(tf.slice(even, [0], [sizeOf(shape)]), [...shape]);
}

const MOMENTS: readonly StateKind[] = ["moment1", "moment2"];

function isMoment(name: string): boolean {
  return MOMENTS.some((kind) => name.startsWith(stateName(kind, "")));
}

/** Writes whole entries, sharding the moments among them. @throws {JitError} as `writeState` */
export function writeWhole(
  module: JitModule,
  config: ResolvedLearnerConfig,
  state: Readonly<Record<string, Float32Array>>,
): void {
  const shards = shardCount(config);
  if (shards === 1) {
    module.writeState(state);
    return;
  }
  for (const [name, values] of Object.entries(state)) {
    if (!isMoment(name)) module.writeState({ [name]: values });
    else module.writeEach(shardsOf(values, shards).map((shard) => ({ [name]: shard })));
  }
}

function shardsOf(values: Float32Array, shards: number): Float32Array[] {
  const length = Math.ceil(values.length / shards);
  return Array.from({ length: shards }, (_, replica) => {
    const shard = new Float32Array(length);
    shard.set(values.subarray(replica * length, (replica + 1) * length));
    return shard;
  });
}

/** Copies entries to the host as a single replica would have them. @throws {JitError} as `readState` */
export function readWhole(
  module: JitModule,
  config: ResolvedLearnerConfig,
  model: ModelConfig,
  names: readonly string[],
): Record<string, Float32Array> {
  if (shardCount(config) === 1) return module.readState(names) as Record<string, Float32Array>;
  const dealt = new Set(names.filter(isMoment));
  const own = module.readState(names.filter((name) => !dealt.has(name))) as Record<string, Float32Array>;
  const each = module.readEach([...dealt]) as Record<string, Float32Array>[];
  const sizes = new Map(
    Object.entries(trainedShapes(model, config)).flatMap(([name, shape]) =>
      MOMENTS.map((kind) => [stateName(kind, name), sizeOf(shape)] as const),
    ),
  );
  // The entries are in the requested order, which is that of a checkpoint's file.
  return Object.fromEntries(
    names.map((name) => [
      name,
      dealt.has(name)
        ? joined(
            each.map((replica) => entry(replica, name)),
            sizes.get(name) ?? 0,
          )
        : entry(own, name),
    ]),
  );
}

function joined(shards: readonly Float32Array[], size: number): Float32Array {
  const whole = new Float32Array(size);
  let at = 0;
  for (const shard of shards) {
    whole.set(shard.subarray(0, Math.max(0, size - at)), at);
    at += shard.length;
  }
  return whole;
}

/** Returns the inputs of each replica: the common ones, and its index. */
export function eachReplica<T extends object>(
  given: T,
  replicas: number,
): (T & Record<string, Int32Array>)[] {
  return Array.from({ length: replicas }, (_, replica) => ({ ...given, [REPLICA]: Int32Array.of(replica) }));
}

/** Returns the index of the replica that a function runs on. */
export function replicaOf(inputs: Tensors): tf.Tensor {
  return entry(inputs, REPLICA);
}
