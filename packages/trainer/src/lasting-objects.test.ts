import { PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { holdLasting, keepLasting } from "./lasting-objects.js";
import type { ObjectLocation } from "./weights.js";

const tokenizer: ObjectLocation = { objectId: "tokenizer", sizeBytes: 1, locations: ["gone:1"] };
const weights: ObjectLocation = { objectId: "weights", sizeBytes: 1, locations: ["gone:1"] };

function listOf(...addresses: string[]) {
  const listed = new Set(addresses);
  return {
    listed,
    all: async () => [...listed],
    add: async (address: string) => void listed.add(address),
    remove: async (address: string) => void listed.delete(address),
  };
}

/** A node at "here:1" that can fetch from nodes which hold everything. */
function nodeThatReaches(holding: ReadonlySet<string>) {
  return {
    fetch: async (location: ObjectLocation) => {
      if (!location.locations.some((address) => holding.has(address)))
        throw new PalimpsestError("OBJECT_LOST", `${location.objectId} cannot be had`);
      return { ...location, locations: ["here:1", ...location.locations] };
    },
  };
}

test("O1: an actor's node fetches from a node that the references do not name, and is listed then", async () => {
  const holders = listOf("other:1");
  await holdLasting(nodeThatReaches(new Set(["other:1"])), holders, [tokenizer, weights]);
  expect([...holders.listed]).toEqual(["other:1", "here:1"]);
});

test("O2: where nobody has them the actor strikes the list off and waits until the driver has brought them again", async () => {
  const holding = new Set<string>();
  const holders = listOf("stale:1");
  const held = holdLasting(nodeThatReaches(holding), holders, [tokenizer, weights]);
  const alive = new Set(["stale:1", "new:1"]);
  const bring = async () => {
    holding.add("new:1");
    return { locations: ["new:1"] };
  };
  expect(await keepLasting(holders, alive, bring)).toBe(false);
  await expect.poll(() => [...holders.listed]).toEqual([]);
  expect(await keepLasting(holders, alive, bring)).toBe(true);
  await held;
  expect([...holders.listed]).toEqual(["new:1", "here:1"]);
});

test("O2: nodes that are gone are struck off; while one is left nothing is brought", async () => {
  const holders = listOf("gone:1", "left:1");
  const bring = () => Promise.reject(new Error("brought"));
  expect(await keepLasting(holders, new Set(["left:1"]), bring)).toBe(false);
  expect([...holders.listed]).toEqual(["left:1"]);
});

test("without a living node there is nowhere to bring anything", async () => {
  const holders = listOf("gone:1");
  expect(await keepLasting(holders, new Set(), () => Promise.reject(new Error("brought")))).toBe(false);
  expect([...holders.listed]).toEqual([]);
});

test("an actor that waits in vain says what is lost; an aborted one stops waiting", async () => {
  const nobody = nodeThatReaches(new Set());
  await expect(holdLasting(nobody, listOf(), [tokenizer], { timeoutMs: 0 })).rejects.toThrowError(
    /tokenizer cannot be had/,
  );
  const signal = AbortSignal.abort(new Error("the actor stops"));
  await expect(holdLasting(nobody, listOf(), [tokenizer], { signal })).rejects.toThrowError(/abort/);
});
