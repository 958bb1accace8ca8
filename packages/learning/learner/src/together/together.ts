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

import { setImmediate } from "node:timers/promises";
import type { JitModule } from "@palimpsest/jit";
import { entry } from "@palimpsest/jit";
import { placesOf } from "../config/bucket.js";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import type { Round } from "../rows/rounds.js";
import type { Peers } from "./peers.js";

/** Maximum size in values of small tensors that travel together, 16 MiB. A larger tensor is its own block: a rank buffers two blocks at a time. */
const BLOCK_VALUES = 2 ** 22;

/** State entries with their sizes in values. */
export type EntrySizes = Readonly<Record<string, number>>;

/** The state's entries that are summed over all ranks. */
export interface PassedGradients {
  /** Number of replicas that have a shard each; 1: all replicas have the same. */
  readonly shards: number;
  /** Sizes in values are those of one replica. */
  readonly entries: readonly {
    readonly name: string;
    readonly size: number;
    readonly type: "float32" | "bfloat16";
  }[];
}

/** Entries of accumulated gradients that travel together. */
interface Block {
  /** The replica that has them; undefined if all replicas have the same. */
  readonly replica: number | undefined;
  readonly entries: EntrySizes;
  readonly type: "float32" | "bfloat16";
}

/** Reads and writes a learner's entries as a single replica would have them. */
interface WholeState {
  readonly read: (names: readonly string[]) => Readonly<Record<string, Float32Array>>;
  readonly write: (values: Readonly<Record<string, Float32Array>>) => void;
}

/** @throws {LearnerError} CONFIG_INVALID for settings that do not work with several learners */
export function checkTogether(
  { rank, size }: Peers,
  { memory }: Pick<ResolvedLearnerConfig, "memory">,
): void {
  if (!Number.isInteger(rank) || !Number.isInteger(size) || size < 1 || rank < 0 || rank >= size)
    throw new LearnerError(
      "CONFIG_INVALID",
      `peers: rank ${rank} of ${size}; give a rank from 0 to size - 1`,
    );
  if (memory.accumulators === "none")
    throw new LearnerError(
      "CONFIG_INVALID",
      `memory.accumulators is "none", but the ${size} learners that train together sum their accumulated gradients; set it to "auto"`,
    );
}

export class Together {
  readonly #peers: Peers;
  readonly #blocks: readonly Block[];

  constructor(peers: Peers, { shards, entries }: PassedGradients) {
    this.#peers = peers;
    const replicas = shards === 1 ? [undefined] : Array.from({ length: shards }, (_, replica) => replica);
    this.#blocks = (["float32", "bfloat16"] as const).flatMap((type) => {
      const own = entries.filter((one) => one.type === type).map(({ name, size }) => [name, size]);
      const blocks = [...blocksOf(Object.fromEntries(own))];
      return replicas.flatMap((replica) => blocks.map((block) => ({ replica, entries: block, type })));
    });
  }

  /**
   * Returns which rounds this rank computes: the longest are assigned first, each to the rank with the least work. A round is a micro-batch
   * for each replica of a rank.
   */
  isOwn(rounds: readonly Round[]): readonly boolean[] {
    const { rank, size } = this.#peers;
    const work = new Array<number>(size).fill(0);
    const owners = new Array<number>(rounds.length).fill(0);
    const places = rounds.map(({ batches: [first] }) => (first === undefined ? 0 : placesOf(first.bucket)));
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

  /**
   * Replaces the module's accumulated gradients by their sums over all ranks, once per optimizer step. While a block of them travels, the
   * one before it is written to the device and the next one is read. This begins after the last micro-batch: a launch returns when all
   * of its gradients are complete, and to send those of earlier micro-batches before would send them twice.
   * @throws {LearnerError} PEER_FAILED; {JitError}
   */
  async sumGradients(module: JitModule): Promise<void> {
    let finish = async (): Promise<void> => undefined;
    for (const block of this.#blocks) {
      const values = await readBlock(module, block);
      const summed = this.#exchanged(this.#peers.allReduce(values));
      // It is awaited after the block before it.
      summed.catch(() => undefined);
      await setImmediate();
      await finish();
      finish = async () => {
        await summed;
        await writeBlock(module, block, values);
      };
    }
    await finish();
  }

  /** Replaces every rank's entries by rank 0's. @throws {LearnerError} PEER_FAILED; {JitError} */
  async shareEntries(entries: EntrySizes, { read, write }: WholeState): Promise<void> {
    const isFirst = this.#peers.rank === 0;
    for (const part of blocksOf(entries)) {
      const block = isFirst ? joined(part, read(Object.keys(part))) : new Float32Array(totalOf(part));
      await this.#exchanged(this.#peers.broadcast(block));
      if (!isFirst) write(parted(part, block));
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
function* blocksOf(entries: EntrySizes): Generator<EntrySizes> {
  let block: Record<string, number> = {};
  let values = 0;
  for (const [name, size] of Object.entries(entries)) {
    if (values > 0 && values + size > BLOCK_VALUES) {
      yield block;
      block = {};
      values = 0;
    }
    block[name] = size;
    values += size;
  }
  if (values > 0) yield block;
}

function totalOf(entries: EntrySizes): number {
  return Object.values(entries).reduce((sum, size) => sum + size, 0);
}

/** Returns the block's values in the type in which they travel. What travels meanwhile is served between two pieces. */
async function readBlock(
  module: JitModule,
  { replica, entries, type }: Block,
): Promise<Float32Array | Uint16Array> {
  const names = Object.keys(entries);
  if (type === "float32")
    return joined(entries, module.readState(names, replica) as Record<string, Float32Array>);
  // Threads that exchange them need no copy.
  const bits = new Uint16Array(new SharedArrayBuffer(2 * totalOf(entries)));
  let at = 0;
  const take = (values: number) => {
    at += values;
    return bits.subarray(at - values, at);
  };
  for (const name of names) for (const _ of module.readHalf(name, replica, take)) await setImmediate();
  return bits;
}

/** Writes sums in the type in which they travel, and serves what travels meanwhile as `readBlock` does. */
async function writeBlock(
  module: JitModule,
  { replica, entries }: Block,
  sums: Float32Array | Uint16Array,
): Promise<void> {
  if (sums instanceof Float32Array) {
    module.writeState(parted(entries, sums), replica);
    return;
  }
  for (const [name, bits] of Object.entries(parted(entries, sums)))
    for (const _ of module.writeHalf(name, [{ bits }], replica)) await setImmediate();
}

/** A single entry is not copied. */
function joined(entries: EntrySizes, values: Readonly<Record<string, Float32Array>>): Float32Array {
  const [only, ...others] = Object.keys(entries).map((name) => entry(values, name));
  if (only !== undefined && others.length === 0) return only;
  const block = new Float32Array(totalOf(entries));
  let at = 0;
  for (const name of Object.keys(entries)) {
    block.set(entry(values, name), at);
    at += entry(values, name).length;
  }
  return block;
}

function parted<Values extends Float32Array | Uint16Array>(
  entries: EntrySizes,
  block: Values,
): Record<string, Values> {
  let at = 0;
  return Object.fromEntries(
    Object.entries(entries).map(([name, size]) => {
      const values = block.subarray(at, at + size) as Values;
      at += size;
      return [name, values];
    }),
  );
}
