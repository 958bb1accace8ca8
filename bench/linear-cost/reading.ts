/**
 * One document read by MemAgent with a scripted sampler, measured; prints figures as JSON. Started by linear-cost.ts with
 * --expose-gc. Arguments: tokenizer folder, file of pieces (a JSON string a line), pieces to read, chunk tokens, file of
 * pieces to warm up with.
 */
import { createReadStream } from "node:fs";
import { memAgent, memAgentConfig, type Sampler } from "../../packages/agents/src/index.js";
import { loadTokenizer } from "../../packages/model/src/index.js";

export interface ReadingFigures {
  readonly chunkTokens: number;
  readonly documentTokens: number;
  readonly conversations: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  readonly seconds: number;
  /** Of this process, threads of the collector included. */
  readonly cpuSeconds: number;
  /** Heap after a collection, the highest; there is one after every `collectEveryTokens` of the document. */
  readonly peakLiveBytes: number;
  /** Resident set before those collections, the highest: what reading that many tokens leaves behind counts. */
  readonly peakCollectedRssBytes: number;
  /** Resident set while time is taken and nobody asks for collections, the highest. */
  readonly peakRssBytes: number;
}

/**
 * Left alone, a process lets garbage gather for a million tokens before it goes over its whole heap for the first time,
 * and later as long as its collector thinks right: a long document would be charged for what the collector has put off.
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

/** One block of the file is held, not what a line reader reads ahead. */
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

/** Notes every fifth token of the prompt's end, where the section stands. */
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

// Other text first: code is compiled, and the tokenizer's cache of 10,000 words is full, whatever the document's length.
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
