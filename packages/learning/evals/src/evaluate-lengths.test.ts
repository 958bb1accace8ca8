import type { Agent } from "@palimpsest/agents";
import { oracleReply } from "@palimpsest/agents/testing";
import { rewardConfigSchema, type ScoredEpisode, trajectoryReward } from "@palimpsest/rewards";
import { rulerTaskStream, rulerTasks } from "@palimpsest/small-world";
import { describe, expect, it } from "vitest";
import { compareEvaluations } from "./compare.js";
import { evaluateAgent, rewardedSystem, scriptedAgent } from "./evaluate-lengths.fixture.js";
import { evaluateLengths } from "./evaluate-lengths.js";

const reward = trajectoryReward(rewardConfigSchema.parse({ name: "boxed-exact-match" }));
const lengths = [32, 64, 256];
const tasksByLength = lengths.map((lengthTokens) => ({
  lengthTokens,
  tasks: rulerTasks({ kind: "mixed", count: 40, lengthTokens, seed: lengthTokens }),
}));
const shortest = tasksByLength.slice(0, 1);

/** Builds an agent with the given `run`, for what no sampler would do. */
const agentOf = (run: Agent["run"]): Agent => ({ name: "test", run });

describe("evaluateLengths", () => {
  it("finds that a perfect reader solves every needle and two-hop task at every length", async () => {
    const { lengths: results } = await evaluateAgent(scriptedAgent(oracleReply), reward, tasksByLength);
    expect(
      results.map((result) => [result.lengthTokens, result.n, result.exactMatch, result.failures]),
    ).toEqual(lengths.map((length) => [length, 40, 1, 0]));
    for (const result of results) {
      expect(result.documentTokens).toBe(40 * result.lengthTokens);
      expect(result.conversations).toBe(40 * (result.lengthTokens / 16 + 1));
      expect(result.exactMatchInterval?.low).toBeCloseTo(0.9124, 4);
      expect(result.meanReward).toBe(1);
    }
  });

  it("finds that a sampler that says nothing solves none", async () => {
    const { lengths: results } = await evaluateAgent(
      scriptedAgent(() => ""),
      reward,
      tasksByLength,
    );
    expect(results.map((result) => result.exactMatch)).toEqual([0, 0, 0]);
    expect(results.map((result) => result.sampledTokens)).toEqual(
      results.map((result) => result.conversations),
    );
  });

  it("counts failed episodes, and failures of the reward, as wrong and says why", async () => {
    const good = scriptedAgent(oracleReply);
    let calls = 0;
    const agent = agentOf((task, options) =>
      calls++ % 4 === 0 ? Promise.reject(new Error("sampler lost")) : good.run(task, options),
    );
    const {
      lengths: [first],
    } = await evaluateAgent(agent, reward, shortest);
    expect(first).toMatchObject({ n: 40, failures: 10, exactMatch: 0.75, meanReward: 0.75 });
    expect(first?.outcomes.filter((outcome) => outcome.failure === "sampler lost")).toHaveLength(10);
    const broken = await evaluateAgent(good, () => Promise.reject(new Error("no judge")), shortest);
    expect(broken.lengths[0]).toMatchObject({ failures: 40, exactMatch: null, meanReward: 0 });
  });

  it("has the reward see the whole record, as in training", async () => {
    const seen: ScoredEpisode[] = [];
    const looking = trajectoryReward(rewardConfigSchema.parse({ name: "boxed-exact-match" }));
    await evaluateAgent(
      scriptedAgent(oracleReply),
      async (task, episode, options) => {
        seen.push(episode);
        return await looking(task, episode, options);
      },
      shortest,
    );
    expect(seen).toHaveLength(40);
    for (const { memorySteps, conversations } of seen) {
      expect(memorySteps).toHaveLength(2);
      expect(conversations.map(({ kind }) => kind)).toEqual(["memory", "memory", "final"]);
    }
  });

  it("calls exact match only what a reward calls so", async () => {
    const steps = await evaluateAgent(
      scriptedAgent(oracleReply),
      (_, { memorySteps }) => ({ reward: memorySteps.length, components: { steps: memorySteps.length } }),
      shortest,
    );
    expect(steps.lengths[0]).toMatchObject({ exactMatch: null, exactMatchInterval: null, meanReward: 2 });
    expect(steps.lengths[0]?.outcomes[0]?.correct).toBeNull();
    const silent = await evaluateAgent(
      scriptedAgent(() => ""),
      () => ({ reward: 0.5, components: {} }),
      shortest,
    );
    // An episode without an answer may have earned its reward otherwise, such as by what it did to a store.
    expect(silent.lengths[0]?.meanReward).toBe(0.5);
  });

  it("reads streamed documents piece by piece", async () => {
    const tasks = [...rulerTaskStream({ kind: "two-hop", count: 10, lengthTokens: 512 })];
    const [result] = await evaluateLengths({
      suite: "test",
      system: rewardedSystem(scriptedAgent(oracleReply), reward),
      lengths: [
        {
          lengthTokens: 512,
          items: () =>
            tasks.map(({ pieces, ...task }) => ({
              ...task,
              group: 512,
              document: { fingerprint: task.id, open: pieces },
            })),
        },
      ],
      seed: 0,
    });
    expect(result).toMatchObject({ exactMatch: 1, documentTokens: 5120 });
  });

  it("refuses a length without tasks", async () => {
    const none = evaluateAgent(scriptedAgent(oracleReply), reward, [{ lengthTokens: 64, tasks: [] }]);
    await expect(none).rejects.toThrow("items: is empty");
  });
});

describe("compareEvaluations", () => {
  it("pairs the same tasks before and after", async () => {
    const before = await evaluateAgent(
      scriptedAgent(() => ""),
      reward,
      tasksByLength,
    );
    const after = await evaluateAgent(scriptedAgent(oracleReply), reward, tasksByLength);
    const [first] = compareEvaluations(before, after);
    expect(first).toMatchObject({
      lengthTokens: 32,
      n: 40,
      exactMatch: {
        before: 0,
        after: 1,
        difference: 1,
        counts: { bothRight: 0, onlyAfter: 40, onlyBefore: 0, bothWrong: 0 },
      },
    });
    expect(first?.exactMatch?.interval.low).toBeGreaterThan(0.85);
    expect(first?.exactMatch?.p).toBeLessThan(1e-9);
  });

  it("refuses evaluations of other tasks", async () => {
    const agent = scriptedAgent(oracleReply);
    const one = await evaluateAgent(agent, reward, tasksByLength);
    const other = rulerTasks({ count: 40, lengthTokens: 32, seed: "other" });
    const two = await evaluateAgent(agent, reward, [{ lengthTokens: 32, tasks: other }]);
    expect(() => compareEvaluations(one, two)).toThrow("NOT_COMPARABLE");
    const shorter = { ...one, lengths: one.lengths.slice(0, 1) };
    expect(() => compareEvaluations(shorter, one)).toThrow("has no length 64");
  });
});
