import * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { HeldWeights } from "./held-weights.js";
import type { ObjectLocation } from "./object-location.js";

const manifest = (policyVersion: number, ...objectIds: string[]) =>
  proto.WeightManifest.create({ policyVersion, shards: objectIds.map((objectId) => ({ objectId })) });

async function add(held: HeldWeights, added: proto.WeightManifest): Promise<void> {
  held.add(added);
  await held.settled();
}

test("the two newest versions and the initial weights stay held, shards they share too", async () => {
  const released: string[] = [];
  const objects = {
    release: async (locations: readonly ObjectLocation[]) => {
      released.push(...locations.map(({ objectId }) => objectId));
    },
  };
  const held = new HeldWeights(objects, manifest(0, "zero"), () => undefined);
  await add(held, manifest(0, "zero"));
  await add(held, manifest(1, "one", "frozen"));
  await add(held, manifest(2, "two", "frozen"));
  expect(released).toEqual([]);
  await add(held, manifest(3, "three", "frozen"));
  expect(released).toEqual(["one"]);
  await add(held, manifest(4, "four"));
  await add(held, manifest(5, "five"));
  expect(released).toEqual(["one", "two", "three", "frozen"]);
});

test("what cannot be let go now is let go with a later version, unless that has it too", async () => {
  const released: string[] = [];
  const late: unknown[] = [];
  let away = true;
  const objects = {
    release: async (locations: readonly ObjectLocation[]) => {
      if (away) throw new Error("the head is away");
      released.push(...locations.map(({ objectId }) => objectId));
    },
  };
  const held = new HeldWeights(objects, manifest(0), (reason) => late.push(reason));
  for (const version of [1, 2, 3, 4])
    await add(held, manifest(version, `only-${version}`, `of-${version % 3}`));
  expect(released).toEqual([]);
  expect(late).toHaveLength(2);
  away = false;
  await add(held, manifest(5, "only-5", "of-2"));
  expect(released).toEqual(["only-1", "only-2", "only-3", "of-0"]);
});
