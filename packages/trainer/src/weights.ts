import { hashWeights } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

// Weights travel as immutable objects named by their bytes; the manifest names them all and carries one hash
// over tensor names, sizes and bytes. Whoever loads a version proves that hash (T5).

const shardBytes = 64 * 1024 * 1024;

export interface ObjectLocation {
  readonly objectId: string;
  readonly sizeBytes: number;
  /** host:port of object stores that hold it. */
  readonly locations: readonly string[];
}

/** The part of an object store client that weights need. */
export interface ObjectAccess {
  put(bytes: Uint8Array): Promise<ObjectLocation>;
  get(location: ObjectLocation): Promise<Uint8Array>;
}

export type Parameters = Readonly<Record<string, Float32Array>>;
export type ParameterShapes = Readonly<Record<string, readonly number[]>>;

export interface WeightsVersion {
  readonly runId: string;
  readonly policyVersion: number;
}

/** Stores the parameters and returns the manifest that names this version. */
export async function publishWeights(
  objects: ObjectAccess,
  version: WeightsVersion,
  parameters: Parameters,
  shapes: ParameterShapes,
): Promise<proto.WeightManifest> {
  const names = Object.keys(parameters).sort();
  const tensors: proto.WeightTensor.$Properties[] = [];
  const pending: Uint8Array[][] = [[]];
  let offsetBytes = 0;
  for (const name of names) {
    const values = parameters[name] as Float32Array;
    if (offsetBytes > 0 && offsetBytes + values.byteLength > shardBytes) {
      pending.push([]);
      offsetBytes = 0;
    }
    tensors.push({
      name,
      dtype: "float32",
      shape: [...(shapes[name] ?? [values.length])],
      shardIndex: pending.length - 1,
      offsetBytes,
      lengthBytes: values.byteLength,
    });
    pending.at(-1)?.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    offsetBytes += values.byteLength;
  }
  const shards: proto.WeightShard.$Properties[] = [];
  for (const parts of pending) {
    const stored = await objects.put(Buffer.concat(parts));
    shards.push({ objectId: stored.objectId, sizeBytes: stored.sizeBytes, locations: [...stored.locations] });
  }
  return proto.WeightManifest.create({
    ...version,
    weightsHash: hashWeights(parameters),
    tensors,
    shards,
    publishedAtMs: Date.now(),
  });
}

/**
 * The parameters of a manifest, proved equal to what was published.
 * @throws {PalimpsestError} OBJECT_LOST, CODEC when the bytes are not the manifest's
 */
export async function fetchWeights(
  objects: ObjectAccess,
  manifest: proto.WeightManifest.$Properties,
): Promise<Record<string, Float32Array>> {
  const shards: Uint8Array[] = [];
  for (const shard of manifest.shards ?? []) {
    shards.push(
      await objects.get({
        objectId: shard.objectId ?? "",
        sizeBytes: shard.sizeBytes ?? 0,
        locations: shard.locations ?? [],
      }),
    );
  }
  const parameters: Record<string, Float32Array> = {};
  for (const tensor of manifest.tensors ?? []) {
    const shard = shards[tensor.shardIndex ?? 0];
    const start = tensor.offsetBytes ?? 0;
    const end = start + (tensor.lengthBytes ?? 0);
    if (!tensor.name || !shard || end > shard.byteLength) {
      throw new PalimpsestError(
        "CODEC",
        `weights version ${manifest.policyVersion}: tensor ${tensor.name} lies outside its shard`,
      );
    }
    // A copy of its own: shards arrive at any alignment, and a Buffer's slice would still be the shard.
    parameters[tensor.name] = new Float32Array(Uint8Array.from(shard.subarray(start, end)).buffer);
  }
  const hash = hashWeights(parameters);
  if (hash !== manifest.weightsHash) {
    throw new PalimpsestError(
      "CODEC",
      `weights version ${manifest.policyVersion} hash to ${hash}, not to the published ${manifest.weightsHash}; they are not loaded`,
    );
  }
  return parameters;
}
