import { AgentError, type MemAgentConfig, memAgentPrompts, type Tokenizer } from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";
import { type Demonstration, evidenceOf, lastWord, wholeSentences } from "./demonstration.js";
import { policyDraws } from "./policy-draws.js";

/** How often a scripted reader of an agent with an exit gate ends its reading. Both default to 0. */
export interface GateChances {
  /** After a memory that ends with the answer. */
  readonly stopRight?: number | undefined;
  /** After any other memory. */
  readonly stop?: number | undefined;
}

export interface ReaderOptions<Chances extends GateChances> {
  readonly tokenizer: Tokenizer;
  readonly config: MemAgentConfig;
  /** Tasks that name their evidence, each with some more sentences than fit in a chunk; each gives one row. */
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chances: Chances;
  /** Sentences that state nothing; they occur in sections and are never written to the memory. */
  readonly fillers?: readonly string[];
  /** The text of an answer, with the slot {answer}. Default: the answer in \boxed{}. */
  readonly answerForm?: string;
}

/** What a scripted reader of one task decides in, and the rows that it can make of its decision. */
export interface Scene {
  readonly task: Task;
  readonly evidence: readonly string[];
  readonly initialMemory: string;
  /** The sentences of a section without evidence; the policy may replace one of them. */
  readonly section: string[];
  /** The facts that follow the section. */
  readonly unread: readonly string[];
  /** Draws uniformly from [0, 1). */
  readonly chance: () => number;
  /** Draws an index below `count`. */
  readonly place: (count: number) => number;
  /** Returns the sentences that state something. */
  readonly facts: (sentences: readonly string[]) => string[];
  /** Makes a row whose answer is read from the memory. */
  readonly answer: (memory: string, helpful: boolean) => Demonstration;
  /** Makes a row that replaces the memory after the section. */
  readonly update: (memory: string, target: string, helpful: boolean) => Demonstration;
}

/**
 * Generates demonstrations that show the format of replies but not the goal: memories are kept or overwritten with
 * fixed probabilities, and answers are read from the memory. A model trained on them can copy any fact, but does not
 * know which one is rewarded, so that everything it improves at later was taught by the reward. For an agent with gates
 * a memory that is kept is its mark, and the reading ends at random, more often or not after a right memory.
 *
 * @throws {AgentError} BAD_CONFIG if a task names no evidence or has too few sentences
 */
export function readerDemonstrations<Chances extends GateChances>(
  options: ReaderOptions<Chances>,
  decide: (scene: Scene, chances: Chances) => Demonstration,
): Demonstration[] {
  const { tokenizer, config, fillers = [], answerForm = " \\boxed{{answer}}" } = options;
  const prompts = memAgentPrompts(tokenizer, config);
  const row = (kind: Demonstration["kind"], prompt: number[], target: string, helpful: boolean) => {
    const targetIds = [...tokenizer.encode(target), prompts.stopTokenIds[0] as number];
    const lossMask = [...prompt.map(() => 0), ...targetIds.map(() => 1)];
    return { kind, tokenIds: [...prompt, ...targetIds], lossMask, helpful };
  };
  const facts = (sentences: readonly string[]) => sentences.filter((text) => !fillers.includes(text));
  return options.tasks.map((task, index) => {
    const chance = policyDraws(options.seed, index);
    const bound = prompts.bind(task.question);
    const evidence = evidenceOf(task);
    const others = wholeSentences(task.document, ".").filter((text) => !evidence.includes(text));
    const section = sectionOf(task, others, tokenizer, config.chunkTokens);
    const scene: Scene = {
      ...{ task, evidence, section, chance, facts, initialMemory: config.initialMemory },
      unread: facts(others.slice(section.length)),
      place: (count) => Math.floor(chance() * count),
      answer: (memory, helpful) => {
        const answer = answerForm.replace("{answer}", lastWord(memory));
        return row("final", bound.final(tokenizer.encode(memory)), answer, helpful);
      },
      update: (memory, target, helpful) => {
        const read = section.flatMap((text) => tokenizer.encode(text));
        const { keep, stop } = config.gates ?? {};
        const written = keep !== undefined && target === memory ? keep : target;
        const ends = stop !== undefined && chance() < chanceToStop(options.chances, target, task);
        const reply = ends ? `${written}${stop}` : written;
        return row("memory", bound.memory(tokenizer.encode(memory), read), reply, helpful);
      },
    };
    return decide(scene, options.chances);
  });
}

const chanceToStop = ({ stopRight = 0, stop = 0 }: GateChances, memory: string, { answers }: Task) =>
  answers.includes(lastWord(memory)) ? stopRight : stop;

/** Returns as many of the first sentences as fit in a chunk. @throws {AgentError} BAD_CONFIG if they do not fill it */
function sectionOf(
  task: Task,
  others: readonly string[],
  tokenizer: Tokenizer,
  chunkTokens: number,
): string[] {
  const section: string[] = [];
  let left = chunkTokens;
  for (const text of others) {
    left -= tokenizer.encode(text).length;
    if (left < 0) return section;
    section.push(text);
  }
  throw new AgentError(
    "BAD_CONFIG",
    `tasks: "${task.id}" has ${others.length} sentences besides its evidence, too few to fill a chunk of ${chunkTokens} tokens; give it more sentences, or lower chunkTokens`,
  );
}
