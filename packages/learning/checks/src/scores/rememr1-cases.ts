import { retrieveMemory, whitespaceTerms } from "@palimpsest/agents";
import { presets, rowsFromGroups } from "@palimpsest/learner";
import { rememr1StepReward, rememr1StepRewardAsReleased, type StepReward } from "@palimpsest/rewards";
import { type Group, plainSampling, type ScoredTrajectory } from "@palimpsest/trajectories";
import { readReplyAsReleased } from "@palimpsest/trajectories/text";
import { z } from "zod";
import { goldenList } from "./golden-case.js";

const retrievalSchema = z.object({
  history: z.array(z.string()),
  query: z.string(),
  history_tokens: z.array(z.array(z.string())).optional(),
  query_tokens: z.array(z.string()).optional(),
  expected_index: z.number().nullable(),
  similarities: z.array(z.number()).nullable(),
  ranking: z.array(z.number()).optional(),
  tied_indices: z.array(z.number()).optional(),
});
type RetrievalRow = z.output<typeof retrievalSchema>;

/** Returns the terms of a tokenizer if the case contains them, otherwise words between white space. */
function termsOf(row: RetrievalRow): (text: string) => readonly string[] {
  const { history_tokens: tokens, query_tokens: asked, history, query } = row;
  if (tokens === undefined) return whitespaceTerms;
  const known = new Map(history.map((text, i) => [text, tokens[i] ?? []]));
  return (text) => known.get(text) ?? (text === query ? (asked ?? []) : []);
}

const retrieve = (row: RetrievalRow, floor: number | null) =>
  retrieveMemory(row.history, row.query, { tokens: termsOf(row), floor });

const retrievalList = (name: string) =>
  goldenList({
    name,
    schema: retrievalSchema,
    compare: (row) => {
      const ours = retrieve(row, null);
      const { expected_index, similarities, ranking, tied_indices } = row;
      const tied = ours.index !== null && tied_indices?.includes(ours.index) === true;
      const order = ours.similarities?.map((_, i) => i) ?? [];
      order.sort((a, b) => (ours.similarities?.[b] ?? 0) - (ours.similarities?.[a] ?? 0));
      return [
        { name: "index", expected: expected_index, actual: tied ? expected_index : ours.index },
        { name: "similarities", expected: similarities, actual: ours.similarities },
        ...(ranking === undefined ? [] : [{ name: "ranking", expected: ranking, actual: order }]),
      ];
    },
    choice: (row) => {
      if (retrieve(row, 0).index === null)
        return "none by default: nothing in common is no reason to recall (floor 0)";
      const { index } = retrieve(row, null);
      return `index ${index}: of memories that are equally like the query the latest, always`;
    },
  });

export const whitespaceRetrieval = retrievalList("whitespace");
export const qwenRetrieval = retrievalList("qwen25");

const parts = z.object({
  r_mem: z.number().nullable(),
  r_call: z.number().nullable(),
  r_fmt: z.number().nullable(),
  r_state: z.number().nullable(),
});
const field = z.string().default("");

/** Checks the rewards of single steps by both definitions, the intended one and the official code's. */
export const stepRewardCases = goldenList({
  name: "cases",
  schema: z.object({
    action: z.enum(["memory", "final"]),
    fields: z.object({ problem: field, recalled_memory: field, memory: field, section: field }),
    prompt: z.string(),
    response: z.string(),
    recalled: z.string(),
    ground_truths: z.array(z.string()),
    official: parts.extend({ error: z.string().optional() }),
    intended: parts,
    parsed: z.object({ recall_query: z.string().nullable(), stored_memory: z.string() }).optional(),
  }),
  compare: (row) => {
    const { fields, official, intended, parsed } = row;
    const step = { action: row.action, reply: row.response, found: row.recalled, answers: row.ground_truths };
    const ours = rememr1StepReward({
      ...step,
      problem: fields.problem,
      recalledMemory: fields.recalled_memory,
      memory: fields.memory,
      section: fields.section,
    });
    const released =
      official.error === undefined ? rememr1StepRewardAsReleased({ ...step, prompt: row.prompt }) : null;
    const reply = readReplyAsReleased(row.response);
    return [
      { name: "intended", expected: valuesOf(intended), actual: partsOf(ours) },
      { name: "official", expected: released && valuesOf(official), actual: released && partsOf(released) },
      ...(parsed === undefined
        ? []
        : [
            { name: "recall_query", expected: parsed.recall_query, actual: reply.query },
            { name: "stored_memory", expected: parsed.stored_memory, actual: reply.memory },
          ]),
    ];
  },
  choice: ({ official, ground_truths }) => {
    if (official.error !== undefined || ground_truths.length === 0) {
      return "an error in rememr1-released, as in the reference; rememr1 gives the intended 0";
    }
    return "rememr1 gives the intended values, rememr1-released the reference's";
  },
});

