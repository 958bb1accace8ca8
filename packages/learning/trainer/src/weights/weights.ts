/**
 * Responsibility: weights as immutable objects: a manifest names them all and carries one hash over names, sizes and bytes.
 * Not responsible for: announcing a version, and keeping its objects alive.
 *
 * PUBLISH-1 (T5). Weights are loaded only if they have the published hash. The manifest's hash covers the names of
 *   its shards, and a shard's name is the hash of its bytes, which a node verifies once, when the shard is written or
 *   arrives; the actors of its machine then read verified bytes.
 * PUBLISH-2. Tensors are stored one after another, in the order of their names, in shards of one size, so that no
 *   host needs memory for more than the parameters themselves.
 * PUBLISH-3. The same weights are stored as the same objects.
 */
import { entry, sizeOf } from "@palimpsest/jit";
import { hashOfLeaves, weightsLeafBytes } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { locationOf, type ObjectLocation } from "./object-location.js";

/** Number of shards in flight: one is written while others are hashed. */
const shardsAtOnce = 3;

/** The part of an object store client that weights need. */
export interface ObjectAccess {
  /** Pieces are stored as one object, without being joined in memory. */
  put(pieces: readonly Uint8Array[]): Promise<ObjectLocation>;
  /** Fills the targets one after another. @throws {PalimpsestError} OBJECT_LOST if the bytes do not match the object's hash */
  getInto(location: ObjectLocation, targets: readonly Uint8Array[]): Promise<void>;
}

export type Parameters = Readonly<Record<string, Float32Array>>;
export type ParameterShapes = Readonly<Record<string, readonly number[]>>;

export interface WeightsVersion {
  readonly runId: string;
  readonly policyVersion: number;
}

/**
 * Stores the parameters and returns the manifest of this version. The caller must not change them meanwhile.
 * @param options.leafBytes size of the shards, which is part of the hash
 * @param options.adapters describes the adapters if the parameters are not full weights
 */
export async function publishWeights(
  objects: Pick<ObjectAccess, "put">,
  version: WeightsVersion,
  parameters: Parameters,
  shapes: ParameterShapes,
  options: { readonly leafBytes?: number; readonly adapters?: proto.WeightAdapters.$Properties } = {},
): Promise<proto.WeightManifest> {
  const { leafBytes = weightsLeafBytes, adapters } = options;
  const tensors: proto.WeightTensor.$Properties[] = [];
  let positionBytes = 0;
  const names = Object.keys(parameters).sort();
  for (const name of names) {
    const { length, byteLength } = entry(parameters, name);
    tensors.push({
      name,
      dtype: "float32",
      shape: [...(shapes[name] ?? [length])],
      shardIndex: Math.floor(positionBytes / leafBytes),
      offsetBytes: positionBytes % leafBytes,
      lengthBytes: byteLength,
    });
    positionBytes += byteLength;
  }
  const piecesOfShards = shardsOf(
    names.map((name) => entry(parameters, name)),
    leafBytes,
  );
  const shards: ObjectLocation[] = [];
  await severalAtOnce(piecesOfShards, async (pieces, index) => {
    const { objectId, sizeBytes } = await objects.put(pieces);
    shards[index] = { objectId, sizeBytes };
  });
  return proto.WeightManifest.create({
    ...version,
    weightsHash: hashOf(tensors, shards, leafBytes),
    tensors,
    shards,
    leafBytes,
    publishedAtMs: Date.now(),
    ...(adapters ? { adapters } : {}),
  });
}

/**
 * Loads the parameters of a manifest, verified against the published hash.
 * @param into arrays that are reused if they have the right size, which is faster than allocating new ones
 * @throws {PalimpsestError} OBJECT_LOST, CODEC if the manifest does not match its hash
 */
