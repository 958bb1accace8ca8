import { type MemAgentConfig, memAgentPrompts, type Tokenizer } from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";
import { type Demonstration, evidenceOf, lastWord, wholeSentences } from "./demonstration.js";
import { rowsOf, sectionOf } from "./needle-policy.js";
import { policyDraws } from "./policy-draws.js";

/**
 * The scripted policy of a reader that has a memory of two facts and does not pursue the reward, as probabilities in
 * [0, 1].
 */
export interface TwoHopPolicyChances {
  /** The row asks for the answer; otherwise for a new memory. */
  readonly answer: number;
  /** The prompt's memory is the initial one. */
  readonly emptyMemory: number;
  /** The prompt's memory is one fact; with the rest of the probability it is two. */
  readonly oneFact: number;
  /** Each fact of the memory belongs to the asked chain; otherwise to another chain. */
  readonly ownFact: number;
  /** The section contains the chain's next fact; drawn only if the memory does not have the whole chain. */
  readonly nextInSection: number;
  /** If the section contains the next fact, the memory is kept all the same. */
  readonly keepBesideNext: number;
  /** If the section contains it, the memory takes it; with the rest of the probability another fact of the section. */
  readonly takeNext: number;
  /** If the section lacks it, the memory is kept; with the rest of the probability it takes a fact of the section. */
  readonly keep: number;
}

export interface TwoHopPolicyOptions {
  readonly tokenizer: Tokenizer;
  readonly config: MemAgentConfig;
  /** Two-hop tasks, each with some more sentences than fit in a chunk; each gives one row. */
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chances: TwoHopPolicyChances;
  /** Sentences that state nothing; they occur in sections and are never written to the memory. */
  readonly fillers?: readonly string[];
  /** The text of an answer, with the slot {answer}. Default: the answer in \boxed{}. */
  readonly answerForm?: string;
}

/**
 * Generates demonstrations (see `memAgentDemonstrations`) of a reader that notes up to two facts, one after the other.
 * A fact that it takes is appended to a memory of one fact, and replaces an empty or full memory. So a model trained on
 * them can copy a fact and append one to another, but does not know which chain is rewarded.
 *
 * @throws {AgentError} BAD_CONFIG if a task names no evidence or has too few sentences
 */
export function memAgentTwoHopDemonstrations(options: TwoHopPolicyOptions): Demonstration[] {
  const prompts = memAgentPrompts(options.tokenizer, options.config);
  return options.tasks.map((task, index) => {
    const chance = policyDraws(options.seed, index);
    return demonstration(options, prompts, task, chance);
  });
}

function demonstration(
  options: TwoHopPolicyOptions,
  prompts: ReturnType<typeof memAgentPrompts>,
  task: Task,
  chance: () => number,
): Demonstration {
  const { tokenizer, config, chances, fillers = [], answerForm = " \\boxed{{answer}}" } = options;
  const place = (count: number) => Math.floor(chance() * count);
  const evidence = evidenceOf(task);
  const others = wholeSentences(task.document, ".").filter((text) => !evidence.includes(text));
  const section = sectionOf(task, others, tokenizer, config.chunkTokens);
  const facts = (sentences: readonly string[]) => sentences.filter((text) => !fillers.includes(text));

  const unread = facts(others.slice(section.length));
  const noted: string[] = [];
  const held = chance();
  const wanted = held < chances.emptyMemory ? 0 : held < chances.emptyMemory + chances.oneFact ? 1 : 2;
  for (let at = 0; at < wanted; at++) {
    const own = chance() < chances.ownFact || unread.length === 0;
    noted.push(own ? (evidence[at] as string) : (unread[place(unread.length)] as string));
  }
  const memory = noted.length === 0 ? config.initialMemory : noted.join("");
  const bound = prompts.bind(task.question);
  const row = rowsOf(tokenizer, prompts);
  if (chance() < chances.answer) {
    const answer = answerForm.replace("{answer}", lastWord(memory));
    return row("final", bound.final(tokenizer.encode(memory)), answer, lastWord(memory) === task.answers[0]);
  }
  const begun = noted[0] === evidence[0];
  const next = begun ? (noted[1] === evidence[1] ? undefined : evidence[1]) : evidence[0];
  const offered = next !== undefined && chance() < chances.nextInSection;
  if (offered) section[place(section.length)] = next;
  const rest = facts(section).filter((text) => text !== next);
  const drawn = chance();
  const kept = drawn < (offered ? chances.keepBesideNext : chances.keep);
  const takesNext = offered && (drawn < chances.keepBesideNext + chances.takeNext || rest.length === 0);
  const taken = takesNext ? next : rest[place(rest.length)];
  const prompt = bound.memory(
    tokenizer.encode(memory),
    section.flatMap((text) => tokenizer.encode(text)),
  );
  if (kept || taken === undefined) return row("memory", prompt, memory, !offered);
  return row("memory", prompt, withFact(noted, taken, taken === next, begun), takesNext);
}

/**
 * Returns the memory with a fact added. The chain's second fact goes after its first one, and any other fact after the
 * only one. The chain's first fact, and a fact for which there is no room, replaces the whole memory.
 */
function withFact(noted: readonly string[], taken: string, isNext: boolean, begun: boolean): string {
  if (isNext) return begun ? `${noted[0]}${taken}` : taken;
  return noted.length === 1 ? `${noted[0]}${taken}` : taken;
}
