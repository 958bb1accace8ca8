import { DatasetError } from "./error.js";
import { createRandom } from "./random.js";
import { type RulerConfigInput, rulerConfigSchema } from "./ruler-config.js";

/** A stretch of text of a supervised row; the loss counts the trained stretches only. */
export interface TextSegment {
  readonly text: string;
  readonly trained: boolean;
}

/**
 * Dense recall: some facts about different names, then facts out of these in another order with the
 * values trained. A small model learns to look names up from it in seconds, where single questions teach slowly.
 * Uses the words and sentence forms of the generator, so that both speak of the same tokens.
 *
 * @param options.facts facts in a row, 2 … number of names
 * @param options.questions facts asked in a row, drawn with replacement; absent: each once
 * @returns `count` rows; row i depends on the seed and i only
 * @throws {DatasetError} BAD_CONFIG
 */
export function recallRows(options: {
  readonly count: number;
  readonly facts: number;
  readonly questions?: number;
  readonly seed: number | string;
  /** What every row begins with, such as a text-start mark. */
  readonly prefix?: string;
  /** Words and sentence forms; lengths are not used. */
  readonly words?: Pick<RulerConfigInput, "names" | "values" | "places" | "likesSentence">;
}): TextSegment[][] {
  const config = rulerConfigSchema.parse({ ...options.words, sentences: 2 });
  if (options.facts < 2 || options.facts > config.names.length) {
    throw new DatasetError(
      "BAD_CONFIG",
      `facts: ${options.facts} is not within 2 … ${config.names.length}, the number of names`,
    );
  }
  const slot = config.likesSentence.indexOf("{value}");
  if (slot < 0) throw new DatasetError("BAD_CONFIG", "likesSentence: holds no {value}; add it");
  // The space before the value belongs to the value: together they are one token.
  const from = config.likesSentence[slot - 1] === " " ? slot - 1 : slot;
  const before = config.likesSentence.slice(0, from);
  const value = config.likesSentence.slice(from, slot + "{value}".length);
  const after = config.likesSentence.slice(slot + "{value}".length);

  return Array.from({ length: options.count }, (_, index) => {
    const random = createRandom(`${options.seed}/recall/${index}`);
    const facts = random
      .shuffle(config.names)
      .slice(0, options.facts)
      .map((name) => ({ name, value: random.pick(config.values) }));
    const sentence = (fact: { name: string; value: string }) => [
      before.replace("{name}", fact.name),
      value.replace("{value}", fact.value),
      after,
    ];
    const shown = facts.flatMap(sentence).join("");
    const row: TextSegment[] = [{ text: `${options.prefix ?? ""}${shown}`, trained: false }];
    const asked =
      options.questions === undefined
        ? random.shuffle(facts)
        : Array.from({ length: options.questions }, () => random.pick(facts));
    for (const fact of asked) {
      const [head, answer, tail] = sentence(fact) as [string, string, string];
      row.push(
        { text: head, trained: false },
        { text: answer, trained: true },
        { text: tail, trained: false },
      );
    }
    return row;
  });
}
