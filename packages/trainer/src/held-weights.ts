import type * as proto from "@palimpsest/wire/protocol";

interface ObjectRemoval {
  delete(location: { readonly objectId: string }): Promise<boolean>;
}

/** The newest version, and the one that another actor of this node may still be reading. */
const keptVersions = 2;

/** Versions of weights whose objects lie on this node: adding a newer one lets the oldest go. */
export class HeldWeights {
  readonly #objects: ObjectRemoval;
  /** Never removed: a learner without a checkpoint starts from them. */
  readonly #initial: ReadonlySet<string>;
  readonly #versions: proto.WeightManifest[] = [];

  constructor(objects: ObjectRemoval, initial: proto.WeightManifest) {
    this.#objects = objects;
    this.#initial = new Set(objectIds(initial));
  }

  async add(manifest: proto.WeightManifest): Promise<void> {
    this.#versions.push(manifest);
    const gone = this.#versions.splice(0, Math.max(0, this.#versions.length - keptVersions));
    const kept = new Set([...this.#initial, ...this.#versions.flatMap(objectIds)]);
    for (const objectId of new Set(gone.flatMap(objectIds))) {
      if (!kept.has(objectId)) await this.#objects.delete({ objectId });
    }
  }
}

function objectIds(manifest: proto.WeightManifest): string[] {
  return manifest.shards.flatMap((shard) => (shard.objectId ? [shard.objectId] : []));
}
