import { z } from "zod";

/** One number of a comparison with a reference, as `model check` and `loss check` print it. */
export const measureSchema = z.strictObject({
  name: z.string(),
  value: z.number().nullable().describe("null: it is no number, and the measure is missed"),
  bar: z.number(),
  goal: z.enum(["atMost", "atLeast"]),
  where: z.string().optional(),
  passed: z.boolean(),
});