export async function fetchWeights(
  objects: Pick<ObjectAccess, "getInto">,
  manifest: proto.WeightManifest.$Properties,
  into: Parameters = {},
): Promise<Record<string, Float32Array>> {
  const shards = (manifest.shards ?? []).map(locationOf);
  const tensors = manifest.tensors ?? [];
  const leafBytes = manifest.leafBytes ?? 0;
  checkLayout(manifest, tensors, shards);
  const named = hashOf(tensors, shards, leafBytes);
  if (named !== manifest.weightsHash)
    throw damaged(
      manifest,
      `the hash of its tensors and shards is ${named}, but the published one is ${manifest.weightsHash}`,
    );
  const parameters: Record<string, Float32Array> = {};
  for (const { name, lengthBytes } of tensors) {
    const length = (lengthBytes ?? 0) / Float32Array.BYTES_PER_ELEMENT;
    const known = into[name ?? ""];
    parameters[name ?? ""] = known?.length === length ? known : new Float32Array(length);
  }
  const targets = shardsOf(Object.values(parameters), leafBytes);
  await severalAtOnce(shards, async (shard, index) => {
    await objects.getInto(shard, targets[index] ?? []);
  });
  return parameters;
}

/** Yields views of the tensors' concatenated bytes, cut into shards. */
function shardsOf(tensors: readonly Float32Array[], leafBytes: number): Uint8Array[][] {
  const shards: Uint8Array[][] = [];
  let filledBytes = leafBytes;
  for (const { buffer, byteOffset, byteLength } of tensors) {
    for (let at = 0; at < byteLength; ) {
      if (filledBytes === leafBytes) {
        shards.push([]);
        filledBytes = 0;
      }
      const takenBytes = Math.min(byteLength - at, leafBytes - filledBytes);
      shards.at(-1)?.push(new Uint8Array(buffer, byteOffset + at, takenBytes));
      at += takenBytes;
      filledBytes += takenBytes;
    }
  }
  return shards;
}

async function severalAtOnce<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const left = items.entries();
  const lane = async () => {
    for (const [index, item] of left) await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(shardsAtOnce, items.length) }, lane));
}

function hashOf(
  tensors: readonly proto.WeightTensor.$Properties[],
  shards: readonly ObjectLocation[],
  leafBytes: number,
): string {
  const named = tensors.map(({ name, lengthBytes }) => ({
    name: name ?? "",
    elements: (lengthBytes ?? 0) / Float32Array.BYTES_PER_ELEMENT,
  }));
  return hashOfLeaves(
    named,
    shards.map(({ objectId }) => objectId),
    leafBytes,
  );
}

/** Size of all tensors in bytes. */
export function weightsBytes({ shards }: proto.WeightManifest.$Properties): number {
  return (shards ?? []).reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
}

/** Checks that every tensor begins at the end of the previous one, and that the shards contain all of them and nothing else (PUBLISH-2). */
function checkLayout(
  manifest: proto.WeightManifest.$Properties,
  tensors: readonly proto.WeightTensor.$Properties[],
  shards: readonly ObjectLocation[],
): void {
  const leafBytes = manifest.leafBytes ?? 0;
  const shardsBytes = shards.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const uneven = shards.findIndex(
    ({ sizeBytes }, index) => sizeBytes !== Math.min(leafBytes, shardsBytes - index * leafBytes),
  );
  if (uneven >= 0)
    throw damaged(
      manifest,
      `shard ${uneven} has ${shards[uneven]?.sizeBytes} bytes, but all shards except the last must have leaf_bytes, ${leafBytes}`,
    );
  let position = 0;
  for (const { name, shape, lengthBytes = 0, offsetBytes = 0, shardIndex = 0 } of tensors) {
    const wantedBytes = 4 * sizeOf(shape ?? []);
    if (!name || lengthBytes !== wantedBytes)
      throw damaged(
        manifest,
        `tensor ${name} has ${lengthBytes} bytes for shape [${(shape ?? []).join(", ")}]`,
      );
    if ((shardIndex ?? 0) * leafBytes + (offsetBytes ?? 0) !== position)
      throw damaged(manifest, `tensor ${name} does not begin where the previous one ends`);
    position += lengthBytes;
  }
  if (position !== shardsBytes)
    throw damaged(manifest, `the tensors have ${position} bytes, but the shards ${shardsBytes}`);
}

function damaged(manifest: proto.WeightManifest.$Properties, what: string): PalimpsestError {
  return new PalimpsestError(
    "CODEC",
    `weights version ${manifest.policyVersion}: ${what}; these weights are damaged and are not loaded`,
  );
}
