/**
 * Follows the life of one trajectory through real processes: task, rollout, score, update, publication. While the groups
 * of the step wait for the learner, it also looks at the run as a person does from another terminal.
 */
import { join } from "node:path";
import type { ActorInfo, ClusterInfo, NodeInfo, QueueInfo } from "@palimpsest/client";
import { readTraces, type Trace } from "@palimpsest/evals";
import { loadBackend } from "@palimpsest/jit";
import { hashWeights, loadModel, type ModelFolder, parameterShapes, tokenLogprobs } from "@palimpsest/model";
import type { RolloutActor } from "@palimpsest/trainer/actors";
import { decodeScore, decodeTrajectory, type Score, type Trajectory } from "@palimpsest/trajectories";
import * as proto from "@palimpsest/wire/protocol";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guessedValues } from "../support/guessing-base.js";
import { isAlive } from "../support/processes.js";
import { groupSize, writeRecipe } from "../support/recipe.js";
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
const episodes = groups * groupSize;

let cluster: TestCluster;
let base: ModelFolder;
let run: TrainingRun;
let sampled: readonly Trajectory[];
let scores: readonly Score[];
/** What `palimpsest status` says while every group of the step waits for the learner: as JSON, and for people. */
let status: Status;
let statusText: string;
/** The processes of the cluster at that time. */
let living: readonly number[];
/** The manifest of version 1, as it was announced to rollout actors. */
let announced: proto.WeightManifest;
let served: readonly { readonly policyVersion: number; readonly weightsHash: string }[];

