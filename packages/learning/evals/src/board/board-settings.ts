import { worldConfigSchema } from "@palimpsest/datasets";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { EvaluationError } from "../error.js";
import { evalSettingsSchema } from "../systems/eval-settings.js";
import { leastQuestions } from "../worlds/certificate.js";
import { divisions } from "./board.js";

const { world, split, seed, cast, bait, distance, wordings, lowercase } = worldConfigSchema.shape;

/** The settings of a board: worlds, rows, and how the rows' systems are asked. */
const boardSettingsSchema = evalSettingsSchema.omit({ run: true }).extend({
  worlds: z.array(world).min(1).describe("names of the worlds"),
  sentences: z.array(z.int().min(16)).min(1).describe("lengths of the texts in sentences"),
  questions: z
    .int()
    .min(1)
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
  return parseInput(
    boardSettingsSchema,
    value,
    (problem) => new EvaluationError("BAD_CONFIG", `${where}: ${problem}`),
  );
}
