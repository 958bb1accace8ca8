import { createHash } from "node:crypto";
import { hashWeights } from "@palimpsest/model";
import { expect, test } from "vitest";
import { fetchWeights, type ObjectAccess, type ObjectLocation, publishWeights } from "./weights.js";

function memoryObjects(): ObjectAccess & { readonly held: Map<string, Uint8Array> } {
  const held = new Map<string, Uint8Array>();
  return {
    held,
    put: async (pieces) => {
      const bytes = Buffer.concat(pieces);
      const objectId = createHash("sha256").update(bytes).digest("hex");
      // As stores give them: inside a larger buffer, at an odd place.
      held.set(objectId, Buffer.concat([Buffer.from([7]), bytes]).subarray(1));
      return { objectId, sizeBytes: bytes.byteLength };
    },
    get: async (location: ObjectLocation) => held.get(location.objectId) ?? new Uint8Array(),
  };
}

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

test("T5: one changed byte is refused with both hashes", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes);
  for (const bytes of objects.held.values()) bytes[5] = (bytes[5] ?? 0) ^ 1;
  await expect(fetchWeights(objects, manifest)).rejects.toThrowError(
    /version 3: they hash to .* not to the published/,
  );
});

test("W2: a tensor goes on over several shards, and no shard is longer than asked", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes, { shardBytes: 12 });
  expect(manifest.shards.map((shard) => shard.sizeBytes)).toEqual([12, 12, 8]);
  expect(manifest.tensors.map(({ shardIndex, offsetBytes }) => [shardIndex, offsetBytes])).toEqual([
    [0, 0],
    [2, 0],
  ]);
  expect(await fetchWeights(objects, manifest)).toEqual(parameters);
});

test("W2: pieces are views of the parameters, not copies", async () => {
  const pieces: Uint8Array[] = [];
  const objects = memoryObjects();
  const watched: ObjectAccess = {
    get: objects.get,
    put: async (given) => {
      pieces.push(...given);
      return await objects.put(given);
    },
  };
  await publishWeights(watched, version, parameters, shapes, { shardBytes: 20 });
  const buffers = new Set<ArrayBufferLike>(Object.values(parameters).map((values) => values.buffer));
  expect(pieces.length).toBe(3);
  expect(pieces.every((piece) => buffers.has(piece.buffer))).toBe(true);
});

test("the published hash is that of the model's own weights; W3: the same weights give the same objects", async () => {
  const objects = memoryObjects();
  const first = await publishWeights(objects, version, parameters, shapes);
  const again = await publishWeights(objects, { runId: "run-2", policyVersion: 9 }, parameters, shapes);
  expect(first.weightsHash).toBe(hashWeights(parameters));
  expect(again.shards).toEqual(first.shards);
});

test("a torn shard is refused", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes);
  for (const [id, bytes] of objects.held) objects.held.set(id, bytes.slice(0, 8));
  await expect(fetchWeights(objects, manifest)).rejects.toThrowError(/arrived empty|hash to/);
});

test("a manifest whose tensors do not fill its shards is refused before anything is fetched", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes);
  const none: Pick<ObjectAccess, "get"> = { get: () => Promise.reject(new Error("fetched")) };
  const shorter = { ...manifest, tensors: manifest.tensors.slice(1) };
  await expect(fetchWeights(none, shorter)).rejects.toThrowError(
    /does not begin where the one before it ends/,
  );
  const [tensor, ...rest] = manifest.tensors;
  const wrong = { ...manifest, tensors: [{ ...tensor, shape: [3, 3] }, ...rest] };
  await expect(fetchWeights(none, wrong)).rejects.toThrowError(
    /tensor embedding has 24 bytes for shape \[3, 3\]/,
  );
});
