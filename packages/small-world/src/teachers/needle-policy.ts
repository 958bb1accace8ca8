import { AgentError, type MemAgentConfig, memAgentPrompts, type Tokenizer } from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";
import { type Demonstration, evidenceOf, lastWord, wholeSentences } from "./demonstration.js";
import { policyDraws } from "./policy-draws.js";

/** What a reader without an aim does, as chances in [0, 1]. */
export interface PolicyChances {
  /** A row asks for the answer; else for a new memory. */
  readonly answer: number;
  /** The prompt's memory is the initial one. */
  readonly emptyMemory: number;
  /** The prompt's memory is the asked fact; what is left of 1: another fact. */
  readonly rightMemory: number;
  /** The section holds the asked fact; only where the memory does not. */
  readonly rightInSection: number;
  /** The section holds the asked fact and the memory is kept all the same. */
  readonly keepBesideRight: number;
  /** The section holds the asked fact and the memory becomes it; what is left of 1: another fact of the section. */
  readonly writeRight: number;
  /** The section does not hold it and the memory is kept; what is left of 1: another fact of the section. */
  readonly keep: number;
}

export interface PolicyOptions {
  readonly tokenizer: Tokenizer;
  readonly config: MemAgentConfig;
  /** Tasks with one piece of evidence and some more sentences than a chunk holds: each gives one row. */
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chances: PolicyChances;
  /** Sentences that state nothing: they stand in sections and are never written. */
  readonly fillers?: readonly string[];
  /** The answer's form around {answer}. */
  readonly answerForm?: string;
}

/**
 * Demonstrations of the form without the purpose: memories are kept or overwritten by fixed chances, and
 * answers read back what the memory holds. A model trained on them can copy any fact and does not know
 * which one pays, so that whatever it gets better at afterwards the reward has taught it.
 *
 * @throws {AgentError} BAD_CONFIG when a task names no evidence or has too few sentences
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

/** A row of a prompt and the text that is to be written after it. */
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

/** The first sentences that fill a chunk. */
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
