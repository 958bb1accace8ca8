import { PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import type { ObjectRef } from "./object-ref.js";
import { lostObjectOf, TaskLineage, type TaskRecipe } from "./task-lineage.js";

const lost = new PalimpsestError("OBJECT_LOST", "object x cannot be had", { details: { objectId: "x" } });

/** Results that lie nowhere until they are made, and what was made in order. */
function scene(maxBytes = 1_000) {
  const there = new Set<string>();
  const made: string[] = [];
  const released: string[] = [];
  const lineage = new TaskLineage({
    maxBytes,
    isThere: async (objectId) => there.has(objectId),
    ensure: async (refs, recover) => {
      for (const ref of refs) if (!there.has(ref.objectId)) await recover(ref);
    },
  });
  const recipe = (objectId: string, over: Partial<TaskRecipe> = {}): TaskRecipe => ({
    ...{ name: `make-${objectId}`, sizeBytes: 100, argumentRefs: [], retriesLeft: 3 },
    run: async (resultId, retries) => {
      made.push(resultId);
      there.add(resultId);
      return retries;
    },
    release: () => void released.push(objectId),
    ...over,
  });
  return { lineage, recipe, there, made, released };
}

const refTo = (objectId: string) => ({ objectId }) as ObjectRef;

test("what a lost result was made of is made before it, once for all who wait (LINEAGE-2)", async () => {
  const { lineage, recipe, there, made } = scene();
  lineage.record("a", recipe("a"));
  lineage.record("b", recipe("b", { argumentRefs: [refTo("a")] }));
  lineage.record("c", recipe("c", { argumentRefs: [refTo("a"), refTo("b")] }));
  await Promise.all([lineage.recover("c", lost), lineage.recover("c", lost), lineage.recover("b", lost)]);
  expect(made).toEqual(["a", "b", "c"]);
  there.delete("b");
  await lineage.recover("c", lost);
  await lineage.recover("b", lost);
  expect(made).toEqual(["a", "b", "c", "b"]);
});

test("each time uses a retry, and so do attempts that were cut short (LINEAGE-3)", async () => {
  const { lineage, recipe, there, made } = scene();
  const cutShort = recipe("a", { run: async (_, retries) => retries - 1 });
  lineage.record("a", cutShort);
  await lineage.recover("a", lost);
  await lineage.recover("a", lost);
  await expect(lineage.recover("a", lost)).rejects.toThrow(
    "make-a, whose result it is, has used its retries",
  );
  lineage.record("b", recipe("b", { retriesLeft: 1 }));
  await lineage.recover("b", lost);
  there.delete("b");
  await expect(lineage.recover("b", lost)).rejects.toMatchObject({ code: "OBJECT_LOST", cause: lost });
  expect(made).toEqual(["b"]);
  await expect(lineage.recover("put", lost)).rejects.toThrow("only results of tasks are reconstructed");
});

test("what it keeps is bounded, the oldest goes first, and goes with the last reference (LINEAGE-1)", async () => {
  const { lineage, recipe, released } = scene(250);
  for (const objectId of ["a", "b", "c"]) lineage.record(objectId, recipe(objectId));
  expect([released, lineage.size, lineage.knows("a")]).toEqual([["a"], 2, false]);
  lineage.ended("b");
  lineage.record("d", recipe("d"));
  expect([released, lineage.knows("c")]).toEqual([["a", "b"], true]);
  lineage.record("huge", recipe("huge", { sizeBytes: 251 }));
  expect(lineage.size).toBe(0);
});

test("the object whose loss is the reason is found below what the task threw", () => {
  const thrown = new PalimpsestError("TASK_ERROR", "it threw", { cause: new Error("why", { cause: lost }) });
  expect([lostObjectOf(thrown), lostObjectOf(new Error("other"))]).toEqual(["x", undefined]);
});
