import type { ReadingAgentSettings, Tokenizer } from "@palimpsest/agents";
import { openStreamTasks } from "@palimpsest/datasets";
import type { SupervisedRow } from "@palimpsest/learner";
import { PalimpsestError } from "@palimpsest/wire";
import { reverseTwoHopTasks } from "../tasks/reverse-two-hop.js";
import { rulerTasks } from "../tasks/ruler.js";
import { storeTasks } from "../tasks/store-tasks.js";
import { type LookBackChances, lookBackDemonstrations } from "../teachers/look-back-policy.js";
import { memAgentDemonstrations } from "../teachers/needle-policy.js";
import { storeDemonstrations } from "../teachers/store-policy.js";
import { streamDemonstrations } from "../teachers/stream-policy.js";
import { memAgentTwoHopDemonstrations } from "../teachers/two-hop-policy.js";
import { worldDemonstrations } from "../teachers/world-policy.js";
import type { BaseRecipe } from "./base-recipe.js";
import { streamForms } from "./base-tokenizer.js";
import { recallRows } from "./recall.js";
import { repeatRows } from "./repeat.js";

/** The number of a task's sentences beyond those that fill a section; the content of memories is drawn from them. */
const spareSentences = 3;

/** Returns the rows of one step of a stage; they depend on the seed and the step alone. */
export interface StageRows {
  (step: number): SupervisedRow[];
  /** Tokens of the longest row, where rows differ in length. */
  readonly longest?: number;
}

export function repeatStage(recipe: BaseRecipe, seed: number, vocabulary: readonly number[]): StageRows {
  const { batch, minLength, maxLength, rowTokens } = recipe.repeat;
  return (step) =>
    repeatRows({ count: batch, seed: `${seed}/${step}`, vocabulary, minLength, maxLength, rowTokens });
}

export function recallStage(recipe: BaseRecipe, seed: number, tokenizer: Tokenizer): StageRows {
  const { batch, facts, questions, originFraction } = recipe.recall;
  const { names, values, places, likesSentence, originSentence } = recipe.words;
  return (step) =>
    recallRows({
      count: batch,
      facts,
      questions,
      seed: `${seed}/${step}`,
      originFraction,
      words: { names, values, places, likesSentence, originSentence },
    }).map((row) => {
      const segments = row.map(({ text, trained }) => ({ ids: tokenizer.encode(text), trained }));
      return {
        tokenIds: segments.flatMap(({ ids }) => ids),
        lossMask: segments.flatMap(({ ids, trained }) => ids.map(() => (trained ? 1 : 0))),
      };
    });
}

export async function formatStage(
  recipe: BaseRecipe,
  seed: number,
  tokenizer: Tokenizer,
): Promise<StageRows> {
  const { batch, fillerFraction, scriptedPolicy } = recipe.format;
  if (scriptedPolicy.kind === "store" || scriptedPolicy.kind === "stream")
    return await storeStage(recipe, seed, tokenizer);
  const { fillers } = recipe.words;
  const agent = readingAgent(recipe);
  const sentenceTokens = tokenizer.encode(fillers[0] as string).length;
  const sentences = Math.ceil(agent.config.chunkTokens / sentenceTokens) + 1 + spareSentences;
  if (scriptedPolicy.kind === "look-back")
    return lookBackStage(recipe, agent, seed, tokenizer, scriptedPolicy);
  if (scriptedPolicy.kind === "world") return await worldStage(recipe, agent, seed, tokenizer);
  const { kind } = scriptedPolicy;
  return (step) => {
    const tasks = rulerTasks({
      ...recipe.words,
      kind,
      sentences,
      fillerFraction,
      count: batch,
      seed: `${seed}/${step}`,
    });
    const rows = { tokenizer, config: agent.config, tasks, seed: seed * 1_000_003 + step, fillers };
    return scriptedPolicy.kind === "needle"
      ? memAgentDemonstrations({ ...rows, chances: scriptedPolicy })
      : memAgentTwoHopDemonstrations({ ...rows, chances: scriptedPolicy });
  };
}

/** The number of a task's segments beyond the two with its evidence; memories and sections are drawn from all. */
const spareSegments = 2;

