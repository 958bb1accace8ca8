import type { Task } from "@palimpsest/trajectories";
import { callSeed } from "../episode.js";
import { AgentError } from "../error.js";
import type { Tokenizer } from "../sampler.js";
import type { MemAgentConfig } from "./config.js";
import { memAgentPrompts } from "./memagent.js";

/** A supervised row: what the learner's warm start reads, one per memory update or answer. */
export interface Demonstration {
  readonly kind: "memory" | "final";
  /** Prompt, target, stop token. */
  readonly tokenIds: readonly number[];
  /** 1 on target and stop token, 0 on the prompt; one a token. */
  readonly lossMask: readonly number[];
  /** False where the target is an unhelpful memory on purpose. */
  readonly helpful: boolean;
}

export interface DemonstrationOptions {
  readonly tokenizer: Tokenizer;
  readonly config: MemAgentConfig;
  /** Tasks whose metadata hold `evidence`, in a two-hop task also `secondEvidence`: sentences of the document. */
  readonly tasks: readonly Task[];
  readonly seed: number;
  /**
   * Share of memory updates whose target is another sentence of the section, in [0, 1]. The model then
   * learns to read and to write, but not which memory pays: that is left for the reward to teach. Default 0.
   */
  readonly wrongFraction?: number;
  /** Share of prompts whose memory holds a sentence of an earlier section instead of the right one. Default 0. */
  readonly wrongMemoryFraction?: number;
  /** Memory of a two-hop task after its second fact: that fact alone, or both. Default "latest". */
  readonly keep?: "latest" | "all";
  /** The answer's form around {answer}. */
  readonly answerForm?: string;
}

/**
 * Demonstrations of MemAgent for the warm start: for every chunk of every task the prompt that the agent
 * would build and the memory that a reader would write, and the final prompt with the value that its memory
 * holds (right or wrong: reading it back is the skill). Rows are independent: each prompt's memory is drawn
 * on its own. A fact that spans two chunks is written by the one that ends it; an origin read before the
 * fact about the name is not noted, since nobody could know it matters.
 *
 * @throws {AgentError} BAD_CONFIG when a task names no evidence, or a target is longer than its token limit
 */
export function memAgentDemonstrations(options: DemonstrationOptions): Demonstration[] {
  const prompts = memAgentPrompts(options.tokenizer, options.config);
  return options.tasks.flatMap((task, index) =>
    taskDemonstrations(options, prompts, task, callSeed(options.seed, index)),
  );
}

