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
 * PUBLISH-4. A tensor is float32 or, where every sampler rounds it anyway, bfloat16; the manifest says which, and its hash covers that.
 * PUBLISH-5. Where the publisher has found all values finite, the manifest says so, and no sampler looks for others.
 * PUBLISH-6. Shards may be fetched while others are still stored, but what was fetched counts only where the manifest with the hash
 *   names it. A publisher that dies leaves arrays that the next one fills.
 */
import { entry, sizeOf, widenHalf } from "@palimpsest/jit";
import type { PublishedTensor } from "@palimpsest/learner";
import { type HeldParameters, hashOfLeaves, weightsLeafBytes } from "@palimpsest/model";
import { inLanes } from "@palimpsest/std";
import { PalimpsestError, pageBeginBytes } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { locationOf, type ObjectLocation } from "./object-location.js";

/** Number of shards in flight: some are written while others are hashed, and a thread that reads from a device lets each wait at every step. */
const shardsAtOnce = 12;

/** The types that weights are stored in, with the sizes of their values in bytes. */
const arrays = { float32: Float32Array, bfloat16: Uint16Array } as const;

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
 */
export async function publishWeights(
  objects: Pick<ObjectAccess, "put">,
  version: WeightsVersion,
  parameters: HeldParameters,
  shapes: ParameterShapes,
  options: PublishOptions = {},
): Promise<proto.WeightManifest> {
  const names = Object.keys(parameters).sort();
  const tensors = names.map((name) => {
    const values = entry(parameters, name);
    const dtype = values instanceof Float32Array ? ("float32" as const) : ("bfloat16" as const);
    return { name, shape: shapes[name] ?? [values.length], dtype, pieces: () => [values] };
  });
  return await publishTensors(objects, version, tensors, options);
}

export interface PublishOptions {
  /** Size of the shards, which is part of the hash. */
  readonly leafBytes?: number;
  /** Describes the adapters if the tensors are not full weights. */
  readonly adapters?: proto.WeightAdapters.$Properties;
  /** Whether all values are known to be finite. Default false. */
  readonly isFinite?: boolean;
  /**
   * Called with what is stored as shards are: a manifest without a hash, whose other shards have no id. It is called again when it has
   * resolved and more is stored.
   */
  readonly onStored?: (manifest: proto.WeightManifest) => Promise<void>;
}

/**
 * Does the same for tensors in the order of their names, whose values are read one shard at a time, while shards before it are written.
 */
export async function publishTensors(
  objects: Pick<ObjectAccess, "put">,
  version: WeightsVersion,
  given: readonly PublishedTensor[],
  options: PublishOptions = {},
): Promise<proto.WeightManifest> {
  const { leafBytes = weightsLeafBytes, adapters } = options;
  const tensors: proto.WeightTensor.$Properties[] = [];
  let positionBytes = 0;
  for (const { name, shape, dtype } of given) {
    const lengthBytes = sizeOf(shape) * arrays[dtype].BYTES_PER_ELEMENT;
    tensors.push({
      name,
      dtype,
      shape: [...shape],
      shardIndex: Math.floor(positionBytes / leafBytes),
      offsetBytes: positionBytes % leafBytes,
      lengthBytes,
    });
    positionBytes += lengthBytes;
  }
  const shards: ObjectLocation[] = Array.from(
    { length: Math.ceil(positionBytes / leafBytes) },
    (_, index) => ({ objectId: "", sizeBytes: Math.min(leafBytes, positionBytes - index * leafBytes) }),
  );
  const manifest = (weightsHash: string) =>
    proto.WeightManifest.create({
      ...version,
      weightsHash,
      tensors,
      shards: [...shards],
      leafBytes,
      publishedAtMs: Date.now(),
      isFinite: options.isFinite ?? false,
      ...(adapters ? { adapters } : {}),
    });
  const memory = new PieceMemory();
  const tell = latestOnly(async () => await options.onStored?.(manifest("")));
  let next = 0;
  await inLanes(shardsOf(piecesOf(given, memory), leafBytes), { lanes: shardsAtOnce }, async (pieces) => {
    const index = next++;
    const { objectId, sizeBytes } = await objects.put(pieces);
    shards[index] = { objectId, sizeBytes };
    memory.release(pieces);
    tell();
  });
  return manifest(hashOf(tensors, shards, leafBytes));
}

