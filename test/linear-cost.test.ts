import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { memAgent, memAgentConfig, type Sampler } from "@palimpsest/agents";
import { loadTokenizer } from "@palimpsest/model";
import { describe, expect, it } from "vitest";

// bench/linear-cost.ts measures the same up to 1.4 million tokens and writes docs/plots/linear-cost.svg.

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const shared = process.env["PALIMPSEST_SHARED"] ?? "../shared";
const tokenizerFolder = `${shared}/data/tokenizers/qwen3`;
const paragraphs = `${shared}/data/hotpotqa/paragraphs.jsonl`;
const present = existsSync(tokenizerFolder) && existsSync(paragraphs);
if (!present) process.stdout.write("skipped: the cost over real text needs shared/data\n");

const chunkTokens = 2000;

async function* pieces(from: number, to: number): AsyncGenerator<string> {
  const file = createReadStream(paragraphs, { encoding: "utf8" });
  let line = 0;
  for await (const row of createInterface({ input: file })) {
    line += 1;
    if (line > to) break;
    if (line <= from) continue;
    const { title, text } = JSON.parse(row) as { title: string; text: string };
    yield `${title}\n${text}\n\n`;
  }
  file.destroy();
}

describe.skipIf(!present)("MemAgent over real text of growing length", () => {
  it("takes tokens and time in proportion to length, and memory that does not grow with it", async () => {
    const tokenizer = await loadTokenizer(tokenizerFolder);
    const config = memAgentConfig("memagent", { chunkTokens });
    const read = async (from: number, to: number, collect: boolean) => {
      let liveBytes = 0;
      // The sampler notes every fifth token of the last section that it was shown, so that the memory is always full.
      const sampler: Sampler = {
        async generate({ promptTokenIds, maxTokens, stopTokenIds }) {
          if (collect) {
            collectGarbage();
            liveBytes = Math.max(liveBytes, process.memoryUsage().heapUsed);
          }
          const noted = promptTokenIds.slice(-chunkTokens).filter((_, i) => i % 5 === 0);
          const tokenIds = [...noted.slice(0, maxTokens - 1), stopTokenIds[0] as number];
          const rolloutLogprobs = tokenIds.map(() => -1);
          return { tokenIds, rolloutLogprobs, stopReason: "stop", policyVersion: 0, weightsHash: "script" };
        },
      };
      const agent = memAgent({ sampler, tokenizer, config });
      const startedAt = process.cpuUsage();
      const task = { question: "Who was born first?", document: pieces(from, to) };
      const { counts, documentTokens } = await agent.run(task, { record: "none" });
      const { user } = process.cpuUsage(startedAt);
      return {
        documentTokens,
        tokens: counts.promptTokens + counts.sampledTokens,
        cpuSeconds: user / 1e6,
        liveBytes,
      };
    };

    // This fills the tokenizer's cache of 10,000 words and compiles the code.
    await read(2000, 3000, false);
    const lengths = [40, 80, 160, 320];
    const timed = [];
    for (const length of lengths) timed.push(await read(0, length, false));
    const short = await read(0, 40, true);
    const long = await read(0, 320, true);

    const perToken = timed.map(({ tokens, documentTokens }) => tokens / documentTokens);
    for (const ratio of perToken) expect(ratio / (perToken.at(-1) as number)).toBeCloseTo(1, 0);
    expect(long.documentTokens).toBeGreaterThan(7 * short.documentTokens);
    // A square of the length would take eight times as long per token. What computes beside this test takes up to twice.
    const seconds = timed.map(({ documentTokens, cpuSeconds }) => cpuSeconds / documentTokens);
    expect((seconds.at(-1) as number) / Math.min(...seconds)).toBeLessThan(3);
    process.stdout.write(
      `live bytes over ${short.documentTokens} tokens: ${short.liveBytes}; over ${long.documentTokens}: ${long.liveBytes}\n`,
    );
    expect(Math.abs(long.liveBytes / short.liveBytes - 1)).toBeLessThan(0.01);
  });
});