function taskDemonstrations(
  options: DemonstrationOptions,
  prompts: ReturnType<typeof memAgentPrompts>,
  task: Task,
  seed: number,
): Demonstration[] {
  const { tokenizer, config, wrongFraction = 0, wrongMemoryFraction = 0, keep = "latest" } = options;
  const { answerForm = " \\boxed{{answer}}" } = options;
  let draws = 0;
  const chance = () => callSeed(seed, draws++) / 2 ** 31;
  const pick = (items: readonly string[]) => items[Math.floor(chance() * items.length)];

  const documentIds = tokenizer.encode(task.document);
  const chunks = Math.ceil(documentIds.length / config.chunkTokens);
  const section = (chunk: number) =>
    documentIds.slice(chunk * config.chunkTokens, (chunk + 1) * config.chunkTokens);
  const facts = notedFacts(task, documentIds, tokenizer, config.chunkTokens);
  const rightMemory = (chunksRead: number) => {
    const seen = facts.filter((fact) => fact.chunk < chunksRead).map((fact) => fact.text);
    if (seen.length === 0) return config.initialMemory;
    return keep === "all" ? seen.join("") : (seen.at(-1) as string);
  };
  const fits = (text: string) => tokenizer.encode(text).length < config.memoryTokens;
  const otherSentences = (chunk: number) =>
    wholeSentences(tokenizer.decode(section(chunk)), chunk > 0 ? tokenizer.decode(section(chunk - 1)) : ".")
      .filter((text) => !facts.some((fact) => fact.text.trim() === text.trim()))
      .filter(fits);
  const memoryInPrompt = (chunksRead: number) => {
    if (chunksRead === 0 || chance() >= wrongMemoryFraction) return rightMemory(chunksRead);
    return pick(otherSentences(Math.floor(chance() * chunksRead))) ?? rightMemory(chunksRead);
  };

  const bound = prompts.bind(task.question);
  const row = (
    kind: Demonstration["kind"],
    prompt: number[],
    target: string,
    most: number,
    helpful: boolean,
  ) => {
    const targetIds = [...tokenizer.encode(target), prompts.stopTokenIds[0] as number];
    if (targetIds.length > most) {
      const field = kind === "memory" ? "memoryTokens" : "finalTokens";
      throw new AgentError(
        "BAD_CONFIG",
        `${field}: ${most} cannot hold the target "${target}" of ${targetIds.length} tokens with its stop token; raise it`,
      );
    }
    return {
      kind,
      tokenIds: [...prompt, ...targetIds],
      lossMask: [...prompt.map(() => 0), ...targetIds.map(() => 1)],
      helpful,
    };
  };

  const rows: Demonstration[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const before = memoryInPrompt(chunk);
    const wrong = chance() < wrongFraction ? pick(otherSentences(chunk)) : undefined;
    // A reader who learns nothing here keeps what stands there, right or wrong.
    const learned = facts.some((fact) => fact.chunk === chunk);
    const target = wrong ?? (learned ? rightMemory(chunk + 1) : before);
    const prompt = bound.memory(tokenizer.encode(before), section(chunk));
    rows.push(row("memory", prompt, target, config.memoryTokens, wrong === undefined));
  }
  const last = memoryInPrompt(chunks);
  const answer =
    last === rightMemory(chunks) && facts.length === evidenceOf(task).length
      ? task.answers[0]
      : lastWord(last);
  const prompt = bound.final(tokenizer.encode(last));
  rows.push(row("final", prompt, answerForm.replace("{answer}", answer as string), config.finalTokens, true));
  return rows;
}

/** The facts that a reader notes, in order, with the chunk that ends each. */
function notedFacts(
  task: Task,
  documentIds: readonly number[],
  tokenizer: Tokenizer,
  chunkTokens: number,
): { text: string; chunk: number }[] {
  const noted: { text: string; chunk: number }[] = [];
  for (const text of evidenceOf(task)) {
    const at = task.document.indexOf(text);
    if (at < 0) {
      throw new AgentError(
        "BAD_CONFIG",
        `tasks: the document of "${task.id}" does not hold its evidence "${text}"`,
      );
    }
    const end = tokenizer.encode(task.document.slice(0, at + text.length)).length;
    const chunk = Math.floor((Math.min(end, documentIds.length) - 1) / chunkTokens);
    if (chunk < (noted.at(-1)?.chunk ?? 0)) break;
    noted.push({ text, chunk });
  }
  return noted;
}

export function evidenceOf(task: Task): string[] {
  const { evidence, secondEvidence } = task.metadata as { evidence?: unknown; secondEvidence?: unknown };
  if (typeof evidence !== "string") {
    throw new AgentError(
      "BAD_CONFIG",
      `tasks: "${task.id}" has no evidence in its metadata; use tasks of the ruler generator`,
    );
  }
  return typeof secondEvidence === "string" ? [evidence, secondEvidence] : [evidence];
}

/** Sentences that stand whole in a section: not the rest of one that the section before began. */
export function wholeSentences(text: string, before: string): string[] {
  const ended = text.match(/[^.]*\.\s*?/g) ?? [];
  return before.trimEnd().endsWith(".") ? ended : ended.slice(1);
}

export const lastWord = (text: string): string => /([^\s.]+)[.\s]*$/.exec(text)?.[1] ?? text.trim();
