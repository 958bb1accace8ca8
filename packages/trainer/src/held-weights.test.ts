import * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { HeldWeights } from "./held-weights.js";
import type { ObjectLocation } from "./weights.js";

const manifest = (policyVersion: number, ...objectIds: string[]) =>
  proto.WeightManifest.create({ policyVersion, shards: objectIds.map((objectId) => ({ objectId })) });

test("the two newest versions and the initial weights stay held, shards they share too", async () => {
  const released: string[] = [];
  const objects = {
    release: async (locations: readonly ObjectLocation[]) => {
      released.push(...locations.map(({ objectId }) => objectId));
    },
  };
  const held = new HeldWeights(objects, manifest(0, "zero"));
  await held.add(manifest(0, "zero"));
  await held.add(manifest(1, "one", "frozen"));
  await held.add(manifest(2, "two", "frozen"));
  expect(released).toEqual([]);
  await held.add(manifest(3, "three", "frozen"));
  expect(released).toEqual(["one"]);
  await held.add(manifest(4, "four"));
  await held.add(manifest(5, "five"));
  expect(released).toEqual(["one", "two", "three", "frozen"]);
});
