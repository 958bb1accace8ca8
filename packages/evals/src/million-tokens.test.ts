import { memAgent, memAgentConfig } from "@palimpsest/agents";
import { oracleReply, scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { rulerTaskStream } from "@palimpsest/datasets";
import { rewardByName } from "@palimpsest/rewards";
import { describe, expect, it } from "vitest";
import { evaluateByLength } from "./evaluate.js";

const megabyte = 2 ** 20;

describe("MemAgent over a million tokens", () => {
  it("keeps its memory flat and takes time in proportion to length", async () => {
    const tokenizer = wordTokenizer();
    const sampler = scriptedSampler({ tokenizer, reply: oracleReply });
    const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny", { chunkTokens: 256 }) });
    const tasksByLength = [16_000, 62_500, 250_000, 1_000_000].map((lengthTokens) => ({
      lengthTokens,
      tasks: [...rulerTaskStream({ kind: "two-hop", lengthTokens, seed: "long" })],
    }));
    const reward = rewardByName("boxed-exact-match");
    // A first round compiles the code, so that the shortest length does not pay for it.
    await evaluateByLength({ agent, tasksByLength: tasksByLength.slice(0, 2), reward });
    const { lengths } = await evaluateByLength({ agent, tasksByLength, reward });
    process.stdout.write(
      `${lengths.map((l) => `${l.lengthTokens}: ${l.microsecondsPerDocumentToken.toFixed(2)} µs a token, peak ${(l.peakRssBytes / megabyte).toFixed(0)} MiB`).join("; ")}\n`,
    );
    expect(lengths.map((length) => length.exactMatch)).toEqual([1, 1, 1, 1]);
    expect(lengths.map((length) => length.documentTokens)).toEqual([16_000, 62_500, 250_000, 1_000_000]);
    const [, second, , last] = lengths;
    // Sixteen times the length: memory that grows with it, or time that grows faster, would show many times over.
    expect(last?.rssGrowthBytes).toBeLessThan(96 * megabyte);
    expect(last?.microsecondsPerDocumentToken).toBeLessThan(3 * (second?.microsecondsPerDocumentToken ?? 0));
  });
});
