/**
 * Measures how MemAgent reads one document with a scripted sampler, and prints the figures as JSON. It is started by
 * linear-cost.ts with --expose-gc. Arguments: tokenizer folder, file of pieces (one JSON string per line), pieces to
 * read, chunk tokens, file of pieces to warm up with.
 */
import { createReadStream } from "node:fs";
import { memAgent, memAgentConfig, type Sampler } from "../../packages/learning/agents/src/index.js";
import { loadTokenizer } from "../../packages/learning/model/src/index.js";

export interface ReadingFigures {
  readonly chunkTokens: number;
  readonly documentTokens: number;
  readonly conversations: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  readonly seconds: number;
  /** Processor seconds of this process, including the threads of the garbage collector. */
  readonly cpuSeconds: number;
  /** The highest heap after a collection; there is one after every `collectEveryTokens` tokens of the document. */
  readonly peakLiveBytes: number;
  /** The highest resident set before those collections, which includes the garbage of reading that many tokens. */
  readonly peakCollectedRssBytes: number;
  /** The highest resident set during the timed reading, when nobody asks for collections. */
  readonly peakRssBytes: number;
}

/**
 * Left alone, a process lets garbage accumulate for a million tokens before its first full collection, and afterwards
 * for as long as its collector decides. A long document would then be charged for what the collector has deferred.
 */
const collectEveryTokens = 5000;

const [tokenizerFolder, path, count, chunk, warmPath] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const chunkTokens = Number(chunk);
const collectGarbage = globalThis.gc;
if (collectGarbage === undefined) throw new Error("start with --expose-gc");

const tokenizer = await loadTokenizer(tokenizerFolder);

/** Yields the pieces while only one block of the file is in memory, without the read-ahead of a line reader. */
async function* pieces(path: string, most: number): AsyncGenerator<string> {
  let read = 0;
  let rest = "";
  for await (const block of createReadStream(path, { encoding: "utf8" })) {
    const lines = `${rest}${block}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (read++ >= most) return;
      yield JSON.parse(line) as string;
    }
  }
  if (rest !== "" && read < most) yield JSON.parse(rest) as string;
}

/** Makes a sampler that notes every fifth token of the prompt's end, where the section is. */
function notingSampler(onConversation: () => void): Sampler {
  return {
    async generate({ promptTokenIds, maxTokens, stopTokenIds }) {
      onConversation();
      const noted = promptTokenIds
        .slice(-chunkTokens)
        .filter((_, i) => i % 5 === 0)
        .slice(0, maxTokens - 1);
      const tokenIds = [...noted, stopTokenIds[0] as number];
      return {
        tokenIds,
        rolloutLogprobs: tokenIds.map(() => -1),
        stopReason: "stop",
        policyVersion: 0,
        weightsHash: "script",
      };
    },
  };
}

const config = memAgentConfig("memagent", { chunkTokens });
async function episode(path: string, most: number, onConversation: () => void) {
  const agent = memAgent({ sampler: notingSampler(onConversation), tokenizer, config });
  const task = { question: "Which of the people in the text was born first?", document: pieces(path, most) };
  return await agent.run(task, { record: "none" });
}

let peakLiveBytes = 0;
let peakCollectedRssBytes = 0;
async function collected(path: string, most: number): Promise<void> {
  const every = Math.max(1, Math.floor(collectEveryTokens / chunkTokens));
  let conversations = 0;
  await episode(path, most, () => {
    if (conversations++ % every !== 0) return;
    peakCollectedRssBytes = Math.max(peakCollectedRssBytes, process.memoryUsage.rss());
    collectGarbage?.();
    peakLiveBytes = Math.max(peakLiveBytes, process.memoryUsage().heapUsed);
  });
}

// Another text is read first, so that code is compiled and the tokenizer's cache of 10,000 words is full, whatever the
// document's length.
collectGarbage();
await collected(warmPath, Number.POSITIVE_INFINITY);
[peakLiveBytes, peakCollectedRssBytes] = [0, 0];
await collected(path, Number(count));

let peakRssBytes = 0;
const startedMs = performance.now();
const startedCpu = process.cpuUsage();
const result = await episode(path, Number(count), () => {
  peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
});
const seconds = (performance.now() - startedMs) / 1000;
const { user, system } = process.cpuUsage(startedCpu);

const figures: ReadingFigures = {
  chunkTokens,
  documentTokens: result.documentTokens,
  conversations: result.counts.conversations,
  promptTokens: result.counts.promptTokens,
  sampledTokens: result.counts.sampledTokens,
  seconds,
  cpuSeconds: (user + system) / 1e6,
  peakLiveBytes,
  peakCollectedRssBytes,
  peakRssBytes,
};
process.stdout.write(JSON.stringify(figures));
