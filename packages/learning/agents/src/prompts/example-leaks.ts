/**
 * Responsibility: keeps names of an agent's few-shot examples out of its memories, and counts the replies that used
 * one.
 * Not responsible for: what an example is (prompt-example.ts).
 *
 * Invariants:
 * - LEAKS-1. A memory contains a name of the examples only if something else that its writer was shown contains it too.
 * - LEAKS-2. A memory without such a name keeps the tokens that were sampled.
 */
import { orderedWords, sentences } from "@palimpsest/memory/text";
import type { PromptExample } from "./prompt-example.js";

/**
 * Matches capitalized words within a sentence, after a word or a comma. The first word of a sentence is always
 * capitalized, so it is not taken as a name.
 */
const namePattern = /(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{M}'’-]+/gu;
const wordPattern = /[\p{L}\p{M}\p{N}'’-]+/gu;
/** A name is a word of its own between letters of a script that has no spaces. */
const wordsOf = (text: string): string[] => orderedWords(text, wordPattern);

/**
 * Returns the names in a prompt's examples that never occur there in lower case. A reply that uses one has copied it
 * from the examples, unless the rest of what the model was shown contains it too.
 */
export function exampleNames(examples: readonly PromptExample[]): ReadonlySet<string> {
  const texts = examples.flatMap(({ user, assistant }) => [user, assistant]);
  const words = new Set(texts.flatMap(wordsOf));
  const names = texts.flatMap((text) => text.match(namePattern) ?? []);
  return new Set(names.filter((name) => !words.has(name.toLowerCase())));
}

/**
 * Returns the names of the examples that a reply contains although nothing else that the model read contains them.
 * @param shown everything that the model read besides the examples: the question, the section, the memory before
 */
export function leakedNames(
  reply: string,
  shown: readonly string[],
  names: ReadonlySet<string>,
): readonly string[] {
  if (names.size === 0) return [];
  const said = new Set(wordsOf(reply));
  const suspect = [...names].filter((name) => said.has(name));
  if (suspect.length === 0) return [];
  const known = new Set(shown.flatMap(wordsOf));
  return suspect.filter((name) => !known.has(name));
}

/** Keeps names of the examples out of an episode's memories, and counts the replies that had one. */
export class ExampleLeaks {
  readonly #memoryNames: ReadonlySet<string>;
  readonly #finalNames: ReadonlySet<string>;
  readonly #counts: { leaked_memories: number; leaked_answers: number };

  /** @param before the counters of the episode that is resumed */
  constructor(
    config: {
      readonly memoryExamples: readonly PromptExample[];
      readonly finalExamples: readonly PromptExample[];
    },
    before: Readonly<Record<string, number>> = {},
  ) {
    this.#memoryNames = exampleNames(config.memoryExamples);
    this.#finalNames = exampleNames(config.finalExamples);
    const { leaked_memories = 0, leaked_answers = 0 } = before;
    this.#counts = { leaked_memories, leaked_answers };
  }

  /** True if any name can leak; otherwise callers need not decode tokens to texts. */
  get watches(): boolean {
    return this.#memoryNames.size + this.#finalNames.size > 0;
  }

  /** The counters; empty if nothing can leak, so that they are reported only by agents to which they apply. */
  get counts(): Readonly<Record<string, number>> {
    return this.watches ? { ...this.#counts } : {};
  }

  /**
   * Removes the sentences that contain leaked names from a memory, and counts the memory if there are any.
   * @param shown everything that the model read besides the examples: the question, the section, the memory before
   * @returns the rest of the memory; undefined if nothing leaked, so that the memory stays as it was sampled; "" if
   *   every sentence contains a leaked name
   */
  kept(memory: string, shown: readonly string[]): string | undefined {
    const leaked = leakedNames(memory, shown, this.#memoryNames);
    if (leaked.length === 0) return undefined;
    this.#counts.leaked_memories += 1;
    const names = new Set(leaked);
    return memory
      .split(/(?<=\n)/)
      .flatMap(sentences)
      .filter((sentence) => !wordsOf(sentence).some((word) => names.has(word)))
      .join("")
      .trim();
  }

  /** Counts an answer with a leaked name. The answer is not changed, because it is what a reward judges. */
  answer(text: string, shown: readonly string[]): void {
    if (leakedNames(text, shown, this.#finalNames).length > 0) this.#counts.leaked_answers += 1;
  }
}
