import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { memAgent, memAgentConfig } from "@palimpsest/agents";
import { oracleReply, scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import type { StreamedTask } from "@palimpsest/datasets";
import { rewardByName, rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { rulerTaskStream } from "@palimpsest/small-world";
import { describe, expect, it } from "vitest";
import { processorMs } from "../../../../test/support/processor-time.js";
import { rewardedPrediction } from "./suite/rewarded-prediction.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const megabyte = 2 ** 20;
const answerReward = rewardByName("boxed-exact-match");
const reward = trajectoryReward(rewardConfigSchema.parse({ name: "boxed-exact-match" }));

function tinyAgent() {
  const tokenizer = wordTokenizer();
  const sampler = scriptedSampler({ tokenizer, reply: oracleReply });
  return memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });
}

const taskOf = (lengthTokens: number): StreamedTask =>
  rulerTaskStream({ kind: "two-hop", lengthTokens, seed: "long" }).next().value as StreamedTask;

/** Returns how many more bytes of heap are in use near the document's end than near its beginning. */
async function retainedBytes(lengthTokens: number, record: "all" | "none"): Promise<number> {
  const task = taskOf(lengthTokens);
  const marks: number[] = [];
  function* pieces() {
    let piece = 0;
    for (const text of task.pieces()) {
      if (piece === 4000 || piece === lengthTokens / 4 - 8) {
        collectGarbage();
        marks.push(process.memoryUsage().heapUsed);
      }
      piece += 1;
      yield text;
    }
  }
  const result = await tinyAgent().run({ question: task.question, document: pieces() }, { record });
  expect(answerReward(result.answer, task.answers).reward).toBe(1);
  return (marks[1] as number) - (marks[0] as number);
}

describe("MemAgent over a million tokens", () => {
  it("holds no more memory at the end of the document than at its beginning", async () => {
    const held = await retainedBytes(1_000_000, "none");
    const heldWithRecords = await retainedBytes(100_000, "all");
    process.stdout.write(
      `held after 1,000,000 tokens: ${(held / megabyte).toFixed(2)} MiB; with records after 100,000: ${(heldWithRecords / megabyte).toFixed(2)} MiB\n`,
    );
    expect(held).toBeLessThan(megabyte);
    // This shows that the measure works: kept conversations are noticed at a tenth of the length.
    expect(heldWithRecords).toBeGreaterThan(2 * megabyte);
  });

  it("answers right and takes time in proportion to length", async () => {
    const agent = tinyAgent();
    const measured = async (lengthTokens: number) => {
      const { pieces, ...task } = taskOf(lengthTokens);
      const options = { temperature: 0, seed: 0, signal: new AbortController().signal };
      const startedAt = processorMs();
      const prediction = await rewardedPrediction(agent, reward, { ...task, document: pieces() }, options);
      const microseconds = (processorMs() - startedAt) * 1000;
      expect(prediction.measures).toMatchObject({ reward: 1 });
      expect(prediction.documentTokens).toBe(lengthTokens);
      return { lengthTokens, microsecondsPerDocumentToken: microseconds / lengthTokens };
    };
    // A first round compiles the code, so that the shortest length does not pay for it.
    for (const lengthTokens of [16_000, 62_500]) await measured(lengthTokens);
    const lengths: Awaited<ReturnType<typeof measured>>[] = [];
    for (const lengthTokens of [62_500, 1_000_000]) lengths.push(await measured(lengthTokens));
    for (const { lengthTokens, microsecondsPerDocumentToken } of lengths) {
      process.stdout.write(
        `${lengthTokens} tokens: ${microsecondsPerDocumentToken.toFixed(2)} µs per token\n`,
      );
    }
    const [first, last] = lengths;
    // At sixteen times the length, quadratic time would be sixteen times as long per token.
    expect(last?.microsecondsPerDocumentToken).toBeLessThan(6 * (first?.microsecondsPerDocumentToken ?? 0));
  });
});
