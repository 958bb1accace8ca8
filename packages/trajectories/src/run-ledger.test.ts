import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunKeys, runKeys } from "./run-keys.js";
import { RunLedger, type Settlement } from "./run-ledger.js";
import { type RedisServer, startRedisServer } from "./testing/redis-server.js";

const epoch = 1;
let server: RedisServer;
let redis: Redis;
let keys: RunKeys;
let ledger: RunLedger;
let runs = 0;

async function newRun(): Promise<void> {
  runs += 1;
  keys = runKeys(`run-${runs}`);
  ledger = new RunLedger(redis, keys);
  await redis.set(keys.consumerEpoch, epoch);
}

function settlement(groupId: string, fields: Partial<Settlement> = {}): Settlement {
  return {
    groupId,
    outcome: "trained",
    trainedEpisodes: 4,
    droppedEpisodes: 0,
    failures: [],
    payloadKeys: [],
    ...fields,
  };
}

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
beforeEach(newRun);
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

describe("run ledger", () => {
  it("settles a group once, whatever is said later (L1, T1)", async () => {
    await ledger.claim([{ groupId: "a", groupSize: 4 }], 10);
    expect(await ledger.settle(settlement("a"), epoch)).toBe(true);
    expect(await ledger.settle(settlement("a"), epoch)).toBe(false);
    const failing = settlement("a", { outcome: "failed", reason: "STALE_POLICY" });
    expect(await ledger.settle(failing, epoch)).toBe(false);
    expect(await ledger.settle(settlement("never-claimed"), epoch)).toBe(false);
    expect(await ledger.counts()).toEqual({
      groups: { dispatched: 1, outstanding: 0, trained: 1, failed: 0 },
      episodes: { dispatched: 4, trained: 4, failed: 0, dropped: 0 },
    });
  });

  it("deletes payloads in the same instant as it settles, and only then", async () => {
    await ledger.claim([{ groupId: "a", groupSize: 4 }], 10);
    await redis.set(keys.task("a"), "bytes");
    const payloadKeys = [keys.task("a")];
    await expect(ledger.settle(settlement("a", { payloadKeys }), epoch + 1)).rejects.toThrow();
    expect(await redis.exists(keys.task("a"))).toBe(1);
    await ledger.settle(settlement("a", { payloadKeys }), epoch);
    expect(await redis.exists(keys.task("a"))).toBe(0);
  });

  it("tells a fenced-off consumer so and changes nothing (L4)", async () => {
    await ledger.claim([{ groupId: "a", groupSize: 4 }], 10);
    await redis.incr(keys.consumerEpoch);
    await expect(ledger.settle(settlement("a"), epoch)).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    expect(await ledger.state("a")).toBe("outstanding");
  });

  it("knows the state of each group and keeps why it failed", async () => {
    await ledger.claim(
      ["a", "b", "c"].map((groupId) => ({ groupId, groupSize: 4 })),
      10,
    );
    await ledger.settle(settlement("a"), epoch);
    const failure = { trajectoryId: "b.0", groupId: "b", stage: "rollout", message: "no" } as const;
    await ledger.settle(
      settlement("b", {
        outcome: "failed",
        reason: "BELOW_MIN_GROUP_SIZE",
        trainedEpisodes: 0,
        droppedEpisodes: 3,
        failures: [failure],
      }),
      epoch,
    );
    const states = await Promise.all(["a", "b", "c", "d"].map((groupId) => ledger.state(groupId)));
    expect(states).toEqual(["trained", "failed", "outstanding", undefined]);
    expect(await ledger.failedGroups()).toEqual({ b: "BELOW_MIN_GROUP_SIZE" });
    expect(await ledger.failures()).toEqual([failure]);
    expect(await ledger.outstanding()).toEqual(["c"]);
  });

  it("keeps its account in any order of claims, confirmations and settlements (L1, L2, L3)", async () => {
    const groupId = fc.constantFrom("a", "b", "c", "d", "e");
    const operation = fc.oneof(
      fc.record({ kind: fc.constant("claim" as const), groupId }),
      fc.record({ kind: fc.constant("confirm" as const), groupId }),
      fc.record({ kind: fc.constantFrom("trained" as const, "failed" as const), groupId }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 40 }), async (operations) => {
        await newRun();
        const model = new Map<string, "outstanding" | "trained" | "failed">();
        const outstanding = (): number =>
          [...model.values()].filter((state) => state === "outstanding").length;
        for (const { kind, groupId: id } of operations) {
          if (kind === "claim") {
            const [state] = await ledger.claim([{ groupId: id, groupSize: 2 }], 2);
            if (!model.has(id)) {
              expect(state).toBe(outstanding() >= 2 ? "full" : "claimed");
            }
            if (state === "claimed") {
              model.set(id, "outstanding");
            }
          } else if (kind === "confirm") {
            await ledger.confirm([id]);
          } else {
            const counted =
              kind === "trained" ? { trainedEpisodes: 2 } : { trainedEpisodes: 0, droppedEpisodes: 2 };
            const settled = await ledger.settle(settlement(id, { outcome: kind, ...counted }), epoch);
            expect(settled).toBe(model.get(id) === "outstanding");
            if (settled) {
              model.set(id, kind);
            }
          }
        }
        const count = (state: string): number =>
          [...model.values()].filter((other) => other === state).length;
        expect(await ledger.counts()).toEqual({
          groups: {
            dispatched: model.size,
            outstanding: count("outstanding"),
            trained: count("trained"),
            failed: count("failed"),
          },
          episodes: {
            dispatched: 2 * model.size,
            trained: 2 * count("trained"),
            failed: 0,
            dropped: 2 * count("failed"),
          },
        });
      }),
      { seed: 1, numRuns: 40 },
    );
  });
});
