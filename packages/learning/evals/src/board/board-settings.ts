import { worldConfigSchema } from "@palimpsest/datasets";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { EvaluationError } from "../error.js";
import { systemSettings } from "../systems/create-system.js";
import { evalSettingsSchema } from "../systems/eval-settings.js";
import { leastQuestions } from "../worlds/certificate.js";
import { divisions } from "./board.js";

const { world, split, seed, cast, bait, distance, wordings, lowercase } = worldConfigSchema.shape;

/** The settings of a board: worlds, rows, and how the rows' systems are asked. */
const once = (values: readonly unknown[]) => new Set(values).size === values.length;

const boardSettingsSchema = evalSettingsSchema.omit({ run: true }).extend({
  worlds: z.array(world).min(1).refine(once, "must name each world once").describe("names of the worlds"),
  sentences: z
    .array(z.int().min(16).max(10_000_000))
    .min(1)
    .refine(once, "must have each length once")
    .describe("lengths of the texts in sentences"),
  questions: z
    .int()
    .min(1)
    .max(100_000)
    .default(leastQuestions)
    .describe("questions for each world and length, the same for every row; fewer than 500 give no scores"),
  split: split.default("test"),
  seed: seed.default(1),
  lowercase,
  difficulty: z.strictObject({ cast, bait, distance, wordings }).prefault({}),
  rows: z
    .record(
      z.string().min(1),
      z.strictObject({
        system: z.string().min(1).describe("name of a built-in system, or of one of `systems`"),
        models: z
          .array(z.string().min(1))
          .min(1)
          .optional()
          .describe("models or runs of training, one for each training seed; absent: the command's model"),
        division: z
          .enum(divisions)
          .default("question known")
          .describe("whether the agent knows the question while it reads"),
      }),
    )
    .default({})
    .describe("rows by name, beside those without a model"),
});

/** The settings of a board with all defaults filled in. */
export type BoardSettings = z.output<typeof boardSettingsSchema>;

/**
 * Checks the contents of a board's file and fills in defaults.
 * @param where names the file in the error
 * @throws {EvaluationError} BAD_CONFIG
 */
export function parseBoardSettings(value: unknown, where: string): BoardSettings {
  const refuse = (problem: string) => new EvaluationError("BAD_CONFIG", `${where}: ${problem}`);
  const settings = parseInput(boardSettingsSchema, value, refuse);
  const rowOf = new Map<string, string>();
  for (const [name, { system, models = [""], division }] of Object.entries(settings.rows)) {
    const { kind } = systemSettings(system, settings);
    if (division === "question unknown" && kind !== "trained")
      throw refuse(
        `rows.${name}.division: is question unknown, but ${system} is asked while it reads; leave it out, or give a row of kind trained whose agent reads first`,
      );
    for (const model of models) {
      const asked = `${system} ${model}`;
      const other = rowOf.get(asked);
      if (other !== undefined)
        throw refuse(
          `rows.${name}: asks ${system} of the same model as ${other === name ? "itself" : `rows.${other}`}; ask it in one row, once`,
        );
      rowOf.set(asked, name);
    }
  }
  return settings;
}
