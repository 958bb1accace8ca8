import {
  keywordSupport,
  memoryEfficiency,
  releasedAnswerScore,
  releasedReward,
  type StoreSize,
  storeSize,
} from "@palimpsest/rewards";
import { z } from "zod";
import { goldenList } from "./golden-case.js";

/** The contents of records; as in the reference, a record without content counts as empty. */
const memories = z.array(z.object({ content: z.string().default("") }).transform(({ content }) => content));
/** Like `memories`, but a content that is not a text becomes null, so that a case with one can be contested. */
const anyMemories = z.array(
  z
    .object({ content: z.unknown().optional() })
    .transform(({ content }) => (content === undefined ? "" : typeof content === "string" ? content : null)),
);
type AnyMemories = z.output<typeof anyMemories>;
const runs = z.array(z.tuple([z.number(), z.number()]));
const answer = z.union([z.string(), z.number()]).nullable();

const sizeOf = (lengths: z.output<typeof runs> | undefined, contents: readonly string[] = []): StoreSize =>
  lengths === undefined
    ? storeSize(contents)
    : {
        records: lengths.reduce((sum, [, count]) => sum + count, 0),
        characters: lengths.reduce((sum, [length, count]) => sum + length * count, 0),
      };

/** Checks the factors of the efficiency. */
export const efficiencyCases = goldenList({
  name: "efficiency",
  schema: z.object({
    max_total_memories: z.number(),
    old_runs: runs.optional(),
    new_runs: runs.optional(),
    old_memories: memories.optional(),
    new_memories: memories.optional(),
    size_factor: z.number(),
    density_factor: z.number(),
    change_factor: z.number(),
    expected: z.number(),
  }),
  compare: (row) => {
    const ours = memoryEfficiency(
      sizeOf(row.old_runs, row.old_memories),
      sizeOf(row.new_runs, row.new_memories),
      row.max_total_memories,
    );
    return [
      { name: "size_factor", expected: row.size_factor, actual: ours.size },
      { name: "density_factor", expected: row.density_factor, actual: ours.density },
      { name: "change_factor", expected: row.change_factor, actual: ours.change },
      { name: "efficiency", expected: row.expected, actual: ours.efficiency },
    ];
  },
  choice: () => "as the reference",
});

function texts(memories: AnyMemories): string[] {
  return memories.map((content, i) => {
    if (content === null) throw new Error(`memories[${i}].content: is no text`);
    return content;
  });
}

/** Checks the keyword search and the overlap with the answer. */
export const overlapCases = goldenList({
  name: "overlap",
  schema: z.object({
    memories: anyMemories,
    question: z.string(),
    answer,
    retrieved: z.array(z.number()).nullable(),
    support: z.number().nullable(),
    expected: z.number(),
  }),
  compare: (row) => {
    const ours = keywordSupport(texts(row.memories), row.question, row.answer);
    return [
      { name: "retrieved", expected: row.retrieved, actual: ours.retrieved },
      { name: "support", expected: row.support, actual: ours.support },
      { name: "score", expected: row.expected, actual: ours.score },
    ];
  },
  choice: (row) => {
    if (row.memories.includes(null))
      return "an error: a record's content is text, which every store here holds to";
    const { retrieved, support } = keywordSupport(texts(row.memories), row.question, row.answer);
    const same = "as the reference in memupdate-released; memupdate";
    if (row.answer === null) return `${same} takes no task without an answer`;
    if (support === null) return `${same} leaves a question without an answer out`;
    if (retrieved.length === 0) return `${same} gives 0 where nothing is found`;
    return `${same} scores answers by F1 over stems, so that length costs and stop words do not pay`;
  },
});

/** Checks the score of a generated answer in the first version. */
export const answerScoreCases = goldenList({
  name: "answer_score",
  schema: z.object({
    generated: z.string(),
    answer: z.union([z.string(), z.number().transform(String)]),
    judge_reply: z.string().nullable(),
    expected: z.number(),
  }),
  compare: (row) => [
    {
      name: "score",
      expected: row.expected,
      actual: releasedAnswerScore(row.generated, row.answer, row.judge_reply),
    },
  ],
  choice: () =>
    "as the reference in memupdate-released; our own judge takes a plain verdict alone and asks again",
});

/** Checks the reward: the change of the score times the efficiency. */
export const memoryRewardCases = goldenList({
  name: "reward",
  schema: z.object({
    max_total_memories: z.number(),
    old_memories: memories,
    new_memories: memories,
    question: z.string(),
    answer,
    score_old: z.number(),
    score_new: z.number(),
    efficiency: z.number(),
    expected: z.number(),
  }),
  compare: (row) => {
    const ours = releasedReward(row.old_memories, row.new_memories, row, row.max_total_memories);
    return [
      { name: "score_old", expected: row.score_old, actual: ours.scoreOld },
      { name: "score_new", expected: row.score_new, actual: ours.scoreNew },
      { name: "efficiency", expected: row.efficiency, actual: ours.efficiency.efficiency },
      { name: "reward", expected: row.expected, actual: ours.reward },
    ];
  },
  choice: () => "as the reference in memupdate-released",
});
