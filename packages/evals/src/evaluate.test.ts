import { type Agent, memAgent, memAgentConfig } from "@palimpsest/agents";
import { oracleReply, scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { rulerTaskStream, rulerTasks } from "@palimpsest/datasets";
import { rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { describe, expect, it } from "vitest";
import { compareEvaluations } from "./compare.js";
import { evaluateByLength } from "./evaluate.js";

const reward = trajectoryReward(rewardConfigSchema.parse({ name: "boxed-exact-match" }));
const lengths = [32, 64, 256];
const tasksByLength = lengths.map((lengthTokens) => ({
  lengthTokens,
  tasks: rulerTasks({ kind: "mixed", count: 40, lengthTokens, seed: lengthTokens }),
}));

function scripted(reply: (prompt: string) => string): Agent {
  const tokenizer = wordTokenizer();
  return memAgent({
    sampler: scriptedSampler({ tokenizer, reply }),
    tokenizer,
    config: memAgentConfig("tiny"),
  });
}

/** An agent whose run is `run`, for what no sampler would do. */
const agentOf = (run: Agent["run"]): Agent => ({ name: "test", run });

describe("evaluateByLength", () => {
  it("finds that a perfect reader solves every needle and two-hop task at every length", async () => {
    const { lengths: results } = await evaluateByLength({
      agent: scripted(oracleReply),
      tasksByLength,
      reward,
    });
    expect(
      results.map((result) => [result.lengthTokens, result.n, result.exactMatch, result.failures]),
    ).toEqual(lengths.map((length) => [length, 40, 1, 0]));
    for (const result of results) {
      expect(result.documentTokens).toBe(40 * result.lengthTokens);
      expect(result.conversations).toBe(40 * (result.lengthTokens / 16 + 1));
      expect(result.exactMatchInterval.low).toBeCloseTo(0.9124, 4);
      expect(result.meanReward).toBe(1);
    }
  });

  it("finds that a sampler that says nothing solves none", async () => {
    const { lengths: results } = await evaluateByLength({ agent: scripted(() => ""), tasksByLength, reward });
    expect(results.map((result) => result.exactMatch)).toEqual([0, 0, 0]);
    expect(results.map((result) => result.sampledTokens)).toEqual(
      results.map((result) => result.conversations),
    );
  });

  it("counts failed episodes as wrong and says why (E1)", async () => {
    const good = scripted(oracleReply);
    let calls = 0;
    const agent = agentOf((task, options) =>
      calls++ % 4 === 0 ? Promise.reject(new Error("sampler lost")) : good.run(task, options),
    );
    const { lengths: results } = await evaluateByLength({
      agent,
      tasksByLength: tasksByLength.slice(0, 1),
      reward,
    });
    expect(results[0]).toMatchObject({
      n: 40,
      correct: 30,
      failures: 10,
      exactMatch: 0.75,
      meanReward: 0.75,
    });
    expect(results[0]?.outcomes.filter((outcome) => outcome.failure === "sampler lost")).toHaveLength(10);
  });

  it("throws the reason of an abort and starts nothing after it (E2)", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const good = scripted(oracleReply);
    let calls = 0;
    const agent = agentOf((task, options) => {
      calls += 1;
      return good.run(task, options);
    });
    const run = evaluateByLength({
      agent,
      tasksByLength,
      reward,
      concurrency: 2,
      signal: controller.signal,
      onProgress: ({ done }) => done === 3 && controller.abort(reason),
    });
    await expect(run).rejects.toBe(reason);
    expect(calls).toBeLessThanOrEqual(6);
  });

  it("keeps at most `concurrency` episodes in flight (E3)", async () => {
    const good = scripted(oracleReply);
    let flying = 0;
    let most = 0;
    const agent = agentOf(async (task, options) => {
      flying += 1;
      most = Math.max(most, flying);
      const result = await good.run(task, options);
      flying -= 1;
      return result;
    });
    await evaluateByLength({ agent, tasksByLength, reward, concurrency: 3 });
    expect(most).toBe(3);
  });

  it("gives every task the same seed whatever the concurrency (E4)", async () => {
    const seeds = async (concurrency: number) => {
      const good = scripted(oracleReply);
      const seen = new Map<string, number | undefined>();
      const agent = agentOf((task, options) => {
        seen.set(`${task.question}${String(task.document)}`, options?.seed);
        return good.run(task, options);
      });
      await evaluateByLength({ agent, tasksByLength, reward, concurrency, seed: 9 });
      return new Map([...seen].sort());
    };
    const one = await seeds(1);
    expect(await seeds(7)).toEqual(one);
    expect(new Set(one.values()).size).toBe(40);
  });

  it("measures time and memory with the clock and the reading that it is given", async () => {
    let ms = 0;
    const rss = [100, 300, 200];
    const { lengths: results } = await evaluateByLength({
      agent: scripted(oracleReply),
      tasksByLength: [{ lengthTokens: 32, tasks: (tasksByLength[0]?.tasks ?? []).slice(0, 2) }],
      reward,
      now: () => (ms += 64),
      rssBytes: () => rss.shift() ?? 0,
    });
    expect(results[0]).toMatchObject({
      seconds: 0.064,
      documentTokens: 64,
      microsecondsPerDocumentToken: 1000,
      peakRssBytes: 300,
      rssGrowthBytes: 200,
    });
  });

  it("reads streamed documents piece by piece", async () => {
    const tasks = [...rulerTaskStream({ kind: "two-hop", count: 10, lengthTokens: 512 })];
    const agent = scripted(oracleReply);
    const { lengths: results } = await evaluateByLength({
      agent,
      tasksByLength: [{ lengthTokens: 512, tasks }],
      reward,
    });
    expect(results[0]).toMatchObject({ exactMatch: 1, documentTokens: 5120 });
  });

  it("refuses a length without tasks", async () => {
    const agent = scripted(oracleReply);
    const none = evaluateByLength({ agent, tasksByLength: [{ lengthTokens: 64, tasks: [] }], reward });
    await expect(none).rejects.toThrow("no task at 64 tokens");
  });
});

describe("compareEvaluations", () => {
  it("pairs the same tasks before and after", async () => {
    const before = await evaluateByLength({ agent: scripted(() => ""), tasksByLength, reward });
    const after = await evaluateByLength({ agent: scripted(oracleReply), tasksByLength, reward });
    const [first] = compareEvaluations(before, after);
    expect(first).toMatchObject({
      lengthTokens: 32,
      n: 40,
      before: 0,
      after: 1,
      difference: 1,
      counts: { bothRight: 0, onlyAfter: 40, onlyBefore: 0, bothWrong: 0 },
    });
    expect(first?.interval.low).toBeGreaterThan(0.85);
    expect(first?.p).toBeLessThan(1e-9);
  });

  it("refuses evaluations of other tasks", async () => {
    const agent = scripted(oracleReply);
    const one = await evaluateByLength({ agent, tasksByLength, reward });
    const other = rulerTasks({ count: 40, lengthTokens: 32, seed: "other" });
    const two = await evaluateByLength({
      agent,
      tasksByLength: [{ lengthTokens: 32, tasks: other }],
      reward,
    });
    expect(() => compareEvaluations(one, two)).toThrow("NOT_COMPARABLE");
    const shorter = { ...one, lengths: one.lengths.slice(0, 1) };
    expect(() => compareEvaluations(shorter, one)).toThrow("64 is missing before");
  });
});
