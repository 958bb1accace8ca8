/**
 * Job: weights as immutable objects: a manifest names them all and carries one hash over names, sizes and bytes.
 * Not its job: who is told of a version, and who keeps its objects.
 *
 * W1 (T5). Loaded weights have the hash that was published, or they are not loaded.
 * W2. Tensors lie one after another, in the order of their names, over shards of one size: no host holds more than
 *     the parameters themselves and one shard.
 * W3. The same weights give the same objects.
 */
import { openWeightsHash } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

const defaultShardBytes = 64 * 1024 * 1024;

export interface ObjectLocation {
  readonly objectId: string;
  readonly sizeBytes: number;
}

/** The part of an object store client that weights need. */
export interface ObjectAccess {
  /** Pieces are stored as one object, without being joined in memory. */
  put(pieces: readonly Uint8Array[]): Promise<ObjectLocation>;
  get(location: ObjectLocation): Promise<Uint8Array>;
}

export type Parameters = Readonly<Record<string, Float32Array>>;
export type ParameterShapes = Readonly<Record<string, readonly number[]>>;

export interface WeightsVersion {
  readonly runId: string;
  readonly policyVersion: number;
}

/**
 * Stores the parameters and returns the manifest that names this version.
 * @param options.adapters what they are where they are not whole weights
 */
export async function publishWeights(
  objects: Pick<ObjectAccess, "put">,
  version: WeightsVersion,
  parameters: Parameters,
  shapes: ParameterShapes,
  options: { readonly shardBytes?: number; readonly adapters?: proto.WeightAdapters.$Properties } = {},
): Promise<proto.WeightManifest> {
  const { shardBytes = defaultShardBytes, adapters } = options;
  const tensors: proto.WeightTensor.$Properties[] = [];
  const shards: proto.WeightShard.$Properties[] = [];
  const hash = openWeightsHash();
  let pieces: Uint8Array[] = [];
  let filledBytes = 0;
  const flush = async () => {
    if (filledBytes === 0) return;
    const { objectId, sizeBytes } = await objects.put(pieces);
    shards.push({ objectId, sizeBytes });
    pieces = [];
    filledBytes = 0;
  };
  for (const name of Object.keys(parameters).sort()) {
    const values = parameters[name] as Float32Array;
    tensors.push({
      name,
      dtype: "float32",
      shape: [...(shapes[name] ?? [values.length])],
      shardIndex: shards.length,
      offsetBytes: filledBytes,
      lengthBytes: values.byteLength,
    });
    hash.begin(name, values.length);
    for (let at = 0; at < values.byteLength; ) {
      const takenBytes = Math.min(values.byteLength - at, shardBytes - filledBytes);
      const piece = new Uint8Array(values.buffer, values.byteOffset + at, takenBytes);
      hash.update(piece);
      pieces.push(piece);
      at += takenBytes;
      filledBytes += takenBytes;
      if (filledBytes === shardBytes) await flush();
    }
  }
  await flush();
  return proto.WeightManifest.create({
    ...version,
    weightsHash: hash.digest(),
    tensors,
    shards,
    publishedAtMs: Date.now(),
    ...(adapters ? { adapters } : {}),
  });
}

/**
 * The parameters of a manifest, proved equal to what was published.
 * @throws {PalimpsestError} OBJECT_LOST, CODEC when the bytes are not the manifest's
 */
export async function fetchWeights(
  objects: Pick<ObjectAccess, "get">,
  manifest: proto.WeightManifest.$Properties,
): Promise<Record<string, Float32Array>> {
  const shards = manifest.shards ?? [];
  const tensors = manifest.tensors ?? [];
  checkLayout(manifest, tensors, shards);
  const hash = openWeightsHash();
  const parameters: Record<string, Float32Array> = {};
  let bytes: Uint8Array = new Uint8Array();
  let nextShard = 0;
  for (const tensor of tensors) {
    const name = tensor.name ?? "";
    const values = new Float32Array((tensor.lengthBytes ?? 0) / Float32Array.BYTES_PER_ELEMENT);
    const target = new Uint8Array(values.buffer);
    hash.begin(name, values.length);
    for (let at = 0; at < target.byteLength; ) {
      if (bytes.byteLength === 0) {
        bytes = await objects.get(locationOf(shards[nextShard++] ?? {}));
        // A store that gave no bytes would be asked for ever.
        if (bytes.byteLength === 0) throw damaged(manifest, "a shard arrived empty");
      }
      const piece = bytes.subarray(0, target.byteLength - at);
      target.set(piece, at);
      hash.update(piece);
      at += piece.byteLength;
      bytes = bytes.subarray(piece.byteLength);
    }
    parameters[name] = values;
  }
  const arrived = hash.digest();
  if (arrived === manifest.weightsHash) return parameters;
  throw damaged(manifest, `they hash to ${arrived}, not to the published ${manifest.weightsHash}`);
}

export function locationOf(shard: proto.WeightShard.$Properties): ObjectLocation {
  return { objectId: shard.objectId ?? "", sizeBytes: shard.sizeBytes ?? 0 };
}

/** Bytes of all tensors. */
export function sizeOf({ shards }: proto.WeightManifest.$Properties): number {
  return (shards ?? []).reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
}

/** Every tensor begins where the one before ended, and the shards hold all of them and no more (W2). */
function checkLayout(
  manifest: proto.WeightManifest.$Properties,
  tensors: readonly proto.WeightTensor.$Properties[],
  shards: readonly proto.WeightShard.$Properties[],
): void {
  const starts: number[] = [];
  let shardsBytes = 0;
  for (const { sizeBytes } of shards) {
    starts.push(shardsBytes);
    shardsBytes += sizeBytes ?? 0;
  }
  let position = 0;
  for (const { name, shape, lengthBytes = 0, offsetBytes = 0, shardIndex = 0 } of tensors) {
    const wantedBytes = (shape ?? []).reduce((product, size) => product * size, 4);
    if (!name || lengthBytes !== wantedBytes)
      throw damaged(
        manifest,
        `tensor ${name} has ${lengthBytes} bytes for shape [${(shape ?? []).join(", ")}]`,
      );
    // A tensor at the very end of a shard may be named as the start of the next.
    if ((starts[shardIndex ?? 0] ?? shardsBytes) + (offsetBytes ?? 0) !== position)
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