/** Returns a function that begins the work, or has it begin once more after the present one. */
function latestOnly(work: () => Promise<void>): () => void {
  let [running, again] = [false, false];
  const run = async () => {
    running = true;
    do {
      again = false;
      // Whoever is not told gets everything with the announcement.
      await work().catch(() => undefined);
    } while (again);
    running = false;
  };
  return () => {
    again = true;
    if (!running) void run();
  };
}

/**
 * Memory that pieces are read into, and that is used again when all shards with a part of a piece are stored: new memory costs more than
 * the reading. It is shared, so that threads copy it into the store's files while this one reads the next piece.
 */
class PieceMemory {
  readonly #free: SharedArrayBuffer[] = [];
  /** Bytes of each buffer that are not stored. */
  readonly #leftBytes = new Map<ArrayBufferLike, number>();

  take(values: number): Uint16Array {
    const bytes = values * Uint16Array.BYTES_PER_ELEMENT;
    const fits = this.#free.findIndex(({ byteLength }) => byteLength >= bytes);
    const [found] = fits < 0 ? [] : this.#free.splice(fits, 1);
    // Rounded up, because pieces differ a little in size.
    const buffer = found ?? new SharedArrayBuffer(Math.ceil(bytes / 2 ** 20) * 2 ** 20);
    this.#leftBytes.set(buffer, bytes);
    return new Uint16Array(buffer, 0, values);
  }

  release(parts: readonly Uint8Array[]): void {
    for (const { buffer, byteLength } of parts) {
      const left = this.#leftBytes.get(buffer);
      if (left === undefined) continue;
      this.#leftBytes.set(buffer, left - byteLength);
      if (left > byteLength || !(buffer instanceof SharedArrayBuffer)) continue;
      this.#leftBytes.delete(buffer);
      this.#free.push(buffer);
    }
  }
}

/**
 * Loads the parameters of a manifest, verified against the published hash.
 * @param into arrays that are reused if they have the right size, which is faster than allocating new ones
 * @throws {PalimpsestError} OBJECT_LOST, CODEC if the manifest does not match its hash
 */
export async function fetchWeights(
  objects: Pick<ObjectAccess, "getInto">,
  manifest: proto.WeightManifest.$Properties,
  into: HeldParameters = {},
): Promise<Record<string, Float32Array | Uint16Array>> {
  return await new WeightsFetch(objects, into).finish(manifest);
}

/** Arrays of one layout, and which shards are in them. */
interface Place {
  /** Names and types of the tensors, and the size of shards. */
  readonly layout: string;
  readonly arrays: Record<string, Float32Array | Uint16Array>;
  readonly targets: readonly Uint8Array[][];
  /** The ids of shards whose bytes are all there, by index. */
  readonly fetched: Map<number, string>;
  /** The ids of shards that are being fetched or were. */
  readonly begun: Map<number, string>;
}

/** A version's weights on their way into arrays: shards are fetched as they are told, before the manifest that they must match (PUBLISH-6). */
export class WeightsFetch {
  readonly #objects: Pick<ObjectAccess, "getInto">;
  readonly #into: HeldParameters;
  #place: Place | undefined;
  #fetching: Promise<void> = Promise.resolve();
  #isRewritten = false;

  /** @param into arrays that are reused if they have the right size */
  constructor(objects: Pick<ObjectAccess, "getInto">, into: HeldParameters = {}) {
    this.#objects = objects;
    this.#into = into;
  }

