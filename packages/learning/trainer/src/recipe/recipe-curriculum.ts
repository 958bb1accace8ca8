import { z } from "zod";
import { taskSourceSchema } from "./task-source.js";

const passRatesSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .describe(
      "file of pass rates that `palimpsest data rate` wrote for the questions of `data`, relative to the recipe",
    )
    .meta({ format: "path" }),
  min: z
    .number()
    .default(0.1)
    .describe(
      "questions with a lower pass rate are left out, because a question that is never solved teaches nothing",
    ),
  max: z.number().default(0.9).describe("questions with a higher pass rate are left out"),
});

const rateOrders = ["easy-first", "hard-first"] as const;

export const curriculumSchema = z.strictObject({
  order: z
    .enum(["as-given", "shuffled", "short-first", ...rateOrders])
    .default("as-given")
    .describe(
      "order of the questions. shuffled: random, by the recipe's seed; short-first: by the length of documents, each of which is opened once for it; easy-first, hard-first: `data` by the rates of `passRates`, and the sources of `mix` as given",
    ),
  passRates: passRatesSchema
    .optional()
    .describe(
      "filters the questions of `data` by how often a model solves them; if the rates were measured on another file, each question is opened once",
    ),
  dataWeight: z.number().positive().default(1).describe("weight of `data`, relative to the weights in `mix`"),
  mix: z
    .array(
      z.strictObject({
        weight: z.number().positive().describe("weight of this source, relative to the other weights"),
        data: taskSourceSchema
          .refine((source) => !("module" in source), {
            error: "the questions of a module cannot be mixed in; make them the recipe's `data`",
          })
          .describe("a source of questions, like the recipe's `data`"),
      }),
    )
    .max(63)
    .default([])
    .describe("further sources, interleaved evenly by weight; a source that runs out starts again"),
});

type Curriculum = z.infer<typeof curriculumSchema>;

/** Returns the order if it sorts by rates; otherwise undefined. */
export function rateOrderOf({ order }: Curriculum): (typeof rateOrders)[number] | undefined {
  return rateOrders.find((one) => one === order);
}

/** Returns one line for each problem: the fields, their values, and the fix. */
export function curriculumProblems(curriculum: Curriculum): string[] {
  const { order, passRates } = curriculum;
  if (passRates === undefined) {
    return rateOrderOf(curriculum) === undefined
      ? []
      : [
          `curriculum.order: ${order} sorts by pass rates, but curriculum.passRates is absent; measure them with \`palimpsest data rate\` and set curriculum.passRates.path, or set order to as-given, shuffled or short-first`,
        ];
  }
  const { min, max } = passRates;
  if (min <= max) return [];
  return [
    `curriculum.passRates.min: is ${min}, but curriculum.passRates.max is ${max}, and no rate is between them; lower min or raise max`,
  ];
}
