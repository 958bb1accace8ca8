import { type MemAgentConfig, memAgentPrompts, type Tokenizer } from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";
import { type Demonstration, evidenceOf, lastWord, wholeSentences } from "./demonstration.js";
import { rowsOf, sectionOf } from "./needle-policy.js";
import { policyDraws } from "./policy-draws.js";

/** What a reader without an aim does with a memory of two facts, as chances in [0, 1]. */
export interface TwoHopPolicyChances {
  /** A row asks for the answer; else for a new memory. */
  readonly answer: number;
  /** The prompt's memory is the initial one. */
  readonly emptyMemory: number;
  /** It is one fact; what is left of 1: two. */
  readonly oneFact: number;
  /** Each fact of the memory is the chain's own; else a fact of another chain. */
  readonly ownFact: number;
  /** The section holds the chain's next fact; only where the memory lacks it. */
  readonly nextInSection: number;
  /** The section holds it and the memory is kept all the same. */
  readonly keepBesideNext: number;
  /** The section holds it and the memory takes it; what is left of 1: another fact of the section is taken. */
  readonly takeNext: number;
  /** The section does not hold it and the memory is kept; what is left of 1: another fact of the section is taken. */
  readonly keep: number;
}

export interface TwoHopPolicyOptions {
  readonly tokenizer: Tokenizer;
  readonly config: MemAgentConfig;
  /** Two-hop tasks with some more sentences than a chunk holds: each gives one row. */
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chances: TwoHopPolicyChances;
  /** Sentences that state nothing: they stand in sections and are never written. */
  readonly fillers?: readonly string[];
  /** The answer's form around {answer}. */
  readonly answerForm?: string;
}

/**
 * Demonstrations (see `memAgentDemonstrations`) of a reader that notes up to two facts, one after the other. What it takes goes
 * behind the one fact that it has, or replaces an empty or full memory. So a model can copy a fact, and add one
 * to another, and does not know which chain pays.
 *
 * @throws {AgentError} BAD_CONFIG when a task names no evidence or has too few sentences
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

/** Behind the one fact that stands there; a chain's beginning, and what finds no room, starts anew. */
function withFact(noted: readonly string[], taken: string, isNext: boolean, begun: boolean): string {
  if (isNext) return begun ? `${noted[0]}${taken}` : taken;
  return noted.length === 1 ? `${noted[0]}${taken}` : taken;
}
