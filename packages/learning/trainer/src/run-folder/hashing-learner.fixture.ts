/** A learner whose weights are a hash of what it was trained on, and simulated processes that die where a test says. */

import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { type Checkpoint, type CheckpointExtra, writeCheckpoint } from "@palimpsest/learner";
import { type DurableFiles, durableFiles } from "@palimpsest/std/files";
import type { Group } from "@palimpsest/trajectories";

export class Crash extends Error {}

/** A process that dies at its n-th point; nothing it does afterwards takes effect. */
export class Life {
  readonly #diesAt: number;
  points = 0;

  constructor(diesAt = Infinity) {
    this.#diesAt = diesAt;
  }

  point(): void {
    if (this.points >= this.#diesAt) throw new Crash("planned");
    this.points++;
  }

  /** The product's own file operations, with a point before each; a write that dies leaves half of its bytes. */
  get files(): DurableFiles {
    const before =
      <Given extends unknown[]>(work: (...given: Given) => Promise<void>) =>
      async (...given: Given) => {
        this.point();
        await work(...given);
      };
    return {
      write: async (path, bytes) => {
        try {
          this.point();
        } catch (reason) {
          await writeFile(path, bytes.subarray(0, bytes.length / 2));
          throw reason;
        }
        await durableFiles.write(path, bytes);
      },
      link: before(durableFiles.link),
      rename: before(durableFiles.rename),
      syncFolder: before(durableFiles.syncFolder),
      remove: before(durableFiles.remove),
    };
  }
}

/** A learner whose weights are a hash of everything that it was trained on, in order. */
export class HashingLearner {
  policyVersion: number;
  #weights: Buffer;
  readonly #life: Life;
  /** The last checkpoint, which may be written beside later steps. */
  writing: Promise<unknown> = Promise.resolve();
  /** Added to its inputs to simulate another machine's rounding. */
  readonly #rounding: string;

  constructor(life: Life, checkpoint?: Checkpoint, rounding = "") {
    this.#life = life;
    this.#rounding = rounding;
    this.policyVersion = checkpoint?.policyVersion ?? 0;
    this.#weights = Buffer.from(checkpoint?.tensors["weights/a"] ?? new Float32Array(32));
  }

  weightsHash(): string {
    return this.#weights.toString("hex");
  }

  async update(groups: readonly Group[], { shuffleRewards }: { readonly shuffleRewards: boolean }) {
    const seen = `${groups.map(({ groupId }) => groupId)} ${shuffleRewards}${this.#rounding}`;
    this.#weights = createHash("sha256").update(this.#weights).update(seen).digest();
    this.policyVersion++;
  }

  async saveCheckpoint(
    folder: string,
    extra: CheckpointExtra,
    options: { readonly keepLast: number; readonly onTaken?: () => void },
  ) {
    this.#life.point();
    const { policyVersion } = this;
    const tensors = { "weights/a": Float32Array.from(this.#weights) };
    const parts = { policyVersion, step: policyVersion, random: [], config: {}, model: {}, tensors, extra };
    options.onTaken?.();
    const writing = writeCheckpoint(folder, parts, options);
    this.writing = writing;
    const written = await writing;
    this.#life.point();
    return written;
  }
}
