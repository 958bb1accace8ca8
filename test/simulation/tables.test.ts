import { expect, test } from "vitest";
import { alive } from "../../packages/runtime/head/src/testing/alive-actor.js";
import { TestPlane } from "../../packages/runtime/head/src/testing/plane.js";
import { checkTables } from "./invariants/tables.js";
import type { World } from "./world/world.js";

/** Returns the violations that the check finds in a head's tables. */
function broken(head: TestPlane): string[] {
  const found: string[] = [];
  const records = { actors: new Map(), violation: (invariant: string) => void found.push(invariant) };
  checkTables({ head: { plane: head.plane }, records, settings: { shares: false } } as unknown as World);
  return found;
}

test("the lease of an actor that was killed and forgotten counts until its node says that the process has ended (ACTOR-3, NODE-2)", async () => {
  const head = await TestPlane.open({ maxDeadActors: 0 });
  const node = await alive(head, "x");
  await head.plane.lifecycle.kill("x", { noRestart: true, reason: "it was killed by a client" });
  expect(head.plane.actors.get("x")).toBeUndefined();
  expect(head.plane.nodes.get("a")?.available).toEqual({ cpu: 3 });
  expect(broken(head)).toEqual([]);
  node.died("x", 1);
  expect(head.plane.nodes.get("a")?.available).toEqual({ cpu: 4 });
  expect(broken(head)).toEqual([]);
  // The check finds a lease of a known actor whose resources differ from what the actor needs.
  await alive(head, "y");
  head.plane.nodes.reserve("a", "actor/y#1", { cpu: 2 });
  expect(broken(head)).toEqual(["NODE-2"]);
});
