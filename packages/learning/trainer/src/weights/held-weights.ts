import type * as proto from "@palimpsest/wire/protocol";
import { locationOf, type ObjectLocation } from "./object-location.js";

interface ObjectRelease {
  release(locations: readonly ObjectLocation[], options: { readonly timeoutMs: number }): Promise<void>;
}

/** Versions to keep: the newest, and the previous one, which a rollout actor may still be reading. */
const keptVersions = 2;
const releasedAtOnce = 1_000;
const releaseTimeoutMs = 30_000;

/**
 * The versions of the weights that the learner references. When a newer version is announced, the oldest is released,
 * with its copies on the nodes of the rollout actors. Objects that have another owner, too, such as shards that an
 * equal run has put, stay for that owner. What cannot be released now, because the head is unreachable, is released
 * with a later version, so that training never waits for it.
 */
export class HeldWeights {
  readonly #objects: ObjectRelease;
  /** Never released: a learner without a checkpoint starts from them. */
  readonly #initial: ReadonlySet<string>;
  readonly #onLate: (reason: unknown) => void;
  readonly #versions: proto.WeightManifest[] = [];
  /** Objects to release, by id. */
  readonly #unneeded = new Map<string, ObjectLocation>();
  #letGo: Promise<void> | undefined;

  /** @param onLate called with the reason why an object could not be released yet */
  constructor(objects: ObjectRelease, initial: proto.WeightManifest, onLate: (reason: unknown) => void) {
    this.#objects = objects;
    this.#initial = new Set(shardsOf(initial).map(({ objectId }) => objectId));
    this.#onLate = onLate;
  }

  /** @param left objects that earlier processes of the learner put: released, too, unless a kept version contains them */
  add(manifest: proto.WeightManifest, left: readonly ObjectLocation[] = []): void {
    this.#versions.push(manifest);
    const gone = this.#versions.splice(0, Math.max(0, this.#versions.length - keptVersions));
    for (const shard of [...gone.flatMap(shardsOf), ...left]) {
      if (!this.#initial.has(shard.objectId)) this.#unneeded.set(shard.objectId, shard);
    }
    for (const { objectId } of this.#versions.flatMap(shardsOf)) this.#unneeded.delete(objectId);
    this.#letGo ??= this.#release().finally(() => {
      this.#letGo = undefined;
    });
  }

  /** Resolves when no release is in progress. */
  async settled(): Promise<void> {
    await this.#letGo;
  }

  async #release(): Promise<void> {
    try {
      while (this.#unneeded.size > 0) {
        const shards = [...this.#unneeded.values()].slice(0, releasedAtOnce);
        await this.#objects.release(shards, { timeoutMs: releaseTimeoutMs });
        for (const { objectId } of shards) this.#unneeded.delete(objectId);
      }
    } catch (reason) {
      this.#onLate(reason);
    }
  }
}

function shardsOf(manifest: proto.WeightManifest): ObjectLocation[] {
  return manifest.shards.filter(({ objectId }) => objectId !== "").map(locationOf);
}
