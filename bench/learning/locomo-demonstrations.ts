/**
 * Writes demonstrations of MemUpdate for a recipe's agent and model: episodes of a script on training questions of LoCoMo, as messages
 * for `train sft`. Where the records that are shown have the question's evidence, the script writes the question with its right answer.
 * It knows right answers of training conversations, and of no others. Only episodes that the recipe's reward pays are kept, as many of
 * each conversation.
 * Usage: tsx --conditions=@palimpsest/source bench/learning/locomo-demonstrations.ts --recipe FILE --model FOLDER --data train.jsonl
 *   --out FILE [--count 160]
 */
import { writeFileSync } from "node:fs";
import { createAgent } from "../../packages/learning/agents/src/index.js";
import { scriptedSampler } from "../../packages/learning/agents/src/testing.js";
import { loadTasks } from "../../packages/learning/datasets/src/index.js";
import { hashedEmbedder } from "../../packages/learning/memory/src/index.js";
import { trajectoryReward } from "../../packages/learning/rewards/src/index.js";
import { readRecipe } from "../../packages/learning/trainer/src/index.js";
import { openModelText, readModelText } from "../../packages/learning/trainer/src/parts/model-text.js";
import type { Task } from "../../packages/learning/trajectories/src/index.js";
import { benchFlags } from "../flags.js";

const flags = benchFlags({ recipe: "", model: "", data: "", out: "", count: "160" });
/** Less is what held-out questions gain by chance. */
const leastReward = 0.1;

const { recipe } = readRecipe(flags.recipe);
const { tokenizer, chat } = openModelText(await readModelText(flags.model), Date.now());
const reward = trajectoryReward(recipe.reward.config, { embedder: hashedEmbedder() });
/**
 * A call as the model writes it by itself: the object alone. Of models that were never taught the marks, such as Qwen2.5-Coder,
 * `<tool_call>` and all unused tokens have one embedding, so that no training of adapters makes the model choose it.
 */
function call(name: string, given: object): string {
  const fields = Object.entries(given).map(([field, value]) => `"${field}": ${JSON.stringify(value)}`);
  return `{"name": "${name}", "arguments": {${fields.join(", ")}}}`;
}

/** The ids of the records that come from the turns that answer a task's question. */
function evidenceOf({ records = [], probes = [] }: Task): ReadonlySet<string> {
  const turns = new Set(probes.filter(({ heldOut }) => !heldOut).flatMap(({ evidence = [] }) => evidence));
  return new Set(
    records.filter(({ provenance }) => provenance.some((id) => turns.has(id))).map(({ id }) => id),
  );
}

/** What the script says to what it is shown. */
function replyTo(task: Task, prompt: string): string {
  const evidence = evidenceOf(task);
  const shown = [...prompt.matchAll(/^\[(m\d+)\] /gm)].map(([, id = ""]) => id);
  if (!shown.some((id) => evidence.has(id))) return "DONE";
  const [answer = ""] = task.answers;
  return call("manage_memory", { operation: "create", content: `${task.question} ${answer}` });
}

/** The messages of a conversation in the chat template's form. */
function messagesOf(text: string): readonly { readonly role: string; readonly content: string }[] {
  return [...text.matchAll(/<\|im_start\|>(\w+)\n([\s\S]*?)<\|im_end\|>/g)].map(
    ([, role = "", content = ""]) => ({ role, content }),
  );
}

const { tasks } = await loadTasks(flags.data);
const byConversation = new Map<string, Task[]>();
for (const task of tasks) {
  const conversation = String(task.metadata["conversation"]);
  byConversation.set(conversation, [...(byConversation.get(conversation) ?? []), task]);
}
const lines: string[] = [];
let tried = 0;
let paid = 0;
for (const own of byConversation.values()) {
  const wanted = Math.ceil(Number(flags.count) / byConversation.size);
  let kept = 0;
  for (const task of own) {
    if (kept === wanted || lines.length === Number(flags.count)) break;
    const sampler = scriptedSampler({ tokenizer, reply: (prompt) => replyTo(task, prompt) });
    const agent = createAgent(recipe.agent, { sampler, tokenizer, ...(chat ? { chat } : {}) });
    const episode = await agent.run(task, { seed: 1 });
    const memorySteps = episode.steps;
    const score = await reward(task, { ...episode, memorySteps });
    tried += 1;
    if (score.reward < leastReward) continue;
    const [conversation] = episode.conversations;
    if (conversation === undefined) continue;
    const { promptTokenIds, sampledTokenIds } = conversation;
    lines.push(
      JSON.stringify({ messages: messagesOf(tokenizer.decode([...promptTokenIds, ...sampledTokenIds])) }),
    );
    kept += 1;
    paid += score.reward;
  }
}
writeFileSync(flags.out, `${lines.join("\n")}\n`);
console.log(JSON.stringify({ tried, kept: lines.length, meanReward: paid / lines.length }));
