import type * as proto from "@palimpsest/wire/protocol";
import { locationOf, type ObjectLocation } from "./weights.js";

interface ObjectRelease {
  release(locations: readonly ObjectLocation[]): Promise<void>;
}

/** The newest version, and the one that a rollout actor may still be reading. */
const keptVersions = 2;

/**
 * Versions of weights that the learner holds: announcing a newer one lets the oldest go, with its copies on the nodes
 * of the rollout actors. What another holds too, such as shards that an equal run has put, stays for him.
 */
export class HeldWeights {
  readonly #objects: ObjectRelease;
  /** Never let go: a learner without a checkpoint starts from them. */
  readonly #initial: ReadonlySet<string>;
  readonly #versions: proto.WeightManifest[] = [];

  constructor(objects: ObjectRelease, initial: proto.WeightManifest) {
    this.#objects = objects;
    this.#initial = new Set(shardsOf(initial).map(({ objectId }) => objectId));
  }

  async add(manifest: proto.WeightManifest): Promise<void> {
    this.#versions.push(manifest);
    const gone = this.#versions
      .splice(0, Math.max(0, this.#versions.length - keptVersions))
      .flatMap(shardsOf);
    const kept = new Set(this.#versions.flatMap(shardsOf).map(({ objectId }) => objectId));
    const unneeded = new Map<string, ObjectLocation>();
    for (const shard of gone) {
      if (!kept.has(shard.objectId) && !this.#initial.has(shard.objectId))
        unneeded.set(shard.objectId, shard);
    }
    if (unneeded.size > 0) await this.#objects.release([...unneeded.values()]);
  }
}

function shardsOf(manifest: proto.WeightManifest): ObjectLocation[] {
  return manifest.shards.filter(({ objectId }) => objectId !== "").map(locationOf);
}
