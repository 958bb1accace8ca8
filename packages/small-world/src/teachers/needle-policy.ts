import { AgentError, type MemAgentConfig, memAgentPrompts, type Tokenizer } from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";
import { type Demonstration, evidenceOf, lastWord, wholeSentences } from "./demonstration.js";
import { policyDraws } from "./policy-draws.js";

/** The scripted policy of a reader that does not pursue the reward, as probabilities in [0, 1]. */
export interface PolicyChances {
  /** The row asks for the answer; otherwise for a new memory. */
  readonly answer: number;
  /** The prompt's memory is the initial one. */
  readonly emptyMemory: number;
  /** The prompt's memory is the asked fact; with the rest of the probability it is another fact. */
  readonly rightMemory: number;
  /** The section contains the asked fact; drawn only if the memory is not that fact. */
  readonly rightInSection: number;
  /** If the section contains the asked fact, the memory is kept all the same. */
  readonly keepBesideRight: number;
  /** If the section contains it, it becomes the memory; with the rest of the probability another of its facts does. */
  readonly writeRight: number;
  /** If the section lacks it, the memory is kept; with the rest of the probability it becomes a fact of the section. */
  readonly keep: number;
}

export interface PolicyOptions {
  readonly tokenizer: Tokenizer;
  readonly config: MemAgentConfig;
  /** Tasks with one piece of evidence and some more sentences than fit in a chunk; each gives one row. */
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chances: PolicyChances;
  /** Sentences that state nothing; they occur in sections and are never written to the memory. */
  readonly fillers?: readonly string[];
  /** The text of an answer, with the slot {answer}. Default: the answer in \boxed{}. */
  readonly answerForm?: string;
}

/**
 * Generates demonstrations that show the format of replies but not the goal: memories are kept or overwritten with
 * fixed probabilities, and answers are read from the memory. A model trained on them can copy any fact, but does not
 * know which one is rewarded, so that everything it improves at later was taught by the reward.
 *
 * @throws {AgentError} BAD_CONFIG if a task names no evidence or has too few sentences
 */
export function memAgentDemonstrations(options: PolicyOptions): Demonstration[] {
  const prompts = memAgentPrompts(options.tokenizer, options.config);
  return options.tasks.map((task, index) => {
    const chance = policyDraws(options.seed, index);
    return demonstration(options, prompts, task, chance);
  });
}

function demonstration(
  options: PolicyOptions,
  prompts: ReturnType<typeof memAgentPrompts>,
  task: Task,
  chance: () => number,
): Demonstration {
  const { tokenizer, config, chances, fillers = [], answerForm = " \\boxed{{answer}}" } = options;
  const place = (count: number) => Math.floor(chance() * count);
  const [right] = evidenceOf(task) as [string];
  const others = wholeSentences(task.document, ".").filter((text) => text !== right);
  const section = sectionOf(task, others, tokenizer, config.chunkTokens);
  const facts = (sentences: readonly string[]) => sentences.filter((text) => !fillers.includes(text));

  const unread = facts(others.slice(section.length));
  const held = chance();
  const memory =
    held < chances.emptyMemory || (held >= chances.emptyMemory + chances.rightMemory && unread.length === 0)
      ? config.initialMemory
      : held < chances.emptyMemory + chances.rightMemory
        ? right
        : (unread[place(unread.length)] as string);
  const bound = prompts.bind(task.question);
  const row = rowsOf(tokenizer, prompts);
  if (chance() < chances.answer) {
    const answer = answerForm.replace("{answer}", lastWord(memory));
    return row("final", bound.final(tokenizer.encode(memory)), answer, memory === right);
  }
  const offered = memory !== right && chance() < chances.rightInSection;
  if (offered) section[place(section.length)] = right;
  const wrong = facts(section).filter((text) => text !== right);
  const drawn = chance();
  const kept = drawn < (offered ? chances.keepBesideRight : chances.keep);
  const takesRight = offered && (drawn < chances.keepBesideRight + chances.writeRight || wrong.length === 0);
  const target =
    kept || (!offered && wrong.length === 0)
      ? memory
      : takesRight
        ? right
        : (wrong[place(wrong.length)] as string);
  const prompt = bound.memory(
    tokenizer.encode(memory),
    section.flatMap((text) => tokenizer.encode(text)),
  );
  return row("memory", prompt, target, target === (offered ? right : memory));
}

/** Returns a function that makes a row of a prompt and its target, the text to be written after it. */
export function rowsOf(tokenizer: Tokenizer, prompts: ReturnType<typeof memAgentPrompts>) {
  return (kind: Demonstration["kind"], prompt: number[], target: string, helpful: boolean): Demonstration => {
    const targetIds = [...tokenizer.encode(target), prompts.stopTokenIds[0] as number];
    return {
      kind,
      tokenIds: [...prompt, ...targetIds],
      lossMask: [...prompt.map(() => 0), ...targetIds.map(() => 1)],
      helpful,
    };
  };
}

/** Returns as many of the first sentences as fit in a chunk. @throws {AgentError} BAD_CONFIG if they do not fill it */
export function sectionOf(
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
    `tasks: "${task.id}" has ${others.length} sentences beside its evidence, which do not fill a chunk of ${chunkTokens} tokens; give it more`,
  );
}
