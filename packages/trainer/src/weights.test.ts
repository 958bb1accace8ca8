import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { fetchWeights, type ObjectAccess, type ObjectLocation, publishWeights } from "./weights.js";

function memoryObjects(): ObjectAccess & { readonly held: Map<string, Uint8Array> } {
  const held = new Map<string, Uint8Array>();
  return {
    held,
    put: async (bytes) => {
      const objectId = createHash("sha256").update(bytes).digest("hex");
      // As stores give them: inside a larger buffer, at an odd place.
      held.set(objectId, Buffer.concat([Buffer.from([7]), bytes]).subarray(1));
      return { objectId, sizeBytes: bytes.byteLength, locations: ["here"] };
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
    /version 3 hash to .* not to the published/,
  );
});

test("a torn shard is refused before anything is loaded", async () => {
  const objects = memoryObjects();
  const manifest = await publishWeights(objects, version, parameters, shapes);
  for (const [id, bytes] of objects.held) objects.held.set(id, bytes.slice(0, 10));
  await expect(fetchWeights(objects, manifest)).rejects.toThrowError(/lies outside its shard/);
});
