// Uses MemAgent as a library: it reads a document of any length in chunks and keeps a memory of a few tokens.
//   npx tsx examples/agent/ask.ts [MODEL_FOLDER] [QUESTION] [FILE_OF_LINES]
// Without a file the document is generated while it is read.
import { open } from "node:fs/promises";
import { memAgent, memAgentConfig } from "@palimpsest/agents";
import { loadBackend } from "@palimpsest/jit";
import { createSampler, loadModel } from "@palimpsest/model";

const builtin = new URL("../../recipes/bases/quickstart", import.meta.url).pathname;
const [folder = builtin, question = "what does tom like?", file] = process.argv.slice(2);
const print = (text: string) => process.stdout.write(`${text}\n`);

const others = ["ben", "jen", "dan", "sam", "mia", "lana"];
const values = ["bats", "hats", "wine", "milk", "pens", "rugs", "dogs"];

/** Yields four hundred sentences, one string at a time; one of them answers the question. */
async function* generated(): AsyncGenerator<string> {
  for (let place = 0; place < 400; place++) {
    if (place === 60) yield " tom likes figs.";
    else if (place % 5 === 4) yield " rain and wind.";
    else yield ` ${others[place % others.length]} likes ${values[(place * 3) % values.length]}.`;
  }
}

/** Yields a file line by line. Each piece is tokenized separately, so none should begin inside a word. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const handle = await open(path);
  for await (const line of handle.readLines()) yield ` ${line}`;
}

const { config, parameters, tokenizer } = await loadModel(folder);
if (tokenizer === undefined) throw new Error(`${folder} has no tokenizer.json`);
const sampler = createSampler({
  backend: await loadBackend(),
  config,
  parameters,
  maxBatch: 1,
  maxLength: 64,
});
const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });

let shown = "";
const result = await agent.run(
  { question, document: file === undefined ? generated() : linesOf(file) },
  {
    temperature: 0,
    record: "none",
    onProgress: ({ documentTokensRead, memoryStep }) => {
      if (memoryStep === undefined || memoryStep.memory === shown) return;
      shown = memoryStep.memory;
      print(`after ${String(documentTokensRead).padStart(5)} tokens the memory is:${shown}`);
    },
  },
);
print(`answer:${result.answer}`);
print(
  `${result.documentTokens} document tokens, ${result.counts.conversations} conversations, ${result.counts.sampledTokens} tokens sampled`,
);
await sampler.close();
