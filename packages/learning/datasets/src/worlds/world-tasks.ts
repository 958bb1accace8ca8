import { parseInput, shownValue } from "@palimpsest/std/input";
import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "../error.js";
import type { StreamedTask } from "../tasks/streamed-task.js";
import { generatedTasks, type TaskSet } from "../tasks/task-set.js";
import { worldSplits } from "./entities.js";
import type { Difficulty, World, WorldCase } from "./world.js";
import { worldByName, worldNames, worlds } from "./worlds.js";

const sentences = z.int().min(16).max(100_000_000);

const difficultyFields = {
  cast: z.int().min(2).max(16).optional().describe("number of people; absent: the world's own"),
  bait: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("fraction of the sentences that state nothing that matters; absent: the world's own"),
  distance: z
    .number()
    .min(0)
    .max(0.99)
    .optional()
    .describe("fraction of the text, at its end, that states nothing that matters; absent: the world's own"),
  wordings: z
    .int()
    .min(1)
    .max(4)
    .optional()
    .describe("wordings of each sentence that are used; absent: all four"),
};
const difficultySchema = z.strictObject(difficultyFields);

/** Settings of generated worlds. */
export const worldConfigSchema = z.strictObject({
  world: z.enum(worldNames as readonly [string, ...string[]]).describe("name of the world"),
  split: z
    .enum(worldSplits)
    .default("train")
    .describe("which entities are used; texts for tests have two more wordings of each sentence"),
  count: z.int().min(1).default(1).describe("number of tasks"),
  seed: z.union([z.int(), z.string()]).default(0).describe("the same seed and settings give the same tasks"),
  sentences: z
    .union([
      sentences,
      z
        .strictObject({ min: sentences, max: sentences })
        .refine((range) => range.min <= range.max, "min must not be greater than max"),
    ])
    .describe("sentences per document; from a range it is drawn for each task"),
  ...difficultyFields,
  lowercase: z.boolean().default(false).describe("whether texts are in lower case, for small vocabularies"),
});

/** Settings of generated worlds; fields with defaults may be absent. */
export type WorldConfigInput = z.input<typeof worldConfigSchema>;
type WorldConfig = z.output<typeof worldConfigSchema>;

/**
 * Returns the difficulty that settings ask for, with the world's own where they say nothing.
 * @throws {DatasetError} BAD_CONFIG
 */
export function difficultyOf(
  world: World,
  asked: Partial<Record<keyof Difficulty, number | undefined>>,
): Difficulty {
  if (!worlds.includes(world))
    throw refuse(`world of difficultyOf(): must be what worldByName() returns; it is ${shownValue(world)}`);
  const { defaults } = world;
  const { cast, bait, distance, wordings } = parseInput(difficultySchema, asked, refuse, {
    whole: "difficulty",
  });
  return {
    cast: cast ?? defaults.cast,
    bait: bait ?? defaults.bait,
    distance: distance ?? defaults.distance,
    wordings: wordings ?? defaults.wordings,
  };
}

const refuse = (problem: string, cause?: z.ZodError) => new DatasetError("BAD_CONFIG", problem, {}, cause);

/**
 * Opens the tasks of a world, each generated when it is opened.
 * @throws {DatasetError} BAD_CONFIG
 */
export function openWorldTasks(input: WorldConfigInput): TaskSet {
  const tasks = streamedWorldTasks(input);
  return generatedTasks(tasks.count, (position): Task => {
    const { pieces, ...task } = tasks.at(position);
    return { ...task, document: [...pieces()].join("") };
  });
}

/**
 * Returns the tasks of a world, whose documents are generated sentence by sentence in memory of the size of the cast.
 * Metadata: `dataSource` and `kind` ("world"), `world`, `split`, `sentences`, `candidates` (joined by " | "),
 * `answerKind`.
 * @throws {DatasetError} BAD_CONFIG
 */
export function streamedWorldTasks(input: WorldConfigInput): {
  readonly count: number;
  at(position: number): StreamedTask;
} {
  const config = parseInput(worldConfigSchema, input, (problem, cause) =>
    refuse(`world settings: ${problem}`, cause),
  );
  const world = worldByName(config.world);
  const { cast, bait, distance, wordings } = config;
  const difficulty = difficultyOf(world, { cast, bait, distance, wordings });
  const open = (index: number) => {
    const length = spreadLength(config.sentences, index);
    const { seed, split } = config;
    return { length, opened: world.open({ ...difficulty, seed, split, index, length }) };
  };
  // The shortest text is the only one that may be too short.
  const { min } = rangeOf(config.sentences);
  world.open({ ...difficulty, seed: config.seed, split: config.split, index: 0, length: min });
  return { count: config.count, at: (position) => taskOf(config, position, open(position)) };
}

type Lengths = number | { readonly min: number; readonly max: number };

const rangeOf = (asked: Lengths) => (typeof asked === "number" ? { min: asked, max: asked } : asked);

/** Spreads lengths evenly over a range, in an order that is the same for everything that is generated. */
export function spreadLength(asked: Lengths, index: number): number {
  const { min, max } = rangeOf(asked);
  // Multiples of the golden ratio fall evenly into the range, however many there are.
  const at = (index * 0.618_033_988_749_895) % 1;
  return min + Math.floor(at * (max - min + 1));
}

function taskOf(
  { world, split, seed, lowercase }: WorldConfig,
  position: number,
  { length, opened }: { readonly length: number; readonly opened: WorldCase },
): StreamedTask {
  const styled = (text: string) => (lowercase ? text.toLowerCase() : text);
  return {
    id: `world-${world}-${split}-${length}-${seed}-${position}`,
    question: styled(opened.question),
    answers: [opened.answer, ...opened.aliases].map(styled),
    metadata: {
      kind: "world",
      dataSource: "world",
      world,
      split,
      sentences: length,
      candidates: opened.candidates.map(styled).join(" | "),
      answerKind: opened.kind,
    },
    *pieces() {
      for (const { text } of opened.sentences()) yield styled(` ${text}`);
    },
  };
}
