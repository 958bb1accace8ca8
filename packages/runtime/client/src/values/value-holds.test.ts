import { expect, test } from "vitest";
import type { RefStore } from "../base/object-ref.js";
import { ValueHolds } from "./value-holds.js";

const store: RefStore = { get: () => Promise.reject(new Error("not read here")), release: () => undefined };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("what was received is settled when the node holds it, also while ever more is received (CALLVALUES-1)", async () => {
  /** Orders that the node has not answered, the oldest first. */
  const asked: { readonly objectIds: readonly string[]; readonly held: () => void }[] = [];
  const holds = new ValueHolds({
    hold: (objectIds) => new Promise((held) => asked.push({ objectIds, held })),
    letGo: () => undefined,
    ended: () => undefined,
  });
  const kept = [holds.received("first", 1, store)];
  let settled = false;
  const first = holds.settled().then(() => {
    settled = true;
  });
  // The node always has one order more than it has answered.
  for (let number = 0; number < 10; number++) {
    await turn();
    kept.push(holds.received(`next ${number}`, 1, store));
    await turn();
    if (number === 0) expect(settled).toBe(false);
    asked.shift()?.held();
  }
  expect(settled).toBe(true);
  await first;
  expect(holds.isHolding).toBe(true);
  for (const { held } of asked) held();
  await holds.settled();
  expect(holds.isHolding).toBe(false);
  expect(kept).toHaveLength(11);
});
