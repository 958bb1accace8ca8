import {
  type BadRow,
  type CountTokens,
  type DataModule,
  DatasetError,
  FileTasks,
  moduleTasks,
  openStreamTasks,
  openWorldTasks,
  readSourceText,
  shuffledTasks,
  streamConfigSchema,
  type TaskSet,
  worldConfigSchema,
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
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";

/** The source of a run's tasks. */
export const taskSourceSchema = z.discriminatedUnion("source", [
  z.strictObject({
    source: z.literal("ruler").describe("needle and two-hop questions about generated facts"),
    ruler: rulerConfigSchema,
  }),
  z.strictObject({
    source: z
      .literal("reverse-two-hop")
      .describe("two-hop questions about generated facts, of which the second comes first in the document"),
    reverseTwoHop: reverseTwoHopConfigSchema,
  }),
  z.strictObject({
    source: z.literal("store").describe("generated statements that an agent must record in a small store"),
    store: storeTaskConfigSchema,
  }),
  z.strictObject({
    source: z
      .literal("world")
      .describe("questions about generated worlds in which things move, which word search does not answer"),
    world: worldConfigSchema,
  }),
  z.strictObject({
    source: z
      .literal("stream")
      .describe("generated turns that an agent writes down while they are told, with hidden questions"),
    stream: streamConfigSchema,
  }),
  z.strictObject({
    source: z
      .literal("haystack")
      .describe("needle and two-hop questions about facts that are hidden in prose from a file"),
    path: z
      .string()
      .min(1)
      .describe("text file (UTF-8) with the prose, relative to the recipe")
      .meta({ format: "path" }),
    haystack: haystackConfigSchema,
  }),
  z.strictObject({
    source: z
      .literal("jsonl")
      .describe("a prepared file: this project's or vime's JSONL, or a RULER-HQA evaluation file"),
    path: z.string().min(1).describe("path of the file, relative to the recipe").meta({ format: "path" }),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe("number of tasks to use, from the start of the file; absent: all"),
    seed: z
      .union([z.int(), z.string()])
      .optional()
      .describe("seed of a random order of the tasks; absent: the file's order"),
    maxBadRows: z.int().min(0).default(0).describe("number of bad rows above which the file is refused"),
  }),
  z.strictObject({
    source: z
      .literal("module")
      .optional()
      .describe("questions of your own, from a file that exports them (`defineData`)"),
    module: z
      .string()
      .min(1)
      .describe("TypeScript or JavaScript file that exports the questions, relative to the recipe")
      .meta({ format: "path" }),
    settings: z.record(z.string(), z.unknown()).default({}).describe("settings of the module, by name"),
  }),
]);

export type TaskSource = z.input<typeof taskSourceSchema>;
/** A task source with defaults filled in, as in a parsed recipe. */
type ParsedSource = z.output<typeof taskSourceSchema>;

/**
 * Returns the source for another run: a generator makes different tasks, and a file's tasks get a different order.
 * @param seed of the run; the same one gives the same tasks
 */
export function reseededSource(source: ParsedSource, seed: number): ParsedSource {
  const mixed = (own: number | string) => `${own}/${seed}`;
  // Only the module knows the meaning of its settings.
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
    case "world":
      return { ...source, world: { ...source.world, seed: mixed(source.world.seed) } };
    case "stream":
      return { ...source, stream: { ...source.stream, seed: mixed(source.stream.seed) } };
    case "haystack":
      return { ...source, haystack: { ...source.haystack, seed: mixed(source.haystack.seed) } };
    case "jsonl":
      return { ...source, seed: mixed(source.seed ?? "") };
  }
}

export interface OpenTasksOptions {
  readonly countTokens?: CountTokens;
  /** Called with the bad rows of a file if there are at most `maxBadRows`. */
  readonly onBadRow?: (row: BadRow) => void;
  readonly signal?: AbortSignal;
  /** Exports of the module, if the source is a user's module. */
  readonly module?: DataModule;
}

/**
 * Opens the tasks of a configuration. A file is read once, row by row, and every row is checked; documents are
 * read again, or generated, when their task is opened.
 *
 * @throws {DatasetError} BAD_CONFIG, UNREADABLE_FILE, BAD_ROWS; the signal's reason
 */
export async function openTasks(input: TaskSource, options: OpenTasksOptions = {}): Promise<TaskSet> {
  const config = parseInput(
    taskSourceSchema,
    input,
    (problem, cause) => new DatasetError("BAD_CONFIG", `data: ${problem}`, {}, cause),
  );
  const counting = options.countTokens ? { countTokens: options.countTokens } : {};
  if ("module" in config) {
    if (options.module === undefined)
      throw new DatasetError(
        "BAD_CONFIG",
        `module: "${config.module}" was not loaded; pass the loaded module in the options`,
      );
    return await moduleTasks(options.module, config.settings, options.signal);
  }
  switch (config.source) {
    case "ruler":
      return openRulerTasks(config.ruler, counting);
    case "reverse-two-hop":
      return openReverseTwoHopTasks(config.reverseTwoHop);
    case "store":
      return openStoreTasks(config.store);
    case "world":
      return openWorldTasks(config.world);
    case "stream":
      return openStreamTasks(config.stream);
    case "haystack":
      return openHaystackTasks(await readSourceText(config.path, options.signal), config.haystack, counting);
    case "jsonl":
      return await openFile(config, options);
  }
}

/** Maximum number of bad rows that are passed to `onBadRow`, because a file of another format could have millions. */
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
      `${path}: contains ${bad} bad row(s), the first in line ${first.line}: ${first.detail}; fix them or raise maxBadRows`,
      { badRowsByReason },
    );
  }
  for (const row of badRows) onBadRow?.(row);
  if (tasks.count > 0) return seed === undefined ? tasks : shuffledTasks(tasks, seed);
  await tasks.close();
  throw new DatasetError("BAD_ROWS", `${path}: contains no task; give one JSON object per line`);
}
