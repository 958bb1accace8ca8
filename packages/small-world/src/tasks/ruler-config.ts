import { z } from "zod";
import { defaultFillers, defaultNames, defaultPlaces, defaultValues } from "./vocabulary.js";

const fraction = z.number().min(0).max(1);

const word = z.string().regex(/^[^\s{}]+$/, "one word without spaces or braces");

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
    .refine((value) => new Set(value).size === value.length, `${what} must differ from each other`)
    .describe(
      `${what}: a list of words, a text of words with spaces between, or how many of the ${defaults.length} default ones to take`,
    );
}

const amount = (least: number) =>
  z.union([
    z.int().min(least),
    z
      .strictObject({ min: z.int().min(least), max: z.int().min(least) })
      .refine((range) => range.min <= range.max, "min must not be above max"),
  ]);

export const rulerKinds = ["needle", "two-hop"] as const;
export type RulerKind = (typeof rulerKinds)[number];

/** Settings of the generator of needle and two-hop tasks. */
export const rulerConfigSchema = z
  .strictObject({
    kind: z
      .enum([...rulerKinds, "mixed"])
      .default("needle")
      .describe("needle: one fact answers; two-hop: two facts in a chain; mixed: the two in turn"),
    count: z.int().min(1).default(1).describe("how many tasks"),
    seed: z.union([z.int(), z.string()]).default(0).describe("same seed and settings: same tasks"),
    sentences: amount(2)
      .optional()
      .describe("length of a document in sentences; a range is drawn from uniformly, task by task"),
    lengthTokens: amount(8)
      .optional()
      .describe(
        "length of a document in tokens (instead of `sentences`): never longer, at most one sentence shorter",
      ),
    sentenceTokens: z
      .int()
      .min(1)
      .default(4)
      .describe("tokens in one sentence, used with lengthTokens where no tokenizer counts them"),
    depth: fraction
      .optional()
      .describe("place of the (first) asked fact: 0 first sentence, 1 last; absent: uniform over all places"),
    secondDepth: fraction
      .optional()
      .describe("two-hop: place of the second fact; absent: uniform over the places that hopOrder leaves"),
    hopOrder: z
      .enum(["forward", "backward", "random"])
      .default("forward")
      .describe("two-hop: forward puts the fact about the name before the fact about the value's origin"),
    fillerFraction: fraction.default(0).describe("share of the other sentences that state nothing"),
    names: vocabulary(defaultNames, "names"),
    values: vocabulary(defaultValues, "values"),
    places: vocabulary(defaultPlaces, "places"),
    fillers: z
      .array(z.string().min(1))
      .min(1)
      .default([...defaultFillers])
      .describe("the sentences that state nothing"),
    likesSentence: z
      .string()
      .default(" {name} likes {value}.")
      .describe("fact about a name; leading space included"),
    originSentence: z
      .string()
      .default(" {value} from {place}.")
      .describe("fact about where a value comes from; leading space included"),
    needleQuestion: z.string().default("what does {name} like?").describe("question of a needle task"),
    twoHopQuestion: z
      .string()
      .default("where is what {name} likes from?")
      .describe("question of a two-hop task"),
  })
  .refine((config) => (config.sentences === undefined) !== (config.lengthTokens === undefined), {
    error: "give exactly one of sentences and lengthTokens",
  })
  .refine(
    ({ names, values, places }) => {
      // This also runs if one of them is invalid, such as a number that is too large; its own schema reports that.
      if (![names, values, places].every((words) => Array.isArray(words))) return true;
      const words = [...names, ...values, ...places];
      return new Set(words).size === words.length;
    },
    {
      error: "names, values and places must not share a word: the asked name must occur in one sentence only",
    },
  );

export type RulerConfig = z.infer<typeof rulerConfigSchema>;
/** The settings as a user writes them: every field with a default is optional. */
export type RulerConfigInput = z.input<typeof rulerConfigSchema>;
