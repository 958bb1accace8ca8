import { entry, type JitModule, sizeOf, type Tensors, tf } from "@palimpsest/jit";
import { type ModelConfig, parameterShapes } from "@palimpsest/model";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { shardCount, shardLength } from "./shard-shape.js";
import { stateName, tensor, trainedShapes } from "./state.js";
import { SPREAD } from "./sum-functions.js";

/*
 * Responsibility: state of which each replica has one shard, an equal run of every entry's values: float32 weights, moments, accumulated
 *   gradients, and the reference (Rajbhandari et al., arXiv:1910.02054). For passes each replica also has all weights, in the
 *   type that products round them to. Here: such tensors inside functions, and their values as one learner would have them.
 * Not responsible for: the exchange between replicas (`JitShards`), the order of calls (optimizer-step.ts).
 *
 * ZERO-1. Every value has exactly one owner among the replicas, which alone updates it; the others get what it rounded.
 * ZERO-2. A checkpoint has whole entries in the shapes of their weights, so that it can resume with another number of replicas.
 */

/** Returns all shards of a tensor, one per row: [shards, length], padded with zeros. */
export function shardRows(whole: tf.Tensor, shards: number): tf.Tensor {
  const length = shardLength(whole.size, shards);
  const missing = shards * length - whole.size;
  const flat = tf.reshape(whole, [whole.size]);
  return tf.reshape(missing === 0 ? flat : tf.pad(flat, [[0, missing]]), [shards, length]);
}

/** Returns the entries of the reference in their shapes, from their shards one after another. */
export function joinedReference(state: Tensors, model: ModelConfig): Tensors {
  return Object.fromEntries(
    Object.entries(parameterShapes(model)).map(([name, shape]) => {
      const flat = tensor(state, stateName("reference", name));
      return [name, tf.reshape(tf.slice(flat, [0], [sizeOf(shape)]), [...shape])];
    }),
  );
}

/** Writes whole entries to all replicas, and to each its shards. @throws {JitError} as `writeState` */
export function writeWhole(
  module: JitModule,
  config: ResolvedLearnerConfig,
  model: ModelConfig,
  state: Readonly<Record<string, Float32Array>>,
): void {
  const shards = shardCount(config);
  if (shards === 1) {
    module.writeState(state);
    return;
  }
  const owned = ownedEntries(model, config);
  for (const [name, values] of Object.entries(state)) {
    const shared = owned.get(name);
    if (shared === undefined) module.writeState({ [name]: values });
    else module.writeEach(shardsOf(values, shards).map((shard) => ({ [shared]: shard })));
  }
  // All weights pass from GPU to GPU, which is faster than from the host to each.
  if (Object.keys(state).some((name) => (owned.get(name) ?? name) !== name)) module.call(SPREAD, {});
}

/** Copies entries to the host as a single replica would have them. @throws {JitError} as `readState` */
export function readWhole(
  module: JitModule,
  config: ResolvedLearnerConfig,
  model: ModelConfig,
  names: readonly string[],
): Record<string, Float32Array> {
  if (shardCount(config) === 1) return module.readState(names) as Record<string, Float32Array>;
  const owned = ownedEntries(model, config);
  const sizes = { ...parameterShapes(model), ...trainedShapes(model, config) };
  return Object.fromEntries(
    names.map((name) => {
      const shared = owned.get(name);
      if (shared === undefined) return [name, entry(module.readState([name]), name) as Float32Array];
      const each = module.readEach([shared]) as Record<string, Float32Array>[];
      const parameter = name.slice(name.indexOf("/") + 1);
      return [
        name,
        joined(
          each.map((replica) => entry(replica, shared)),
          sizeOf(entry(sizes, parameter)),
        ),
      ];
    }),
  );
}

/** By the entry that a single replica would have, the sharded entry with its values: float32 weights are apart from those of passes. */
function ownedEntries(model: ModelConfig, config: ResolvedLearnerConfig): Map<string, string> {
  const trained = Object.keys(trainedShapes(model, config));
  const kinds = (["moment1", "moment2"] as const).flatMap((kind) =>
    trained.map((name) => stateName(kind, name)),
  );
  const reference = Object.keys(parameterShapes(model)).map((name) => stateName("reference", name));
  return new Map([
    ...trained.map((name) => [stateName("weights", name), stateName("master", name)] as const),
    ...[...kinds, ...reference].map((name) => [name, name] as const),
  ]);
}

function shardsOf(values: Float32Array, shards: number): Float32Array[] {
  const length = shardLength(values.length, shards);
  return Array.from({ length: shards }, (_, replica) => {
    const own = values.subarray(replica * length, (replica + 1) * length);
    if (own.length === length) return own;
    const padded = new Float32Array(length);
    padded.set(own);
    return padded;
  });
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
