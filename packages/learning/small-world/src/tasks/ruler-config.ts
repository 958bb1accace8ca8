import { z } from "zod";
import { defaultFillers, defaultNames, defaultPlaces, defaultValues } from "./vocabulary.js";

const fraction = z.number().min(0).max(1);

const word = z.string().regex(/^[^\s{}]+$/, "must be one word without spaces or braces");

const wordList = z.array(word).min(2).readonly();

/** Returns the schema of the words of one kind: a list, a text of words, or how many of the default words to take. */
function vocabulary(defaults: readonly string[], what: string) {
  return z
    .union([wordList, z.string(), z.int().min(2).max(defaults.length)])
    .default(defaults.length)
    .transform((value): readonly string[] => {
      if (typeof value === "number") return defaults.slice(0, value);
      return typeof value === "string" ? value.split(/\s+/).filter((text) => text !== "") : value;
    })
    .pipe(wordList)
    .refine((value) => new Set(value).size === value.length, `${what}: a word occurs twice; give each once`)
    .describe(
      `${what}: a list of words, words separated by spaces, or the number of default words to use, at most ${defaults.length}`,
    );
}

const amount = (least: number) =>
  z.union([
    z.int().min(least),
    z
      .strictObject({ min: z.int().min(least), max: z.int().min(least) })
      .refine((range) => range.min <= range.max, "min must not be greater than max"),
  ]);

export const rulerKinds = ["needle", "two-hop"] as const;
export type RulerKind = (typeof rulerKinds)[number];

/** Settings of the generator of needle and two-hop tasks. */
export const rulerConfigSchema = z
  .strictObject({
    kind: z
      .enum([...rulerKinds, "mixed"])
      .default("needle")
      .describe(
        "needle: one fact answers the question; two-hop: two facts form a chain; mixed: both kinds in turn",
      ),
    count: z.int().min(1).default(1).describe("number of tasks"),
    seed: z
      .union([z.int(), z.string()])
      .default(0)
      .describe("the same seed and settings give the same tasks"),
    sentences: amount(2)
      .optional()
      .describe("sentences per document; from a range it is drawn uniformly for each task"),
    lengthTokens: amount(8)
      .optional()
      .describe(
        "most tokens per document, instead of `sentences`; documents are at most one sentence shorter",
      ),
    sentenceTokens: z
      .int()
      .min(1)
      .default(4)
      .describe("tokens per sentence, to apply lengthTokens without a tokenizer"),
    depth: fraction
      .optional()
      .describe(
        "relative position of the asked fact (two-hop: of the first one), from 0, the first sentence, to 1, the last; absent: uniform",
      ),
    secondDepth: fraction
      .optional()
      .describe(
        "two-hop: relative position of the second fact; absent: uniform over the positions that hopOrder allows",
      ),
    hopOrder: z
      .enum(["forward", "backward", "random"])
      .default("forward")
      .describe(
        "two-hop: order of the facts. forward: the fact about the name precedes the one about the value's origin; backward: it follows it",
      ),
    fillerFraction: fraction.default(0).describe("fraction of the other sentences that state no fact"),
    names: vocabulary(defaultNames, "names"),
    values: vocabulary(defaultValues, "values"),
    places: vocabulary(defaultPlaces, "places"),
    fillers: z
      .array(z.string().min(1))
      .min(1)
      .default([...defaultFillers])
      .describe("the sentences that state no fact"),
    likesSentence: z
      .string()
      .default(" {name} likes {value}.")
      .describe("sentence that states a fact about a name, with its leading space"),
    originSentence: z
      .string()
      .default(" {value} from {place}.")
      .describe("sentence that states where a value is from, with its leading space"),
    needleQuestion: z.string().default("what does {name} like?").describe("question of a needle task"),
    twoHopQuestion: z
      .string()
      .default("where is what {name} likes from?")
      .describe("question of a two-hop task"),
  })
  .refine((config) => (config.sentences === undefined) !== (config.lengthTokens === undefined), {
    error: "set exactly one of sentences and lengthTokens",
  })
  .refine(
    ({ names, values, places }) => {
      // This also runs if one of them is invalid, such as a number that is too large; its own schema reports that.
      if (![names, values, places].every((words) => Array.isArray(words))) return true;
      const words = [...names, ...values, ...places];
      return new Set(words).size === words.length;
    },
    {
      error:
        "names, values and places must have no word in common, because the asked name may occur in one sentence only",
    },
  );

export type RulerConfig = z.infer<typeof rulerConfigSchema>;
/** The settings as a user writes them: every field with a default is optional. */
export type RulerConfigInput = z.input<typeof rulerConfigSchema>;
