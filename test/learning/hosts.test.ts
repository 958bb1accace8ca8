/**
 * Learners of several replicas on several hosts, which are real processes on nodes of this machine and pass gradients over bulk
 * connections, held against one replica; one of them is killed.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { HostLearner } from "../../packages/learning/trainer/src/actors/host-learner.fixture.js";
import { oneThread, quickCompilation } from "../support/quick-compilation.js";
import { TestCluster } from "../support/test-cluster.js";
import { until } from "../support/until.js";

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 3, environment: { ...quickCompilation, ...oneThread } });
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

type Options = ConstructorParameters<typeof HostLearner>[2];

/** Starts a learner on each of `size` nodes. @param first options of rank 0 alone */
async function hosts(size: number, options: Options, first: Partial<Options> = {}) {
  const from = new URL("../../packages/learning/trainer/src/actors/host-learner.fixture.ts", import.meta.url);
  const resources = { cpu: 2.5 };
  const type = cluster.client.actor(HostLearner, { from }, { resources, maxRestarts: 0 });
  const ranks = await Promise.all(
    Array.from({ length: size }, (_, rank) =>
      type.spawn(rank, size, rank === 0 ? { ...options, ...first } : options),
    ),
  );
  const addresses = await Promise.all(ranks.map((rank) => rank.address()));
  await Promise.all(ranks.map((rank) => rank.join(ranks, addresses)));
  return { ranks, end: () => Promise.all(ranks.map((rank) => rank.kill())) };
}

async function train({ ranks }: Awaited<ReturnType<typeof hosts>>, steps: number): Promise<number[]> {
  const [losses = [], ...others] = await Promise.all(ranks.map((rank) => rank.train(steps)));
  for (const other of others) expect(other).toEqual(losses);
  expect(new Set(await Promise.all(ranks.map((rank) => rank.weightsHash()))).size).toBe(1);
  return losses;
}

const apart = (expected: readonly number[], got: readonly number[]) =>
  Math.max(...expected.map((loss, step) => Math.abs((got[step] ?? Number.NaN) / loss - 1)));

test("three hosts of two replicas have one replica's losses; a killed one ends the step on all, and two of three go on from the checkpoint to 20 steps (TOGETHER-2, RANKBULK-1, RANKBULK-2)", async () => {
  const alone = await hosts(1, { replicas: 1, optimizerState: "whole" });
  const expected = await train(alone, 20);
  await alone.end();
  expect(expected[19]).toBeLessThan((expected[0] ?? 0) / 2);

  const three = await hosts(3, { replicas: 2, optimizerState: "sharded" });
  const begun = await train(three, 8);
  const [first, second, third] = three.ranks;
  if (first === undefined || second === undefined || third === undefined)
    throw new Error("there are not three hosts");
  const checkpoint = await first.checkpoint();
  const pid = await second.pid();
  const going = Promise.allSettled(three.ranks.map((rank) => rank.train(100_000)));
  await until("more steps", async () => (await first.stepsDone()) > 9);
  process.kill(pid, "SIGKILL");
  const [left, killed, other] = await going;
  for (const end of [left, other])
    expect(end).toMatchObject({
      status: "rejected",
      reason: { message: expect.stringContaining("PEER_FAILED") },
    });
  expect(killed).toMatchObject({ status: "rejected", reason: { code: "ACTOR_DIED" } });
  for (const rank of [first, third]) {
    await expect(rank.train(1)).rejects.toThrow(/CLOSED/);
    await rank.kill();
  }

  // The other rank's host has no checkpoint, and there are other numbers of hosts and of replicas.
  const again = await hosts(2, { replicas: 3, optimizerState: "sharded" }, { checkpoint });
  const all = [...begun, ...(await train(again, 12))];
  expect(apart(expected, all)).toBeLessThan(1e-6);
  await again.end();
});
