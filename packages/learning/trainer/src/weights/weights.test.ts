import { hashWeights } from "@palimpsest/model";
import { expect, test } from "vitest";
import { memoryObjects } from "./memory-objects.fixture.js";
import { fetchWeights, type ObjectAccess, publishWeights } from "./weights.js";

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