const valuesOf = ({ r_mem, r_call, r_fmt, r_state }: z.output<typeof parts>) => [
  r_mem,
  r_call,
  r_fmt,
  r_state,
];
const partsOf = ({ memoryGain, recallGain, format, reward }: StepReward) => [
  memoryGain,
  recallGain,
  format,
  reward,
];

const advantageSchema = z.object({
  uid: z.array(z.string()),
  outcome_rewards: z.array(z.number()),
  rows: z.array(
    z.object({
      trajectory: z.number(),
      step: z.number(),
      action_reward: z.number(),
      format_reward: z.number(),
    }),
  ),
  alpha: z.number(),
  normalize_by_std: z.boolean(),
  official: z.object({ advantages: z.array(z.number()) }),
  intended: z.object({ advantages: z.array(z.number()) }),
});
type AdvantageRow = z.output<typeof advantageSchema>;

/** Checks the advantages that combine outcome and steps, as the learner itself computes them. */
export const advantageCases = goldenList({
  name: "advantages",
  schema: advantageSchema,
  tolerance: (tolerance) => Math.max(tolerance, 1e-5),
  compare: (row) => [
    { name: "official", expected: row.official.advantages, actual: advantagesOf(row, 2) },
    { name: "intended", expected: row.intended.advantages, actual: advantagesOf(row, 1) },
  ],
  choice: (_, { kind }) =>
    kind === "float_noise"
      ? "0: a group whose rewards are all equal teaches nothing, and no rounding noise either"
      : "the intended values: question and step are kept apart",
});

/**
 * Computes the advantages of a case.
 * @param scale factor of the step rewards; the official code counts them twice
 */
function advantagesOf(row: AdvantageRow, scale: number): number[] {
  const advantage = row.normalize_by_std
    ? ({ kind: "grpo", epsilon: 1e-6, ddof: 1, singleton: "reward" } as const)
    : ({ kind: "drgrpo", singleton: "reward" } as const);
  const batch = rowsFromGroups(groupsOf(row), {
    ...presets.rememr1,
    advantage,
    spread: "copy",
    stepAdvantage: { outcomeWeight: row.alpha, advantage, scale },
  });
  return row.rows.map(({ trajectory, step }) => {
    const found = batch.rows.find((each) => each.trajectoryId === String(trajectory) && each.step === step);
    return found?.advantage ?? Number.NaN;
  });
}

/** Returns the groups of a case; each of their conversations has one prompt token and one sampled token. */
function groupsOf(row: AdvantageRow): Group[] {
  const members = row.uid.map((groupId, index): ScoredTrajectory => {
    const own = row.rows.filter(({ trajectory }) => trajectory === index).sort((a, b) => a.step - b.step);
    return {
      score: {
        reward: row.outcome_rewards[index] ?? Number.NaN,
        components: {},
        stepRewards: own.map((step) => step.action_reward + step.format_reward),
      },
      trajectory: {
        trajectoryId: String(index),
        groupId,
        taskId: groupId,
        episodeIndex: index,
        agent: "rememr1",
        policyVersionMin: 0,
        policyVersionMax: 0,
        weightsHash: "",
        conversations: own.map(({ step }) => ({
          kind: "memory",
          step,
          promptTokenIds: [1],
          sampledTokenIds: [2],
          rolloutLogprobs: [0],
          sampling: plainSampling,
          stopReason: "stop",
          policyVersion: 0,
        })),
        answer: "",
        memorySteps: [],
        startedAtMs: 0,
        endedAtMs: 0,
        actorId: "",
        droppedDocumentTokens: 0,
      },
    };
  });
  return [...new Set(row.uid)].map((groupId) => {
    const group = members.filter(({ trajectory }) => trajectory.groupId === groupId);
    // A single member represents a group from which all others have been removed, so the group size is at least 2.
    return { groupId, taskId: groupId, groupSize: Math.max(2, group.length), members: group };
  });
}
