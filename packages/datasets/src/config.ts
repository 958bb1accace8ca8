import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "./error.js";
import { haystackConfigSchema, haystackTasks } from "./haystack.js";
import { type BadRow, loadTasks } from "./jsonl.js";
import { reverseTwoHopConfigSchema, reverseTwoHopTasks } from "./reverse-two-hop.js";
import { type CountTokens, rulerTasks } from "./ruler.js";
import { rulerConfigSchema } from "./ruler-config.js";
import { readSourceText } from "./source/source-text.js";
import { storeTaskConfigSchema, storeTasks } from "./store-tasks.js";

/** Where tasks come from. */
export const taskSourceSchema = z.discriminatedUnion("source", [
  z.strictObject({
    source: z.literal("ruler").describe("generated facts, needle and two-hop questions"),
    ruler: rulerConfigSchema,
  }),
  z.strictObject({
    source: z
      .literal("reverse-two-hop")
      .describe("generated facts, two-hop questions whose second fact stands first"),
    reverseTwoHop: reverseTwoHopConfigSchema,
  }),
  z.strictObject({
    source: z.literal("store").describe("generated statements that a small store must take in"),
    store: storeTaskConfigSchema,
  }),
  z.strictObject({
    source: z.literal("haystack").describe("needle and two-hop questions hidden in prose from a file"),
    path: z.string().min(1).describe("text file (UTF-8) with the prose"),
    haystack: haystackConfigSchema,
  }),
  z.strictObject({
    source: z
      .literal("jsonl")
      .describe("a prepared file: this project's or vime's JSONL, or a RULER-HQA evaluation file"),
    path: z.string().min(1).describe("the file"),
    limit: z.int().min(1).optional().describe("take the first so many tasks; absent: all"),
    maxBadRows: z.int().min(0).default(0).describe("more bad rows than this are an error"),
  }),
]);

export type TaskSource = z.input<typeof taskSourceSchema>;

/**
 * Tasks by configuration. Bad rows of a file that are within `maxBadRows` go to `onBadRow`.
 *
 * @throws {DatasetError} BAD_CONFIG, UNREADABLE_FILE, BAD_ROWS
 */
export async function tasksFromConfig(
  input: TaskSource,
  options: { countTokens?: CountTokens; onBadRow?: (row: BadRow) => void; signal?: AbortSignal } = {},
): Promise<readonly Task[]> {
  const parsed = taskSourceSchema.safeParse(input);
  if (!parsed.success) {
    throw new DatasetError("BAD_CONFIG", `data: ${z.prettifyError(parsed.error)}`, {}, parsed.error);
  }
  const config = parsed.data;
  const counting = options.countTokens ? { countTokens: options.countTokens } : {};
  switch (config.source) {
    case "ruler":
      return rulerTasks(config.ruler, counting);
    case "reverse-two-hop":
      return reverseTwoHopTasks(config.reverseTwoHop);
    case "store":
      return storeTasks(config.store);
    case "haystack":
      return haystackTasks(await readSourceText(config.path, options.signal), config.haystack, counting);
    case "jsonl": {
      const { limit } = config;
      const { tasks, badRows, badRowsByReason } = await loadTasks(config.path, options.signal, { limit });
      const first = badRows[0];
      if (first !== undefined && badRows.length > config.maxBadRows) {
        throw new DatasetError(
          "BAD_ROWS",
          `${config.path}: ${badRows.length} bad row(s), the first in line ${first.line}: ${first.detail}; mend them or raise maxBadRows`,
          { badRowsByReason },
        );
      }
      for (const row of badRows) options.onBadRow?.(row);
      if (tasks.length === 0) {
        throw new DatasetError(
          "BAD_ROWS",
          `${config.path}: no task in this file; give one JSON object a line`,
        );
      }
      return tasks;
    }
  }
}
