/**
 * Responsibility: weights as immutable objects: a manifest names them all and carries one hash over names, sizes and bytes.
 * Not responsible for: who is told of a version, and who keeps its objects.
 *
 * W1 (T5). Loaded weights have the hash that was published, or they are not loaded: the manifest's hash is one of the names
 *     of its shards, and what a store gives under a name has that hash. A node hashes a shard once, when it is written
 *     or arrives; the actors of its machine read what was proved.
 * W2. Tensors lie one after another, in the order of their names, over shards of one size: no host holds more than
 *     the parameters themselves.
 * W3. The same weights give the same objects.
 */
import { sizeOf } from "@palimpsest/jit";
import { hashOfLeaves, weightsLeafBytes } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { locationOf, type ObjectLocation } from "./object-location.js";

/** Shards on their way at once: one is written while others are hashed. */
const shardsAtOnce = 3;

/** The part of an object store client that weights need. */
export interface ObjectAccess {
  /** Pieces are stored as one object, without being joined in memory. */
  put(pieces: readonly Uint8Array[]): Promise<ObjectLocation>;
  /** Fills the targets one after another. @throws {PalimpsestError} OBJECT_LOST when the bytes are not the object's */
  getInto(location: ObjectLocation, targets: readonly Uint8Array[]): Promise<void>;
}

export type Parameters = Readonly<Record<string, Float32Array>>;
export type ParameterShapes = Readonly<Record<string, readonly number[]>>;

export interface WeightsVersion {
  readonly runId: string;
  readonly policyVersion: number;
}

/**
 * Stores the parameters and returns the manifest that names this version. They must not change meanwhile.
 * @param options.leafBytes size of the shards, which is part of the hash
 * @param options.adapters what they are where they are not whole weights
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
    const { length, byteLength } = parameters[name] as Float32Array;
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
    names.map((name) => parameters[name] as Float32Array),
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
 * The parameters of a manifest, proved equal to what was published.
 * @param into arrays that are filled where they have the right size: faster than new ones
 * @throws {PalimpsestError} OBJECT_LOST, CODEC when the manifest is not what its hash says
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
      `its tensors and shards hash to ${named}, not to the published ${manifest.weightsHash}`,
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

/** Views of the tensors' bytes, one after another, cut into shards. */
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

/** Bytes of all tensors. */
export function weightsBytes({ shards }: proto.WeightManifest.$Properties): number {
  return (shards ?? []).reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
}

/** Every tensor begins where the one before ended, and the shards hold all of them and no more (W2). */
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
      `shard ${uneven} has ${shards[uneven]?.sizeBytes} bytes, and all but the last have leaf_bytes, which is ${leafBytes}`,
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
      throw damaged(manifest, `tensor ${name} does not begin where the one before it ends`);
    position += lengthBytes;
  }
  if (position !== shardsBytes)
    throw damaged(manifest, `tensors of ${position} bytes in shards of ${shardsBytes}`);
}

function damaged(manifest: proto.WeightManifest.$Properties, what: string): PalimpsestError {
  return new PalimpsestError(
    "CODEC",
    `weights version ${manifest.policyVersion}: ${what}; they are not loaded`,
  );
}