/** Stops a process, so that the test sees the state in between, and then lets it continue. */
async function whileFrozen<T>(pid: number, look: () => Promise<T>): Promise<T> {
  process.kill(pid, "SIGSTOP");
  try {
    return await look();
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

/** The Redis user of runs may SCAN keys; it may not call KEYS, which blocks all clients. */
async function keysLike(redis: Redis, pattern: string): Promise<string[]> {
  const keys = new Set<string>();
  let cursor = "0";
  do {
    const [next, page] = await redis.scan(cursor, "MATCH", pattern, "COUNT", 1_000);
    for (const key of page) keys.add(key);
    cursor = next;
  } while (cursor !== "0");
  return [...keys];
}

/** Returns every trajectory of the run with its score, when all of them have both. */
async function scoredTrajectories(redis: Redis): Promise<readonly [Trajectory, Score][] | undefined> {
  const prefix = `{palimpsest-${run.runId}}`;
  const keys = await keysLike(redis, `${prefix}:trajectory:*`);
  if (keys.length < episodes) return undefined;
  const pairs: [Trajectory, Score][] = [];
  for (const key of keys.sort()) {
    const [, groupId = "", index = ""] = /([^:]+)\.(\d+)$/.exec(key) ?? [];
    const trajectory = await redis.getBuffer(key);
    const score = await redis.hgetBuffer(`${prefix}:group:${groupId}`, `s${index}`);
    if (!trajectory || !score) return undefined;
    pairs.push([decodeTrajectory(trajectory), decodeScore(score)]);
  }
  return pairs;
}

async function servedWeights() {
  const actors = await cluster.actors("rollout");
  return await Promise.all(
    actors.map(async ({ actorId }) => {
      const handle = await cluster.client.getActor<RolloutActor>({ actorId });
      const { policyVersion, weightsHash } = await handle.stats();
      return { policyVersion, weightsHash };
    }),
  );
}

beforeAll(async () => {
  cluster = await TestCluster.start();
  const folder = await cluster.recipeFolder("one");
  base = await loadModel(join(folder, "base"));
  const recipe = writeRecipe(folder, { steps: 1, groupsPerStep: groups, evaluationTasks: 64 });
  run = TrainingRun.start(cluster, recipe, join(folder, "run"));
  await run.until("the evaluation before training", () =>
    run.driver.output.includes("phase: evaluating before"),
  );
  const learner = (await cluster.actors("learner"))[0]?.pid ?? 0;
  const redis = new Redis((await cluster.client.info()).redisUrl);
  try {
    const pairs = await whileFrozen(learner, async () => {
      const scored = await run.until("every episode's score", () => scoredTrajectories(redis));
      await run.until("every group of the step waits for the learner", async () => {
        const depth = (await cluster.client.queues()).find(({ name }) => name === `${run.runId}/groups`);
        return depth !== undefined && depth.waiting + depth.active === groups;
      });
      const end = await cluster.run(["status", "--json"]);
      expect(end.code, end.stderr).toBe(0);
      status = JSON.parse(end.stdout) as Status;
      statusText = (await cluster.run(["status"])).stdout;
      living = cluster.processes();
      return scored;
    });
    sampled = pairs.map(([trajectory]) => trajectory);
    scores = pairs.map(([, score]) => score);
  } finally {
    redis.disconnect();
  }
  await run.untilStep(1);
  // The evaluation after training begins when the learner has reported its final version, and runs on version 1. The
  // stopped learner keeps the run from ending during the test's checks.
  await run.until("the evaluation after training", () =>
    run.driver.output.includes("phase: evaluating after"),
  );
  await whileFrozen(learner, async () => {
    announced = await run.withQueues(async (queues) =>
      proto.WeightManifest.decode((await queues.currentWeights()) ?? new Uint8Array()),
    );
    served = await run.until("version 1 in every rollout actor", async () => {
      const all = await servedWeights();
      return all.every(({ policyVersion }) => policyVersion === 1) && all;
    });
  });
});

afterAll(async () => {
  const end = await cluster?.run(["stop"]);
  expect(await cluster?.stop()).toEqual([]);
  expect(end?.stdout, end?.stderr).toBe("the cluster ends\n");
});

describe("a trajectory on the queues", () => {
  test("T1: every dispatched episode has one, under its group's id, with one score", () => {
    expect(sampled).toHaveLength(episodes);
    const ids = sampled.map(({ groupId, episodeIndex }) => `${groupId}.${episodeIndex}`);
    expect(new Set(ids).size).toBe(episodes);
    expect(sampled.map(({ trajectoryId }) => trajectoryId)).toEqual(ids);
    expect(new Set(sampled.map(({ groupId }) => groupId)).size).toBe(groups);
  });

  test("its conversations read the document chunk by chunk and end with the answer", () => {
    for (const { conversations, memorySteps, answer } of sampled) {
      expect(conversations.map(({ kind }) => kind)).toEqual([...memorySteps.map(() => "memory"), "final"]);
      memorySteps.forEach(({ documentTokenStart }, at) => {
        expect(documentTokenStart).toBe(memorySteps[at - 1]?.documentTokenEnd ?? 0);
      });
      const text = base.tokenizer
        ?.decode([...(conversations.at(-1)?.sampledTokenIds ?? [])])
        .replace("<|end|>", "");
      expect(text).toBe(answer);
    }
  });

  test("T3: its token ids are the ones that the weights sampled: they give each the recorded log-probability", async () => {
    const { tf } = await loadBackend({ prefer: "cpu" });
    const shapes = parameterShapes(base.config);
    const parameters = Object.fromEntries(
      Object.entries(base.parameters).map(([name, values]) => [
        name,
        tf.tensor(values, [...(shapes[name] ?? [])]),
      ]),
    );
    for (const { conversations } of sampled.slice(0, 2)) {
      for (const { promptTokenIds, sampledTokenIds, rolloutLogprobs } of conversations) {
        const ids = [...promptTokenIds, ...sampledTokenIds];
        const logprobs = tokenLogprobs(parameters, tf.tensor2d([ids], [1, ids.length], "int32"), base.config);
        const ofSampled = [...(await logprobs.data())].slice(promptTokenIds.length - 1);
        expect(ofSampled).toHaveLength(rolloutLogprobs.length);
        ofSampled.forEach((value, at) => {
          expect(value).toBeCloseTo(rolloutLogprobs[at] ?? Number.NaN, 4);
        });
      }
    }
  });

  test("T5: it names the weights that sampled it", () => {
    const hash = hashWeights(base.parameters);
    expect(sampled.map(({ weightsHash }) => weightsHash)).toEqual(sampled.map(() => hash));
    expect(sampled.every(({ policyVersionMax }) => policyVersionMax === 0)).toBe(true);
  });

  test("both rollout actors took their share", async () => {
    expect(new Set(sampled.map(({ actorId }) => actorId)).size).toBe(2);
  });

  test("its reward is 1 where the guess is right and 0 where it is not", () => {
    const rewards = scores.map(({ reward }) => reward);
    expect(new Set(rewards)).toEqual(new Set([0, 1]));
    sampled.forEach(({ answer }, at) => {
      const guessed = guessedValues.some((value) => answer.includes(`\\boxed{${value}}`));
      if (rewards[at] === 1) expect(guessed).toBe(true);
    });
  });
});

describe("the update", () => {
  test("T3: trains every sampled token, with the log-probabilities of the sampler", () => {
    const [step] = run.steps;
    const tokens = sampled.flatMap(({ conversations }) => conversations.map((c) => c.sampledTokenIds.length));
    expect(step?.update.tokens).toBe(tokens.reduce((sum, count) => sum + count, 0));
    expect(step?.update.freshTokens).toBe(step?.update.tokens);
    expect(step?.update.freshLogprobDifferenceMean).toBeLessThan(1e-4);
    expect(step?.update.trajectories).toBe(episodes);
    expect(step?.update.rewardMean).toBeCloseTo(
      scores.reduce((sum, { reward }) => sum + reward, 0) / episodes,
      6,
    );
  });

  test("raises the policy version and announces weights that differ", () => {
    expect(run.steps[0]?.policyVersion).toBe(1);
    expect(announced.policyVersion).toBe(1);
    expect(announced.weightsHash).not.toBe(hashWeights(base.parameters));
  });

  test("T5: every rollout actor serves the announced weights, and the saved model is them", async () => {
    expect(served).toEqual([1, 2].map(() => ({ policyVersion: 1, weightsHash: announced.weightsHash })));
    const end = await run.end();
    expect(end.code, end.stderr).toBe(0);
    const { parameters } = await loadModel(join(run.folder, "model"));
    expect(hashWeights(parameters)).toBe(announced.weightsHash);
  });

  test("the run keeps the step's trajectories as traces: question, every memory, reward", async () => {
    const traces: Trace[] = [];
    for await (const trace of readTraces(join(run.folder, "traces", "step-00000001.jsonl")))
      traces.push(trace);
    traces.sort((a, b) => (a.trajectoryId < b.trajectoryId ? -1 : 1));
    expect(traces.map(({ trajectoryId }) => trajectoryId)).toEqual(
      sampled.map(({ trajectoryId }) => trajectoryId),
    );
    traces.forEach((trace, at) => {
      expect(trace.origin).toBe("train");
      expect(trace.task.question).toMatch(/\?$/);
      expect(trace.task.answers.length).toBeGreaterThan(0);
      expect(trace.memorySteps.map(({ memory }) => memory)).toEqual(
        sampled[at]?.memorySteps.map(({ memory }) => memory),
      );
      expect(trace.reward?.total).toBe(scores[at]?.reward);
      expect(trace.conversations.at(-1)?.sampled).toContain(trace.answer);
    });
  });

  test("T1: the account is closed: every episode is trained, nothing is outstanding, no payload is left", async () => {
    await run.withQueues(async (queues) => {
      expect(await queues.ledger.counts()).toEqual({
        groups: { dispatched: groups, outstanding: 0, trained: groups, failed: 0 },
        episodes: { dispatched: episodes, trained: episodes, failed: 0, dropped: 0 },
        queuedBytes: 0,
      });
    });
  });
});

describe("what a person sees from another terminal while the groups wait for the learner", () => {
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
      expect(statusText).toMatch(new RegExp(`${role} .*alive .*${pid}`));
    }
    expect(statusText).toContain("1.6/4 cpu");
  });

  test("after the run nothing of it is left on the node", async () => {
    expect((await run.end()).code).toBe(0);
    await run.withQueues(async (queues) => expect((await queues.ledger.counts()).groups.outstanding).toBe(0));
    await until("all cpus are free again", async () => {
      const [node] = await cluster.client.nodes();
      return node?.available["cpu"] === 4;
    });
    expect(await cluster.client.actors()).toEqual([]);
  });
});