  /**
   * Fetches what a manifest without a hash names and is not fetched yet. What fails is fetched again by `finish`.
   * @throws {PalimpsestError} CODEC
   */
  async more(manifest: proto.WeightManifest.$Properties): Promise<void> {
    const shards = checkedShards(manifest);
    const place = this.#placeOf(manifest);
    const { begun, fetched } = place;
    const fresh = [...shards.entries()].filter(
      ([index, { objectId }]) => objectId !== "" && begun.get(index) !== objectId,
    );
    const replaced = new Set(fresh.flatMap(([index]) => (begun.has(index) ? [index] : [])));
    for (const [index, { objectId }] of fresh) begun.set(index, objectId);
    const before = this.#fetching;
    const fetching = inLanes(fresh, { lanes: shardsAtOnce }, async ([index, shard]) => {
      if (replaced.has(index)) {
        await before;
        if (fetched.delete(index)) this.#isRewritten = true;
      }
      await this.#fetch(place, index, shard).catch(() => undefined);
    });
    this.#fetching = Promise.all([before, fetching]).then(() => undefined);
    await fetching;
  }

  /** Fetches the rest. @throws {PalimpsestError} OBJECT_LOST, CODEC if the manifest does not match its hash */
  async finish(
    manifest: proto.WeightManifest.$Properties,
  ): Promise<Record<string, Float32Array | Uint16Array>> {
    await this.#fetching;
    const shards = checkedShards(manifest);
    const named = hashOf(manifest.tensors ?? [], shards, manifest.leafBytes ?? 0);
    if (named !== manifest.weightsHash)
      throw damaged(
        manifest,
        `the hash of its tensors and shards is ${named}, but the published one is ${manifest.weightsHash}`,
      );
    const place = this.#placeOf(manifest);
    const missing = [...shards.entries()].filter(
      ([index, { objectId }]) => place.fetched.get(index) !== objectId,
    );
    if (missing.some(([index]) => place.fetched.has(index))) this.#isRewritten = true;
    // What is told after this is not fetched again.
    for (const [index, { objectId }] of missing) place.begun.set(index, objectId);
    await inLanes(missing, { lanes: shardsAtOnce }, ([index, shard]) => this.#fetch(place, index, shard));
    return place.arrays;
  }

  /** Whether values changed that were there before. */
  get isRewritten(): boolean {
    return this.#isRewritten;
  }

  /** The arrays, and the names of those of a manifest whose values are there, as far as its shards tell; undefined before the first of them. */
  there(manifest: proto.WeightManifest.$Properties) {
    if (this.#place === undefined) return undefined;
    const { arrays: parameters, fetched } = this.#place;
    const isThere = ({ shardIndex, offsetBytes, lengthBytes }: proto.WeightTensor.$Properties) => {
      const shards = Math.ceil(((offsetBytes ?? 0) + (lengthBytes ?? 0)) / (manifest.leafBytes ?? 1));
      return Array.from({ length: shards }, (_, at) => (shardIndex ?? 0) + at).every((at) => fetched.has(at));
    };
    const names = (manifest.tensors ?? []).flatMap((tensor) => (isThere(tensor) ? [tensor.name ?? ""] : []));
    return { parameters, names };
  }

  /** Resolves with its arrays when nothing is being written into them. */
  async arrays(): Promise<HeldParameters> {
    await this.#fetching;
    return this.#place?.arrays ?? this.#into;
  }

  async #fetch({ targets, fetched }: Place, index: number, shard: ObjectLocation): Promise<void> {
    await this.#objects.getInto(shard, targets[index] ?? []);
    fetched.set(index, shard.objectId);
  }

  #placeOf(manifest: proto.WeightManifest.$Properties): Place {
    const tensors = manifest.tensors ?? [];
    const leafBytes = manifest.leafBytes ?? 0;
    const layout = JSON.stringify([leafBytes, tensors.map(({ name, dtype, shape }) => [name, dtype, shape])]);
    if (this.#place?.layout === layout) return this.#place;
    // Shards of another layout may still be on their way into its arrays.
    const into = this.#place === undefined ? this.#into : {};
    const made: Record<string, Float32Array | Uint16Array> = {};
    const isOneType = tensors.every(({ dtype }) => dtype === tensors[0]?.dtype);
    // One buffer from a page on, into which a node of this machine maps shards instead of copying them.
    const whole =
      isOneType && Object.keys(into).length === 0
        ? new ArrayBuffer(
            pageBeginBytes + tensors.reduce((sum, { lengthBytes }) => sum + (lengthBytes ?? 0), 0),
          )
        : undefined;
    let at = pageBeginBytes;
    for (const { name: given, dtype, shape } of tensors) {
      const name = given ?? "";
      const ValuesOf = arrays[dtype === "bfloat16" ? "bfloat16" : "float32"];
      const length = sizeOf(shape ?? []);
      const known = into[name];
      if (known instanceof ValuesOf && known.length === length) made[name] = known;
      else made[name] = whole === undefined ? new ValuesOf(length) : new ValuesOf(whole, at, length);
      at += length * ValuesOf.BYTES_PER_ELEMENT;
    }
    const targets = [...shardsOf(Object.values(made), leafBytes)];
    this.#place = { layout, arrays: made, targets, fetched: new Map(), begun: new Map() };
    return this.#place;
  }
}

function checkedShards(manifest: proto.WeightManifest.$Properties): readonly ObjectLocation[] {
  const shards = (manifest.shards ?? []).map(locationOf);
  checkLayout(manifest, manifest.tensors ?? [], shards);
  return shards;
}

/**
 * Loads the parameters of a manifest in float32, for those that compute in it: what is stored in bfloat16 is widened.
 * @param into as in `fetchWeights`
 * @throws {PalimpsestError} as `fetchWeights`
 */
export async function fetchFloats(
  objects: Pick<ObjectAccess, "getInto">,
  manifest: proto.WeightManifest.$Properties,
  into: HeldParameters = {},
): Promise<Record<string, Float32Array>> {
  return widened(await fetchWeights(objects, manifest, into));
}

export function widened(parameters: HeldParameters): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, values]) => [
      name,
      values instanceof Float32Array ? values : widenHalf(values),
    ]),
  );
}

