import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { memAgent, memAgentConfig } from "@palimpsest/agents";
import { oracleReply, scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { rulerTaskStream, type StreamedTask } from "@palimpsest/datasets";
import { rewardByName, rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { describe, expect, it } from "vitest";
import { evaluateByLength } from "./evaluate.js";

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

/** Bytes of heap that are still held near the document's end beyond those held near its beginning. */
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
    // The measure itself works: kept conversations are seen at a tenth of the length.
    expect(heldWithRecords).toBeGreaterThan(2 * megabyte);
  });

  it("answers right and takes time in proportion to length", async () => {
    const agent = tinyAgent();
    const tasksByLength = [16_000, 62_500, 250_000, 1_000_000].map((lengthTokens) => ({
      lengthTokens,
      tasks: [taskOf(lengthTokens)],
    }));
    // A first round compiles the code, so that the shortest length does not pay for it.
    await evaluateByLength({ agent, tasksByLength: tasksByLength.slice(0, 2), reward });
    const { lengths } = await evaluateByLength({ agent, tasksByLength, reward });
    for (const { lengthTokens, microsecondsPerDocumentToken, peakRssBytes } of lengths) {
      process.stdout.write(
        `${lengthTokens} tokens: ${microsecondsPerDocumentToken.toFixed(2)} µs a token, peak ${(peakRssBytes / megabyte).toFixed(0)} MiB\n`,
      );
    }
    expect(lengths.map((length) => length.exactMatch)).toEqual([1, 1, 1, 1]);
    expect(lengths.map((length) => length.documentTokens)).toEqual([16_000, 62_500, 250_000, 1_000_000]);
    const [, second, , last] = lengths;
    // Sixteen times the length: quadratic time would be sixteen times as long a token.
    expect(last?.microsecondsPerDocumentToken).toBeLessThan(6 * (second?.microsecondsPerDocumentToken ?? 0));
  });
});
