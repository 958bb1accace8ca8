import { PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { holdLasting, keepLasting } from "./lasting-objects.js";
import type { ObjectLocation } from "./object-location.js";

const tokenizer: ObjectLocation = { objectId: "tokenizer", sizeBytes: 1 };
const weights: ObjectLocation = { objectId: "weights", sizeBytes: 1 };

/** A cluster whose nodes have some objects, and a node of it that holds what it is asked to. */
function clusterWith(...objectIds: string[]) {
  const there = new Set(objectIds);
  const held: string[] = [];
  return {
    there,
    held,
    hold: async ({ objectId }: ObjectLocation) => {
      if (!there.has(objectId)) throw new PalimpsestError("OBJECT_LOST", `${objectId} cannot be had`);
      held.push(objectId);
    },
    missing: async (wanted: readonly ObjectLocation[]) =>
      wanted.filter(({ objectId }) => !there.has(objectId)),
  };
}

test("LASTING-1: an actor's node holds all of them", async () => {
  const cluster = clusterWith("tokenizer", "weights");
  await holdLasting(cluster, [tokenizer, weights]);
  expect(cluster.held).toEqual(["tokenizer", "weights"]);
});

test("LASTING-2: an actor waits for what is nowhere until the driver, at its next look, has brought it again", async () => {
  const cluster = clusterWith("tokenizer");
  const holding = holdLasting(cluster, [tokenizer, weights]);
  const bring = async () => void cluster.there.add("weights");
  expect(await keepLasting([tokenizer, weights], cluster.missing, bring)).toBe(true);
  await holding;
  expect(cluster.held).toContain("weights");
});

test("LASTING-2: nothing is brought while every object is on some node", async () => {
  const cluster = clusterWith("tokenizer", "weights");
  const bring = () => Promise.reject(new Error("brought"));
  expect(await keepLasting([tokenizer, weights], cluster.missing, bring)).toBe(false);
});

test("an actor that waits in vain says what is lost; an aborted one stops waiting", async () => {
  const nobody = clusterWith();
  await expect(holdLasting(nobody, [tokenizer], { timeoutMs: 0 })).rejects.toThrowError(
    /tokenizer cannot be had/,
  );
  const signal = AbortSignal.abort(new Error("the actor stops"));
  await expect(holdLasting(nobody, [tokenizer], { signal })).rejects.toThrowError("the actor stops");
});