function* piecesOf(
  tensors: readonly PublishedTensor[],
  memory: PieceMemory,
): Generator<Float32Array | Uint16Array> {
  for (const { pieces } of tensors) yield* pieces((values) => memory.take(values));
}

/** Yields views of the concatenated bytes of values, cut into shards; values are asked for when a shard needs them. */
function* shardsOf(values: Iterable<Float32Array | Uint16Array>, leafBytes: number): Generator<Uint8Array[]> {
  let shard: Uint8Array[] = [];
  let filledBytes = 0;
  for (const { buffer, byteOffset, byteLength } of values) {
    for (let at = 0; at < byteLength; ) {
      const takenBytes = Math.min(byteLength - at, leafBytes - filledBytes);
      shard.push(new Uint8Array(buffer, byteOffset + at, takenBytes));
      at += takenBytes;
      filledBytes += takenBytes;
      if (filledBytes < leafBytes) continue;
      yield shard;
      shard = [];
      filledBytes = 0;
    }
  }
  if (filledBytes > 0) yield shard;
}

function hashOf(
  tensors: readonly proto.WeightTensor.$Properties[],
  shards: readonly ObjectLocation[],
  leafBytes: number,
): string {
  const named = tensors.map(({ name, dtype, shape }) => ({
    name: name ?? "",
    dtype: dtype ?? "",
    elements: sizeOf(shape ?? []),
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
  for (const { name, dtype = "", shape, lengthBytes = 0, offsetBytes = 0, shardIndex = 0 } of tensors) {
    if (dtype !== "float32" && dtype !== "bfloat16")
      throw damaged(manifest, `tensor ${name} has the type "${dtype}", not float32 or bfloat16`);
    const wantedBytes = arrays[dtype].BYTES_PER_ELEMENT * sizeOf(shape ?? []);
    if (!name || lengthBytes !== wantedBytes)
      throw damaged(
        manifest,
        `tensor ${name} has ${lengthBytes} bytes for shape [${(shape ?? []).join(", ")}] of ${dtype}`,
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
