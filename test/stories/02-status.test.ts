/** Tests what a person sees from another terminal while a run is in progress. */
import { join } from "node:path";
import type { ActorInfo, ClusterInfo, NodeInfo, QueueInfo } from "@palimpsest/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../support/processes.js";
import { writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";
import { until } from "../support/until.js";

interface Status {
  readonly head: ClusterInfo;
  readonly nodes: readonly NodeInfo[];
  readonly actors: readonly ActorInfo[];
  readonly queues: readonly QueueInfo[];
}

const groups = 4;

let cluster: TestCluster;
let run: TrainingRun;
let learner = 0;
let status: Status;
let text: string;

beforeAll(async () => {
  cluster = await TestCluster.start();
  const folder = await cluster.recipeFolder("status");
  const recipe = writeRecipe(folder, { steps: 2, groupsPerStep: groups });
  run = TrainingRun.start(cluster, recipe, join(folder, "run"));
  await run.until("training", () => run.driver.output.includes("phase: training"));
  learner = (await cluster.actors("learner"))[0]?.pid ?? 0;
  // A stopped learner keeps the run where it is, because its groups wait for it.
  process.kill(learner, "SIGSTOP");
  await run.until("every group of a step waits for the learner", async () => {
    const depth = (await cluster.client.queues()).find(({ name }) => name === `${run.runId}/groups`);
    return depth !== undefined && depth.waiting + depth.active === groups;
  });
  const end = await cluster.run(["status", "--json"]);
  expect(end.code, end.stderr).toBe(0);
  status = JSON.parse(end.stdout) as Status;
  text = (await cluster.run(["status"])).stdout;
}, 240_000);

afterAll(async () => {
  if (learner > 0 && isAlive(learner)) process.kill(learner, "SIGCONT");
  expect(await cluster?.stop()).toEqual([]);
});

test("the head and its Redis are shown with their processes, and no password", () => {
  expect(status.head.pid).toBe(cluster.head.pid);
  expect(isAlive(status.head.redisPid)).toBe(true);
  expect(JSON.stringify(status)).not.toContain("redis://");
  expect(JSON.stringify(status)).not.toContain(cluster.token);
});

test("the node is shown with its process and what is leased of it", () => {
  expect(status.nodes.map(({ pid, state }) => [pid, state])).toEqual([[cluster.workers[0]?.pid, "alive"]]);
  const [node] = status.nodes;
  expect(node?.total["cpu"]).toBe(4);
  // Two rollout actors and the learner take 0.5 each, and a reward actor takes 0.1.
  expect(node?.available["cpu"]).toBeCloseTo(4 - 1.6, 6);
});

test("two rollout actors, a reward actor and a learner are shown alive, each a process of its own", () => {
  const alive = status.actors.filter(({ state }) => state === "alive");
  expect(alive.map(({ role }) => role).sort()).toEqual(["learner", "reward", "rollout", "rollout"]);
  expect(new Set(alive.map(({ pid }) => pid)).size).toBe(4);
  const living = cluster.processes();
  for (const { pid, resources, metricsAddress } of alive) {
    expect(living).toContain(pid);
    expect(resources["cpu"]).toBeGreaterThan(0);
    expect(metricsAddress).toMatch(/^127\.0\.0\.1:\d+$/);
  }
});

test("the depths of the run's three queues are shown: the groups of the step are with the learner", () => {
  const names = status.queues.map(({ name }) => name);
  expect(names).toEqual(["rollouts", "rewards", "groups"].map((queue) => `${run.runId}/${queue}`));
  const depth = status.queues.find(({ name }) => name.endsWith("/groups"));
  expect((depth?.waiting ?? 0) + (depth?.active ?? 0)).toBe(groups);
  expect(status.queues.every(({ failed }) => failed === 0)).toBe(true);
});

test("without --json the same is a table for people", () => {
  for (const { pid, role } of status.actors) {
    expect(text).toMatch(new RegExp(`${role} .*alive .*${pid}`));
  }
  expect(text).toContain("1.6/4 cpu");
});

test("after the run nothing of it is left on the node", async () => {
  process.kill(learner, "SIGCONT");
  expect((await run.end()).code).toBe(0);
  await run.withQueues(async (queues) => expect((await queues.ledger.counts()).groups.outstanding).toBe(0));
  await until("all cpus are free again", async () => {
    const [node] = await cluster.client.nodes();
    return node?.available["cpu"] === 4;
  });
  expect(await cluster.client.actors()).toEqual([]);
});
