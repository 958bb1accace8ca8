/**
 * Responsibility: what learners that train together do in a step besides their own part: assigning micro-batches, exchanging
 *   outputs, summing gradients, agreeing on one norm and on one initial state.
 * Not responsible for: how messages travel and how long they may take (Peers), what a step computes (optimizer-step.ts).
 *
 * Invariants:
 * - TOGETHER-1. All ranks apply the same step: each gets the outputs of all micro-batches in the same order, the same bits of the
 *   summed gradients, and rank 0's norm of them.
 * - TOGETHER-2. A step in which one rank fails is not applied by any rank that knows of it: what a rank waits for fails with
 *   PEER_FAILED, which closes the learner, since nobody can tell how far the others came.
 */

import type { JitModule } from "@palimpsest/jit";
import { entry } from "@palimpsest/jit";
import { placesOf } from "../config/bucket.js";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import type { MicroBatch } from "../rows/dealt-row.js";
import type { Peers } from "./peers.js";

/** Maximum size in values of small tensors that travel together, 16 MiB. A larger tensor is its own block: a rank buffers one block at a time. */
const BLOCK_VALUES = 2 ** 22;

/** State entries with their sizes in values. */
export type EntrySizes = Readonly<Record<string, number>>;

/** @throws {LearnerError} CONFIG_INVALID for settings that do not work with several learners */
export function checkTogether(
  { rank, size }: Peers,
  { replicas, memory }: Pick<ResolvedLearnerConfig, "replicas" | "memory">,
): void {
  if (!Number.isInteger(rank) || !Number.isInteger(size) || size < 1 || rank < 0 || rank >= size)
    throw new LearnerError(
      "CONFIG_INVALID",
      `peers: rank ${rank} of ${size}; give a rank from 0 to size - 1`,
    );
  if (replicas > 1)
    throw new LearnerError(
      "CONFIG_INVALID",
      `replicas is ${replicas}, but each of the ${size} learners that train together has one replica; set replicas to 1 and use more learners instead`,
    );
  if (memory.accumulators === "none")
    throw new LearnerError(
      "CONFIG_INVALID",
      `memory.accumulators is "none", but the ${size} learners that train together sum their accumulated gradients; set it to "auto"`,
    );
}

export class Together {
  readonly #peers: Peers;
  readonly #gradients: EntrySizes;

  /** @param gradients the state entries that are summed over all ranks */
  constructor(peers: Peers, gradients: EntrySizes) {
    this.#peers = peers;
    this.#gradients = gradients;
  }

  /** Returns which micro-batches this rank computes: the longest are assigned first, each to the rank with the least work. */
  isOwn(batches: readonly MicroBatch[]): readonly boolean[] {
    const { rank, size } = this.#peers;
    const work = new Array<number>(size).fill(0);
    const owners = new Array<number>(batches.length).fill(0);
    const places = batches.map(({ bucket }) => placesOf(bucket));
    const order = [...places.keys()].sort((a, b) => (places[b] ?? 0) - (places[a] ?? 0) || a - b);
    for (const index of order) {
      const owner = work.indexOf(Math.min(...work));
      owners[index] = owner;
      work[owner] = (work[owner] ?? 0) + (places[index] ?? 0);
    }
    return owners.map((owner) => owner === rank);
  }

  /**
   * Returns all ranks' outputs of their micro-batches, in the order of these.
   * @param own by the micro-batch's index
   * @throws {LearnerError} PEER_FAILED, also if a micro-batch was computed by nobody, because ranks have different batches
   */
  async outputsOf<Outputs>(own: ReadonlyMap<number, Outputs>, count: number): Promise<readonly Outputs[]> {
    const all = await this.gather({ count, own: [...own] });
    const byIndex = new Map(all.flatMap((rank) => rank.own));
    const counts = all.map((rank) => rank.count);
    if (byIndex.size !== count || counts.some((each) => each !== count))
      throw failed(
        `the ranks have ${counts.join(", ")} micro-batches, of which ${byIndex.size} were computed, so their batches differ`,
      );
    return Array.from({ length: count }, (_, index) => byIndex.get(index) as Outputs);
  }

  /** @throws {LearnerError} PEER_FAILED */
  async gather<Value>(value: Value): Promise<readonly Value[]> {
    return await this.#exchanged(this.#peers.allGather(value));
  }

  /** Returns the norm that all ranks use, because devices of different kinds may round differently. @throws {LearnerError} PEER_FAILED */
  async agreedNorm(norm: number): Promise<number> {
    const [first = norm] = await this.gather(norm);
    return first;
  }

  /** Replaces the module's accumulated gradients by their sums over all ranks. @throws {LearnerError} PEER_FAILED; {JitError} */
  async sumGradients(module: JitModule): Promise<void> {
    for (const names of blocksOf(this.#gradients)) {
      const values = readFloats(module, names);
      const [only, ...others] = names;
      if (others.length === 0 && only !== undefined) {
        const whole = entry(values, only);
        await this.#exchanged(this.#peers.allReduce(whole));
        module.writeState({ [only]: whole });
        continue;
      }
      const block = joined(names, values);
      await this.#exchanged(this.#peers.allReduce(block));
      module.writeState(parted(names, this.#gradients, block));
    }
  }

  /** Replaces every rank's entries by rank 0's. @throws {LearnerError} PEER_FAILED; {JitError} */
  async shareEntries(module: JitModule, entries: EntrySizes): Promise<void> {
    const isFirst = this.#peers.rank === 0;
    for (const names of blocksOf(entries)) {
      const own = isFirst ? joined(names, readFloats(module, names)) : new Float32Array(0);
      const [block] = await this.gather(own);
      if (!isFirst && block !== undefined) module.writeState(parted(names, entries, block));
    }
  }

  async #exchanged<Value>(exchange: Promise<Value>): Promise<Value> {
    try {
      return await exchange;
    } catch (cause) {
      throw failed(cause instanceof Error ? cause.message : String(cause), cause);
    }
  }
}

function failed(what: string, cause?: unknown): LearnerError {
  return new LearnerError(
    "PEER_FAILED",
    `the learners that train together cannot continue: ${what}; this one is closed; create all of them again from the last checkpoint`,
    { cause },
  );
}

/** Groups entries in their order into blocks, small ones together. */
function* blocksOf(entries: EntrySizes): Generator<readonly string[]> {
  let block: string[] = [];
  let values = 0;
  for (const [name, size] of Object.entries(entries)) {
    if (block.length > 0 && values + size > BLOCK_VALUES) {
      yield block;
      block = [];
      values = 0;
    }
    block.push(name);
    values += size;
  }
  if (block.length > 0) yield block;
}

function readFloats(module: JitModule, names: readonly string[]): Record<string, Float32Array> {
  return module.readState(names) as Record<string, Float32Array>;
}

function joined(names: readonly string[], values: Readonly<Record<string, Float32Array>>): Float32Array {
  const arrays = names.map((name) => entry(values, name));
  const block = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    block.set(array, at);
    at += array.length;
  }
  return block;
}

function parted(
  names: readonly string[],
  sizes: EntrySizes,
  block: Float32Array,
): Record<string, Float32Array> {
  let at = 0;
  return Object.fromEntries(
    names.map((name) => {
      const values = block.slice(at, at + (sizes[name] ?? 0));
      at += values.length;
      return [name, values];
    }),
  );
}
