import { roundToHalf, widenHalf } from "@palimpsest/jit";
import { type HeldParameters, hashWeights } from "@palimpsest/model";
import { expect, test } from "vitest";
import { memoryObjects } from "./memory-objects.fixture.js";
import {
  fetchFloats,
  fetchWeights,
  type ObjectAccess,
  publishTensors,
  publishWeights,
  WeightsFetch,
} from "./weights.js";

const parameters = { embedding: Float32Array.from([1, 2, 3, 4, 5, 6]), norm: Float32Array.from([0.5, -0.5]) };
const shapes = { embedding: [2, 3], norm: [2] };
const version = { runId: "run-1", policyVersion: 3 };

test("T5: loaded weights equal published weights, and the manifest carries their shapes", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes);
  expect(manifest.policyVersion).toBe(3);
  expect(manifest.tensors.map((tensor) => [tensor.name, tensor.shape])).toEqual([
    ["embedding", [2, 3]],
    ["norm", [2]],
  ]);
  expect(await fetchWeights(objects, manifest)).toEqual(parameters);
});

test("T5: one changed byte is refused by the store, another shard by the hash (PUBLISH-1)", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes);
  const other = await objects.put([new Uint8Array(32)]);
  await expect(fetchWeights(objects, { ...manifest, shards: [other] })).rejects.toThrowError(
    /version 3: the hash of its tensors and shards is .* but the published one is/,
  );
  for (const bytes of objects.held.values()) bytes[5] = (bytes[5] ?? 0) ^ 1;
  await expect(fetchWeights(objects, manifest)).rejects.toMatchObject({ code: "OBJECT_LOST" });
});

test("arrays of before are filled again where they fit", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes);
  const before = { embedding: new Float32Array(6), norm: new Float32Array(3) };
  const fetched = await fetchWeights(objects, manifest, before);
  expect(fetched).toEqual(parameters);
  expect([fetched["embedding"] === before.embedding, fetched["norm"] === before.norm]).toEqual([true, false]);
});

test("PUBLISH-2: a tensor goes on over several shards, and no shard is longer than asked", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes, { leafBytes: 12 });
  expect(manifest.shards.map((shard) => shard.sizeBytes)).toEqual([12, 12, 8]);
  expect(manifest.tensors.map(({ shardIndex, offsetBytes }) => [shardIndex, offsetBytes])).toEqual([
    [0, 0],
    [2, 0],
  ]);
  expect(await fetchWeights(objects, manifest)).toEqual(parameters);
});

test("PUBLISH-2: pieces are views of the parameters, not copies", async () => {
  const pieces: Uint8Array[] = [];
  const objects = memoryObjects();
  const watched: ObjectAccess = {
    getInto: objects.getInto,
    put: async (given) => {
      pieces.push(...given);
      return await objects.put(given);
    },
  };
  await publishWeights(watched, version, parameters, shapes, { leafBytes: 20 });
  const buffers = new Set<ArrayBufferLike>(Object.values(parameters).map((values) => values.buffer));
  expect(pieces.length).toBe(3);
  expect(pieces.every((piece) => buffers.has(piece.buffer))).toBe(true);
});

test("the published hash is that of the model's own weights; PUBLISH-3, LASTING-3: the same weights give the same objects", async () => {
  const objects = memoryObjects();
  const first = await publishWeights(objects, version, parameters, shapes);
  const again = await publishWeights(objects, { runId: "run-2", policyVersion: 9 }, parameters, shapes);
  expect(first.weightsHash).toBe(hashWeights(parameters));
  const small = await publishWeights(objects, version, parameters, shapes, { leafBytes: 12 });
  expect(small.weightsHash).toBe(hashWeights(parameters, 12));
  expect(small.weightsHash).not.toBe(first.weightsHash);
  expect(again.shards).toEqual(first.shards);
});

test("a manifest whose tensors do not fill its shards is refused before anything is fetched", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes);
  const none: Pick<ObjectAccess, "getInto"> = { getInto: () => Promise.reject(new Error("fetched")) };
  const shorter = { ...manifest, tensors: manifest.tensors.slice(1) };
  await expect(fetchWeights(none, shorter)).rejects.toThrowError(
    /does not begin where the previous one ends/,
  );
  const [tensor, ...rest] = manifest.tensors;
  const wrong = { ...manifest, tensors: [{ ...tensor, shape: [3, 3] }, ...rest] };
  await expect(fetchWeights(none, wrong)).rejects.toThrowError(
    /tensor embedding has 24 bytes for shape \[3, 3\]/,
  );
  const [shard, ...shards] = manifest.shards;
  const uneven = {
    ...manifest,
    shards: [{ ...shard, sizeBytes: 16 }, { ...shard, sizeBytes: 16 }, ...shards],
  };
  await expect(fetchWeights(none, uneven)).rejects.toThrowError(/shard 0 has 16 bytes/);
});

const mixed: HeldParameters = { embedding: roundToHalf(parameters.embedding), norm: parameters.norm };

