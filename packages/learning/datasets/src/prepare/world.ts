import { z } from "zod";
import { openWorldTasks, worldConfigSchema } from "../worlds/world-tasks.js";
import { definePreparer } from "./preparer.js";

const { world, split, count, cast, bait, distance, wordings } = worldConfigSchema.shape;

const optionsSchema = z.strictObject({
  world,
  split,
  count,
  sentences: z.int().min(16).default(512).describe("sentences per document"),
  cast,
  bait,
  distance,
  wordings,
});

/** Texts of worlds whose answers are certain and, in long ones, out of reach for word search. */
export const generatedWorld = definePreparer({
  name: "world",
  summary: "generated worlds: people trade, carry, count (`palimpsest world list`)",
  inputs: "none",
  options: optionsSchema,
  async *prepare(options, { seed, limit, progress }) {
    const tasks = openWorldTasks({ ...options, seed, count: Math.min(options.count, limit) });
    for (let position = 0; position < tasks.count; position++) {
      yield await tasks.open(position);
      progress(position + 1, tasks.count);
    }
  },
});