function lookBackStage(
  { format, words }: BaseRecipe,
  agent: ReadingAgentSettings,
  seed: number,
  tokenizer: Tokenizer,
  chances: LookBackChances,
): StageRows {
  const { likesSentence, originSentence, names, values, places, fillers, twoHopQuestion } = words;
  const sentenceTokens = tokenizer.encode(fillers[0] as string).length;
  return (step) => {
    const tasks = reverseTwoHopTasks({
      ...{ names, values, places, fillers, likesSentence, originSentence, question: twoHopQuestion },
      segments: 2 + spareSegments,
      segmentSentences: Math.floor(agent.config.chunkTokens / sentenceTokens),
      fillerFraction: format.fillerFraction,
      count: format.batch,
      seed: `${seed}/${step}`,
    });
    return lookBackDemonstrations({
      tokenizer,
      agent,
      tasks,
      seed: seed * 1_000_003 + step,
      chances,
      fillers,
    });
  };
}

/** At most this many rows of worlds are generated, of half a kilobyte each; further steps reuse them. */
const mostWorldRows = 262_144;

async function worldStage(
  recipe: BaseRecipe,
  agent: ReadingAgentSettings,
  seed: number,
  tokenizer: Tokenizer,
): Promise<StageRows> {
  const { batch, steps, scriptedPolicy } = recipe.format;
  if (agent.kind !== "memagent" || scriptedPolicy.kind !== "world")
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `format.scriptedPolicy.kind: is ${scriptedPolicy.kind}, which needs the agent memagent; set agent.kind: memagent or use another kind`,
    );
  const rows = await worldDemonstrations({
    tokenizer,
    config: agent.config,
    count: Math.min(mostWorldRows, batch * steps),
    seed,
    reading: scriptedPolicy,
    chances: scriptedPolicy,
  });
  return stageOf(rows, batch);
}

/** Takes rows in order, and begins again after the last. */
function stageOf(rows: readonly SupervisedRow[], batch: number): StageRows {
  const stage = (step: number) =>
    Array.from({ length: batch }, (_, i) => rows[(step * batch + i) % rows.length] as SupervisedRow);
  const longest = rows.reduce((most, { tokenIds }) => Math.max(most, tokenIds.length), 0);
  return Object.assign(stage, { longest });
}

/** Facts, talk and what takes facts back are equally frequent in demonstrations. */
const streamShare = 1 / 3;

/** At most this many conversations with a store are generated, at a millisecond each; further steps reuse them. */
const mostConversations = 4096;

async function storeStage(
  { agent, format, words }: BaseRecipe,
  seed: number,
  tokenizer: Tokenizer,
): Promise<StageRows> {
  const { batch, steps, scriptedPolicy: chances } = format;
  if (agent.kind !== "memupdate")
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `format.scriptedPolicy.kind: is ${chances.kind}, which needs the agent memupdate; set agent.kind: memupdate or use another kind`,
    );
  const { config } = agent;
  const { names, values, likesSentence } = words;
  const wanted = Math.min(mostConversations, batch * steps);
  const rows: SupervisedRow[] = [];
  if (chances.kind === "stream") {
    const { turns, told } = chances;
    const count = Math.ceil((4 * wanted) / turns);
    const streams = openStreamTasks({
      ...{ count, turns, told, seed: `${seed}/format`, chats: streamShare, takenBack: streamShare },
      ...{ unsaid: 1, subjects: [...names], values: [...values], forms: streamForms(words, chances) },
    });
    const tasks = await Promise.all(Array.from({ length: count }, (_, at) => streams.open(at)));
    rows.push(...(await streamDemonstrations({ tokenizer, config, tasks, seed, chances })));
  } else if (chances.kind === "store") {
    const tasks = storeTasks({
      ...{ count: wanted, seed: `${seed}/format`, people: chances.people },
      ...{ names, values, likesSentence },
    });
    rows.push(...(await storeDemonstrations({ tokenizer, config, tasks, seed, chances })));
  }
  return stageOf(rows, batch);
}

function readingAgent({ agent }: BaseRecipe): ReadingAgentSettings {
  if (agent.kind !== "memupdate") return agent;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    "agent.kind: is memupdate, which reads no document; use format.scriptedPolicy.kind: store or stream with it",
  );
}

/** Returns a tokenizer that encodes each text once and caches it, because a small world repeats its sentences. */
export function rememberingTokenizer(tokenizer: Tokenizer): Tokenizer {
  const known = new Map<string, number[]>();
  return {
    decode: (tokenIds) => tokenizer.decode(tokenIds),
    specialTokenId: (text) => tokenizer.specialTokenId(text),
    encode(text) {
      let ids = known.get(text);
      if (ids === undefined) {
        ids = tokenizer.encode(text);
        known.set(text, ids);
      }
      return ids;
    },
  };
}
