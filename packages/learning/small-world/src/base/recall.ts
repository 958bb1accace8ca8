import { DatasetError } from "@palimpsest/datasets";
import { createRandom } from "@palimpsest/std/random";
import { type RulerConfigInput, rulerConfigSchema } from "../tasks/ruler-config.js";

/** A text segment of a supervised row; only trained segments count in the loss. */
export interface TextSegment {
  readonly text: string;
  readonly trained: boolean;
}

/**
 * Generates rows for dense recall: each shows some facts about different names, then repeats facts from among them in
 * another order, with their values trained. From these rows a small model learns to look names up in seconds, while
 * single questions teach it slowly. The words and sentence forms are those of the task generator, so that both use the
 * same tokens.
 *
 * @param options.facts how many facts a row shows, from 2 to the number of names
 * @param options.questions how many facts a row asks for, drawn with replacement; absent: each fact once
 * @returns `count` rows; row i depends on the seed and i only
 * @throws {DatasetError} BAD_CONFIG
 */
export function recallRows(options: {
  readonly count: number;
  readonly facts: number;
  readonly questions?: number;
  readonly seed: number | string;
  /** The text with which every row begins, such as a begin-of-text token. */
  readonly prefix?: string;
  /** Share of the facts that say where a value is from, in [0, 1]. Default 0: all facts say what a name likes. */
  readonly originFraction?: number;
  /** Words and sentence forms. Default: those of the task generator. */
  readonly words?: Pick<RulerConfigInput, "names" | "values" | "places" | "likesSentence" | "originSentence">;
}): TextSegment[][] {
  const config = rulerConfigSchema.parse({ ...options.words, sentences: 2 });
  if (options.facts < 2 || options.facts > config.names.length) {
    throw new DatasetError(
      "BAD_CONFIG",
      `facts: ${options.facts} is not from 2 to ${config.names.length}, the number of names; change it or give more names`,
    );
  }
  const { originFraction = 0 } = options;
  const likes = sentenceParts("likesSentence", config.likesSentence, "name", "value");
  const origin =
    originFraction > 0 ? sentenceParts("originSentence", config.originSentence, "value", "place") : undefined;

  return Array.from({ length: options.count }, (_, index) => {
    const random = createRandom(`${options.seed}/recall/${index}`);
    const values = origin ? random.shuffle(config.values) : [];
    const facts = random
      .shuffle(config.names)
      .slice(0, options.facts)
      .map((name): Fact => {
        const asked = origin && random.float() < originFraction ? values.pop() : undefined;
        return origin && asked !== undefined
          ? { parts: origin, asked, answer: random.pick(config.places) }
          : { parts: likes, asked: name, answer: random.pick(config.values) };
      });
    const sentence = ({ parts, asked, answer }: Fact) => [
      parts.before.replace(parts.askedSlot, asked),
      parts.answer.replace(parts.answerSlot, answer),
      parts.after,
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

/** A sentence form, split around the word that is trained. */
interface SentenceParts {
  readonly before: string;
  readonly answer: string;
  readonly after: string;
  readonly askedSlot: string;
  readonly answerSlot: string;
}

interface Fact {
  readonly parts: SentenceParts;
  readonly asked: string;
  readonly answer: string;
}

function sentenceParts(field: string, form: string, asked: string, answer: string): SentenceParts {
  const answerSlot = `{${answer}}`;
  const slot = form.indexOf(answerSlot);
  if (slot < 0)
    throw new DatasetError(
      "BAD_CONFIG",
      `${field}: contains no ${answerSlot}; put it where the answer belongs`,
    );
  // The space before the word is part of the answer, because together they are one token.
  const from = form[slot - 1] === " " ? slot - 1 : slot;
  const end = slot + answerSlot.length;
  return {
    before: form.slice(0, from),
    answer: form.slice(from, end),
    after: form.slice(end),
    askedSlot: `{${asked}}`,
    answerSlot,
  };
}
