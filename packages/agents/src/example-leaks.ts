/**
 * Responsibility: keeps what an agent's examples say out of its memories, and counts where it would have come in.
 * Not responsible for: what an example is (prompt-example.ts).
 *
 * Invariants:
 * - LEAKS-1. No memory holds a name that the examples hold and nothing else did that its writer was shown.
 * - LEAKS-2. A memory without such a name keeps the tokens that were sampled.
 */
import type { PromptExample } from "./prompt-example.js";

/** A name stands within a sentence: before it is a word or a comma, not a beginning, where every word has a capital. */
const namePattern = /(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{M}'’-]+/gu;
const wordPattern = /[\p{L}\p{M}\p{N}'’-]+/gu;

/**
 * The names that a prompt's examples hold and that stand nowhere in lower case: a reply that uses one has it from the
 * examples, unless what it was shown besides holds it too.
 */
export function exampleNames(examples: readonly PromptExample[]): ReadonlySet<string> {
  const texts = examples.flatMap(({ user, assistant }) => [user, assistant]);
  const words = new Set(texts.flatMap((text) => text.match(wordPattern) ?? []));
  const names = texts.flatMap((text) => text.match(namePattern) ?? []);
  return new Set(names.filter((name) => !words.has(name.toLowerCase())));
}

/**
 * Names of the examples that a reply holds and that nothing else it was shown does.
 * @param shown the question, the section, the memory before: all that the model read besides the examples
 */
export function leakedNames(
  reply: string,
  shown: readonly string[],
  names: ReadonlySet<string>,
): readonly string[] {
  if (names.size === 0) return [];
  const said = new Set(reply.match(wordPattern) ?? []);
  const suspect = [...names].filter((name) => said.has(name));
  if (suspect.length === 0) return [];
  const known = new Set(shown.flatMap((text) => text.match(wordPattern) ?? []));
  return suspect.filter((name) => !known.has(name));
}

const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** Keeps names of the examples out of an episode's memories, and counts the replies that had one. */
export class ExampleLeaks {
  readonly #memoryNames: ReadonlySet<string>;
  readonly #finalNames: ReadonlySet<string>;
  readonly #counts: { leaked_memories: number; leaked_answers: number };

  /** @param before counts of the episode that is gone on with */
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

  /** Whether there is anything to leak; else nobody need make texts of tokens. */
  get watches(): boolean {
    return this.#memoryNames.size + this.#finalNames.size > 0;
  }

  /** Empty where nothing can leak, so that counters appear only where they say something. */
  get counts(): Readonly<Record<string, number>> {
    return this.watches ? { ...this.#counts } : {};
  }

  /**
   * A memory without the sentences in which names of the examples stand.
   * @param shown the question, the section, the memory before: all that the model read besides the examples
   * @returns undefined: nothing leaked, the memory stays as it was sampled; "": no sentence is without a leaked name
   */
  kept(memory: string, shown: readonly string[]): string | undefined {
    const leaked = leakedNames(memory, shown, this.#memoryNames);
    if (leaked.length === 0) return undefined;
    this.#counts.leaked_memories += 1;
    const names = new Set(leaked);
    return Array.from(sentences.segment(memory), ({ segment }) => segment)
      .filter((sentence) => !(sentence.match(wordPattern) ?? []).some((word) => names.has(word)))
      .join("")
      .trim();
  }

  /** The answer is the end of an episode and what a reward judges: it stays, and is counted. */
  answer(text: string, shown: readonly string[]): void {
    if (leakedNames(text, shown, this.#finalNames).length > 0) this.#counts.leaked_answers += 1;
  }
}
