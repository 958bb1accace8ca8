import {
  type BadRow,
  type CountTokens,
  type DataModule,
  DatasetError,
  FileTasks,
  moduleTasks,
  readSourceText,
  shuffledTasks,
  type TaskSet,
} from "@palimpsest/datasets";
import {
  haystackConfigSchema,
  openHaystackTasks,
  openReverseTwoHopTasks,
  openRulerTasks,
  openStoreTasks,
  reverseTwoHopConfigSchema,
  rulerConfigSchema,
  storeTaskConfigSchema,
} from "@palimpsest/small-world";
import { z } from "zod";

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
    seed: z
      .union([z.int(), z.string()])
      .optional()
      .describe("the tasks come in an order drawn by it; absent: in the file's order"),
    maxBadRows: z.int().min(0).default(0).describe("more bad rows than this are an error"),
  }),
  z.strictObject({
    source: z.literal("module").optional().describe("questions of your own, given by a file (`defineData`)"),
    module: z.string().min(1).describe("TypeScript or JavaScript file, relative to the recipe"),
    settings: z.record(z.string(), z.unknown()).default({}).describe("its own settings, by name"),
  }),
]);

export type TaskSource = z.input<typeof taskSourceSchema>;
/** The same with defaults filled in, as a recipe holds it. */
type ParsedSource = z.output<typeof taskSourceSchema>;

/**
 * The same source for another run: a generator makes other tasks, a file's come in another order.
 * @param seed of the run; the same one gives the same tasks
 */
export function reseededSource(source: ParsedSource, seed: number): ParsedSource {
  const mixed = (own: number | string) => `${own}/${seed}`;
  // What its settings mean is the module's own.
  if ("module" in source) return source;
  switch (source.source) {
    case "ruler":
      return { ...source, ruler: { ...source.ruler, seed: mixed(source.ruler.seed) } };
    case "reverse-two-hop":
      return {
        ...source,
        reverseTwoHop: { ...source.reverseTwoHop, seed: mixed(source.reverseTwoHop.seed) },
      };
    case "store":
      return { ...source, store: { ...source.store, seed: mixed(source.store.seed) } };
    case "haystack":
      return { ...source, haystack: { ...source.haystack, seed: mixed(source.haystack.seed) } };
    case "jsonl":
      return { ...source, seed: mixed(source.seed ?? "") };
  }
}

export interface OpenTasksOptions {
  readonly countTokens?: CountTokens;
  /** Is given the bad rows of a file where they are within `maxBadRows`. */
  readonly onBadRow?: (row: BadRow) => void;
  readonly signal?: AbortSignal;
  /** What the module of a source of the user's own exports. */
  readonly module?: DataModule;
}

/**
 * Opens the tasks that a configuration names. A file is read once, row by row, and every row is checked; documents are
 * read again, or made, when their task is opened.
 *
 * @throws {DatasetError} BAD_CONFIG, UNREADABLE_FILE, BAD_ROWS; the signal's reason
 */
export async function openTasks(input: TaskSource, options: OpenTasksOptions = {}): Promise<TaskSet> {
  const parsed = taskSourceSchema.safeParse(input);
  if (!parsed.success) {
    throw new DatasetError("BAD_CONFIG", `data: ${z.prettifyError(parsed.error)}`, {}, parsed.error);
  }
  const config = parsed.data;
  const counting = options.countTokens ? { countTokens: options.countTokens } : {};
  if ("module" in config) {
    if (options.module === undefined)
      throw new DatasetError("BAD_CONFIG", `module: ${config.module} was not loaded here`);
    return await moduleTasks(options.module, config.settings, options.signal);
  }
  switch (config.source) {
    case "ruler":
      return openRulerTasks(config.ruler, counting);
    case "reverse-two-hop":
      return openReverseTwoHopTasks(config.reverseTwoHop);
    case "store":
      return openStoreTasks(config.store);
    case "haystack":
      return openHaystackTasks(await readSourceText(config.path, options.signal), config.haystack, counting);
    case "jsonl":
      return await openFile(config, options);
  }
}

/** Bad rows that are shown to `onBadRow` at most; a file that is no file of tasks could have millions. */
const keptBadRows = 1000;

async function openFile(
  { path, limit, seed, maxBadRows }: Extract<ParsedSource, { source: "jsonl" }>,
  { onBadRow, signal }: OpenTasksOptions,
): Promise<TaskSet> {
  const badRows: BadRow[] = [];
  const badRowsByReason: Record<string, number> = {};
  const tasks = await FileTasks.open(path, {
    limit,
    signal,
    onBadRow: (row) => {
      badRowsByReason[row.reason] = (badRowsByReason[row.reason] ?? 0) + 1;
      if (badRows.length < keptBadRows) badRows.push(row);
    },
  });
  const bad = Object.values(badRowsByReason).reduce((sum, count) => sum + count, 0);
  const first = badRows[0];
  if (first !== undefined && bad > maxBadRows) {
    await tasks.close();
    throw new DatasetError(
      "BAD_ROWS",
      `${path}: ${bad} bad row(s), the first in line ${first.line}: ${first.detail}; fix them or raise maxBadRows`,
      { badRowsByReason },
    );
  }
  for (const row of badRows) onBadRow?.(row);
  if (tasks.count > 0) return seed === undefined ? tasks : shuffledTasks(tasks, seed);
  await tasks.close();
  throw new DatasetError("BAD_ROWS", `${path}: no task in this file; give one JSON object per line`);
}
