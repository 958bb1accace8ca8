/**
 * Measures what memory heads keep: MemAgent reads needle documents with memories of the same number of tokens in 1, 2, 4
 * and 8 heads. Of the asked facts, all of which are read, it counts those that were written (capture), and those of
 * them that the memory still has later (retention). Nothing is trained here. The model "script" is a policy that writes
 * the asked fact whenever it reads it, and drops a memory that it rewrites with a probability of `--drops`: what heads
 * are worth to a policy that handles them perfectly.
 * Usage: npx tsx --conditions=@palimpsest/source bench/memory-heads.ts [--model FOLDER|script]... [--recipe FILE]
 *   [--drops 0.01] [--memory 40] [--heads 1,2,4,8] [--sentences 64,256,1024] [--count 256] [--temperature 0] [--json FILE]
 */
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { memAgent, memAgentConfig } from "../packages/learning/agents/src/index.js";
import { scriptedSampler, wordTokenizer } from "../packages/learning/agents/src/testing.js";
import { factLosses, laneSummaries } from "../packages/learning/evals/src/microscope/index.js";
import { traceEpisode } from "../packages/learning/evals/src/trace/trace-episode.js";
import { loadBackend } from "../packages/learning/jit/src/index.js";
import { createSampler, loadModel } from "../packages/learning/model/src/index.js";
import { boxedAnswer } from "../packages/learning/rewards/src/index.js";
import { rulerTasks } from "../packages/learning/small-world/src/index.js";
import { readRecipe } from "../packages/learning/trainer/src/index.js";
import { createRandom } from "../packages/runtime/std/src/random/index.js";
import { writeResult } from "./result-file.js";

const { values: flags } = parseArgs({
  options: {
    model: { type: "string", multiple: true, default: ["recipes/bases/quickstart"] },
    recipe: { type: "string", default: "recipes/quickstart.yaml" },
    drops: { type: "string", default: "0.01" },
    memory: { type: "string", default: "40" },
    heads: { type: "string", default: "1,2,4,8" },
    sentences: { type: "string", default: "64,256,1024" },
    count: { type: "string", default: "256" },
    temperature: { type: "string", default: "0" },
    json: { type: "string" },
  },
});
const numbers = (text: string) => text.split(",").map(Number);
const memoryTokens = Number(flags.memory);
const { evaluation } = (await readRecipe(flags.recipe)).recipe;
const source = evaluation?.source;
if (source === undefined) throw new Error("--recipe: name one whose evaluation has a source");
const drops = Number(flags.drops);
const rows: object[] = [];
const share = (part: number, whole: number) => (whole === 0 ? null : Number((part / whole).toFixed(3)));

/** The script reads which head to write from the texts around the heads. */
function openScript() {
  const tokenizer = wordTokenizer();
  const reply = (prompt: string, seed: number) => {
    const name = /what does (\w+) like/.exec(prompt)?.[1] ?? "";
    const [, memory = "", section = ""] = /\nmemory:(.*)\nsection:(.*)\n/.exec(prompt) ?? [];
    const fact = (text: string) => new RegExp(` ${name} likes (\\w+)\\.`).exec(text);
    if (section === "") return ` \\boxed{${fact(prompt)?.[1] ?? ""}}`;
    const head = / write(\d+)$/.exec(memory)?.[1];
    const own =
      head === undefined
        ? memory
        : (new RegExp(`\\|${head}\\|([^|]*?)(?: \\||$)`).exec(memory.replace(/ write\d+$/, ""))?.[1] ?? "");
    if (fact(section)) return fact(section)?.[0] ?? "";
    return createRandom(seed).float() < drops ? (/^[^.]*\./.exec(section)?.[0] ?? "") : own;
  };
  const sampler = scriptedSampler({ tokenizer, reply: (prompt, request) => reply(prompt, request.seed) });
  return { tokenizer, sampler, around: { label: " |{head}|", turn: " write{head}" }, close: async () => {} };
}

/** Heads are shown without texts around them, which the models of this repository were not trained with. */
async function openModel(folder: string) {
  const { config, parameters, tokenizer } = await loadModel(folder);
  if (tokenizer === undefined) throw new Error(`${folder} has no tokenizer.json`);
  const backend = await loadBackend();
  const { maxPositions: maxLength } = config;
  const sampler = createSampler({ backend, config, parameters, maxBatch: 128, maxLength });
  return { tokenizer, sampler, around: { label: "", turn: "" }, close: () => sampler.close() };
}

for (const folder of flags.model) {
  const { tokenizer, sampler, around, close } = folder === "script" ? openScript() : await openModel(folder);
  for (const sentences of numbers(flags.sentences)) {
    const tasks = rulerTasks({
      ...source,
      sentences,
      count: Number(flags.count),
      seed: `heads/${sentences}`,
    });
    for (const heads of numbers(flags.heads)) {
      const memory = { heads, select: "lru" as const, ...around };
      const agent = memAgent({
        sampler,
        tokenizer,
        config: memAgentConfig("tiny", { memoryTokens, memory }),
      });
      const startedAt = performance.now();
      const episodes = await Promise.all(
        tasks.map(async (task, seed) => {
          const result = await agent.run(task, { temperature: Number(flags.temperature), seed });
          const episode = { ...result, memorySteps: result.steps };
          const about = { origin: "eval", trajectoryId: task.id, agent: agent.name, tokenizer } as const;
          const right = task.answers.some((answer) => boxedAnswer(result.answer)?.trim() === answer);
          return { right, lanes: laneSummaries(traceEpisode(task, episode, about)), counts: result.counts };
        }),
      );
      const losses = factLosses(episodes.flatMap(({ lanes }) => lanes));
      const row = {
        policy: basename(folder) === "model" ? "trained" : basename(folder),
        sentences,
        heads,
        n: losses.read,
        capture: share(losses.captured, losses.read),
        retention: share(losses.kept, losses.captured),
        exactMatch: share(episodes.filter(({ right }) => right).length, episodes.length),
        keptAfterSteps: Object.fromEntries(
          losses.retention.map(({ distance, facts, kept }) => [distance, share(kept, facts)]),
        ),
        seconds: Number(((performance.now() - startedAt) / 1000).toFixed(1)),
      };
      rows.push(row);
      process.stdout.write(`${JSON.stringify(row)}\n`);
    }
  }
  await close();
}
if (flags.json !== undefined) {
  const { heads: _heads, model: _model, json: _json, recipe, ...asked } = flags;
  writeResult(flags.json, {
    recipe: basename(recipe),
    ...asked,
    cores: availableParallelism(),
    rows,
  });
}