test("PUBLISH-4: tensors in bfloat16 travel beside float32 ones, are named in the manifest and covered by its hash", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, mixed, shapes, { leafBytes: 8 });
  expect(manifest.tensors.map(({ dtype, lengthBytes }) => [dtype, lengthBytes])).toEqual([
    ["bfloat16", 12],
    ["float32", 8],
  ]);
  expect(manifest.weightsHash).toBe(hashWeights(mixed, 8));
  expect(await fetchWeights(objects, manifest)).toEqual(mixed);
  expect(await fetchFloats(objects, manifest)).toEqual({
    embedding: widenHalf(roundToHalf(parameters.embedding)),
    norm: parameters.norm,
  });
  const [first, ...rest] = manifest.tensors;
  for (const [dtype, said] of [
    ["float32", /tensor embedding has 12 bytes for shape \[2, 3\] of float32/],
    ["float16", /tensor embedding has the type "float16", not float32 or bfloat16/],
  ] as const)
    await expect(
      fetchWeights(objects, { ...manifest, tensors: [{ ...first, dtype }, ...rest] }),
    ).rejects.toThrow(said);
  // The same bytes under another type of as many bytes are other weights.
  const asFloats = [{ ...first, dtype: "float32", shape: [3] }, ...rest];
  await expect(fetchWeights(objects, { ...manifest, tensors: asFloats })).rejects.toThrow(
    /the hash of its tensors/,
  );
});

test("PUBLISH-4: arrays of before are filled again only where their type fits, too", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, mixed, shapes);
  const before = { embedding: new Uint16Array(6), norm: new Float32Array(2) };
  const again = await fetchWeights(objects, manifest, before);
  expect([again["embedding"] === before.embedding, again["norm"] === before.norm]).toEqual([true, true]);
  const float = { embedding: new Float32Array(6) };
  expect(await fetchWeights(objects, manifest, float)).toEqual(mixed);
});

test("PUBLISH-2: values are asked for when a shard needs them", async () => {
  const asked: number[] = [];
  let put = 0;
  const objects: Pick<ObjectAccess, "put"> = {
    put: async (pieces) => {
      put++;
      await new Promise(setImmediate);
      return { objectId: `${put}`, sizeBytes: pieces.reduce((sum, { byteLength }) => sum + byteLength, 0) };
    },
  };
  const pieces = function* () {
    for (let piece = 0; piece < 40; piece++) {
      asked.push(put);
      yield new Uint16Array(4);
    }
  };
  const tensor = { name: "large", shape: [40, 4], dtype: "bfloat16" as const, pieces };
  const manifest = await publishTensors(objects, version, [tensor], { leafBytes: 8 });
  expect(manifest.shards).toHaveLength(40);
  expect(asked.every((stored, piece) => piece - stored <= 12)).toBe(true);
});

test("PUBLISH-2: memory of pieces is used again once all of a piece is stored, and not before", async () => {
  const objects = memoryObjects();
  const buffers: ArrayBufferLike[] = [];
  const held: string[] = [];
  const slow: Pick<ObjectAccess, "put"> = {
    put: async (given) => {
      // What is stored must still be there after its shard was asked for.
      await new Promise(setImmediate);
      held.push(Buffer.concat(given).toString("hex"));
      return await objects.put(given);
    },
  };
  const count = 40;
  const pieces = function* (take = (values: number): Uint16Array => new Uint16Array(values)) {
    for (let piece = 0; piece < count; piece++) {
      const bits = take(5).fill(piece + 1);
      buffers.push(bits.buffer);
      yield bits;
    }
  };
  const tensor = { name: "large", shape: [count, 5], dtype: "bfloat16" as const, pieces };
  const manifest = await publishTensors(slow, version, [tensor], { leafBytes: 16 });
  const { large } = await fetchWeights(objects, manifest);
  expect(large).toEqual(Uint16Array.from({ length: 5 * count }, (_, at) => Math.floor(at / 5) + 1));
  expect(new Set(buffers).size).toBeLessThan(24);
  expect(held).toHaveLength(25);
});

test("PUBLISH-6: shards are fetched while others are stored, once each, and count only under the published hash", async () => {
  const objects = memoryObjects();
  const fetched: string[] = [];
  let [fails, failures] = [true, 0];
  const watched: Pick<ObjectAccess, "getInto"> = {
    getInto: async (location, targets) => {
      fetched.push(location.objectId);
      if (fails) {
        failures++;
        throw new Error("not now");
      }
      await objects.getInto(location, targets);
    },
  };
  const before = { embedding: new Float32Array(6), norm: new Float32Array(2) };
  const fetch = new WeightsFetch(watched, before);
  const told: number[] = [];
  const manifest = await publishWeights(objects, version, parameters, shapes, {
    leafBytes: 8,
    onStored: async (stored) => {
      expect(stored.weightsHash).toBe("");
      told.push(stored.shards.filter(({ objectId }) => objectId !== "").length);
      await fetch.more(stored);
      fails = false;
    },
  });
  expect(told[0]).toBeGreaterThan(0);
  expect(await fetch.finish(manifest)).toEqual(parameters);
  expect((await fetch.finish(manifest))["embedding"]).toBe(before.embedding);
  // What failed is fetched again, and the others once.
  expect(failures).toBeGreaterThan(0);
  expect(fetched.length).toBe(manifest.shards.length + failures);
  const other = new WeightsFetch(objects);
  await other.more({ ...manifest, weightsHash: "" });
  await expect(other.finish({ ...manifest, weightsHash: "0".repeat(64) })).rejects.toThrow(
    /the hash of its tensors/,
  );
});

test("PUBLISH-6: what a publisher stored that died is replaced by what the next one stores", async () => {
  const objects = memoryObjects();
  const options = { leafBytes: 8 };
  const first = await publishWeights(
    objects,
    version,
    { ...parameters, norm: new Float32Array(2) },
    shapes,
    options,
  );
  const second = await publishWeights(objects, version, parameters, shapes, options);
  const fetch = new WeightsFetch(objects);
  await Promise.all([fetch.more({ ...first, weightsHash: "" }), fetch.more({ ...second, weightsHash: "" })]);
  expect(await fetch.finish(second)).toEqual(parameters);
});
