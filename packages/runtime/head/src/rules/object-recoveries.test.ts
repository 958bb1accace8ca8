import { expect, test } from "vitest";
import type { HolderState } from "../tables/object-holders.js";
import { ManualClock } from "../testing/manual-clock.js";
import { ObjectRecoveries } from "./object-recoveries.js";

const objectId = "ab".repeat(20);

/** Wishes that reach the nodes, of an owner in that state. */
function recoveries(state: HolderState) {
  const clock = new ManualClock();
  const wishes: { nodeId: string; requestId: string }[] = [];
  const table = new ObjectRecoveries({
    nodes: {
      all: () => [{ nodeId: "node-1" }, { nodeId: "node-2" }] as never,
      send: (nodeId, { recoverObject }) => {
        wishes.push({ nodeId, requestId: recoverObject?.requestId ?? "" });
        return true;
      },
    },
    stateOf: () => state,
    clock,
  });
  return { table, wishes, clock };
}

test("a wish reaches every node and is answered once, by the owner or when its time is up (OBJECTRECOVERY-1)", async () => {
  const { table, wishes, clock } = recoveries("alive");
  const made = table.recover(objectId, "session-1", 1_000);
  expect(wishes.map(({ nodeId }) => nodeId)).toEqual(["node-1", "node-2"]);
  const [{ requestId } = { requestId: "" }] = wishes;
  table.answered({ requestId });
  table.answered({ requestId, error: { code: "OBJECT_LOST" } });
  expect(await made).toEqual({ answered: true, ownerLives: true });
  const failed = table.recover(objectId, "session-1", 1_000);
  table.answered({ requestId: wishes.at(-1)?.requestId ?? "", error: { code: "OBJECT_LOST" } });
  expect(await failed).toMatchObject({ answered: true, error: { code: "OBJECT_LOST" } });
  const late = table.recover(objectId, "session-1", 1_000);
  await clock.advance(1_000);
  expect(await late).toEqual({ answered: false, ownerLives: true });
});

test("an owner that has ended is not asked, and one that nobody knows yet is (OBJECTRECOVERY-1)", async () => {
  const ended = recoveries("ended");
  const answer = await ended.table.recover(objectId, "session-1", 1_000);
  expect(answer).toMatchObject({ answered: true, error: { code: "OBJECT_LOST" } });
  expect(ended.wishes).toEqual([]);
  const unknown = recoveries("unknown");
  const waiting = unknown.table.recover(objectId, "session-1", 1_000);
  await unknown.clock.advance(1_000);
  expect(await waiting).toEqual({ answered: false, ownerLives: false });
  expect(unknown.wishes).toHaveLength(2);
});

test("no more than 10,000 wishes wait at once (OBJECTRECOVERY-1)", async () => {
  const { table, clock } = recoveries("alive");
  const waiting = Array.from({ length: 10_000 }, () => table.recover(objectId, "session-1", 1_000));
  await expect(table.recover(objectId, "session-1", 1_000)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await clock.advance(1_000);
  await Promise.all(waiting);
  const next = table.recover(objectId, "session-1", 1_000);
  await clock.advance(1_000);
  expect((await next).answered).toBe(false);
});
