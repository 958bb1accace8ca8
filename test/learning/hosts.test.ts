/**
 * Learners of several replicas on several hosts, which are real processes on nodes of this machine and pass gradients over bulk
 * connections, held against one replica; one of them is killed.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { HostLearner } from "../../packages/learning/trainer/src/actors/host-learner.fixture.js";
import { quickCompilation } from "../support/quick-compilation.js";
import { TestCluster } from "../support/test-cluster.js";
import { until } from "../support/until.js";

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 3, environment: quickCompilation });
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

test("two and three hosts of two replicas have one replica's losses over 20 steps; a killed one ends the step on all, and they go on from the checkpoint (TOGETHER-2, RANKBULK-1, RANKBULK-2)", async () => {
  const alone = await hosts(1, { replicas: 1, optimizerState: "whole" });
  const expected = await train(alone, 20);
  await alone.end();
  expect(expected[19]).toBeLessThan((expected[0] ?? 0) / 2);

  const three = await hosts(3, { replicas: 2, optimizerState: "sharded" });
  expect(apart(expected, await train(three, 20))).toBeLessThan(1e-6);
  await three.end();

  const two = await hosts(2, { replicas: 2, optimizerState: "sharded" });
  const begun = await train(two, 8);
  const [first, second] = two.ranks;
  if (first === undefined || second === undefined) throw new Error("there are not two hosts");
  const checkpoint = await first.checkpoint();
  const pid = await second.pid();
  const going = Promise.allSettled(two.ranks.map((rank) => rank.train(100_000)));
  await until("more steps", async () => (await first.stepsDone()) > 9);
  process.kill(pid, "SIGKILL");
  const [left, killed] = await going;
  expect(left).toMatchObject({
    status: "rejected",
    reason: { message: expect.stringContaining("PEER_FAILED") },
  });
  expect(killed).toMatchObject({ status: "rejected", reason: { code: "ACTOR_DIED" } });
  await expect(first.train(1)).rejects.toThrow(/CLOSED/);
  await first.kill();

  // The other rank's host has no checkpoint, and here each has another number of replicas.
  const again = await hosts(2, { replicas: 3, optimizerState: "sharded" }, { checkpoint });
  const all = [...begun, ...(await train(again, 12))];
  expect(apart(expected, all)).toBeLessThan(1e-6);
  await again.end();
});
