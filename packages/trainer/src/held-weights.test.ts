import * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { HeldWeights } from "./held-weights.js";

const manifest = (policyVersion: number, ...objectIds: string[]) =>
  proto.WeightManifest.create({ policyVersion, shards: objectIds.map((objectId) => ({ objectId })) });

test("the two newest versions and the initial weights stay, shards they share too", async () => {
  const deleted: string[] = [];
  const objects = {
    delete: async ({ objectId }: { readonly objectId: string }) => {
      deleted.push(objectId);
      return true;
    },
  };
  const held = new HeldWeights(objects, manifest(0, "zero"));
  await held.add(manifest(0, "zero"));
  await held.add(manifest(1, "one", "frozen"));
  await held.add(manifest(2, "two", "frozen"));
  expect(deleted).toEqual([]);
  await held.add(manifest(3, "three", "frozen"));
  expect(deleted).toEqual(["one"]);
  await held.add(manifest(4, "four"));
  await held.add(manifest(5, "five"));
  expect(deleted).toEqual(["one", "two", "three", "frozen"]);
});
