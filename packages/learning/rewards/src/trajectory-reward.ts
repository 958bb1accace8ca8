import type { EmbedderConfig } from "@palimpsest/memory";
import { parseInput } from "@palimpsest/std/input";
import type { Score } from "@palimpsest/trajectories";
import { z } from "zod";
import type { RewardDependencies } from "./dependencies.js";
import { RewardError } from "./error.js";
import { gatedPublishedReward, gatedPublishedSchema, gatedReward, gatedRewardSchema } from "./gated.js";
import { judgeReward, judgeRewardSchema } from "./judge/judge-reward.js";
import { memUpdateReleasedSchema, memUpdateRewardSchema } from "./memupdate/config.js";
import { memUpdateReleasedReward, memUpdateReward } from "./memupdate/reward.js";
import { rememr1Reward, rememr1RewardSchema } from "./rememr1/reward.js";
import { remoteReward, remoteRewardSchema } from "./remote/remote-reward.js";
import { type RewardName, rewardByName, rewardNames } from "./reward.js";
import { type RewardKind, rewardKind, type ScoredEpisode, type TrajectoryReward } from "./reward-kind.js";
import { storeProbesReward, storeProbesRewardSchema } from "./store-probes.js";
import { streamReward, streamRewardSchema } from "./stream.js";

/** Settings of rewards that score the final answer alone. */
const answerRewardSchema = z.strictObject({
  name: z.enum(rewardNames as [RewardName, ...RewardName[]]).describe("reward of the final answer"),
  lastCharacters: z
    .int()
    .min(1)
    .nullable()
    .default(300)
    .describe("characters at the answer's end that are read; null: all"),
  unusedPasses: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      "for the agent parallel with passes above 1: the reward is multiplied by 1 plus this times the share of passes that were not needed, at most (passes - 1) / passes; wrong answers gain nothing",
    ),
});

/** Raises the reward of an answer by the share of the passes over the document that were not needed. */
function withUnusedPasses(score: Score, { counters }: ScoredEpisode, weight: number): Score {
  if (weight === 0) return score;
  const unused = counters?.["unused_passes"];
  if (unused === undefined)
    throw new RewardError(
      "BAD_CONFIG",
      `unusedPasses: is ${weight}, but the episode counts no passes; use the agent parallel, or set it to 0`,
    );
  return {
    ...score,
    reward: score.reward * (1 + weight * unused),
    components: { ...score.components, unusedPasses: unused },
  };
}

/** The built-in kinds. Everything else asks this list, or a record in it, about a reward. */
const kinds: readonly RewardKind[] = [
  rewardKind({
    names: rewardNames,
    schema: answerRewardSchema,
    create({ name, lastCharacters, unusedPasses }) {
      const reward = rewardByName(name, { lastCharacters });
      return (task, episode) => withUnusedPasses(reward(episode.answer, task.answers), episode, unusedPasses);
    },
  }),
  rewardKind({ names: ["gated"], schema: gatedRewardSchema, create: gatedReward }),
  rewardKind({ names: ["gated-published"], schema: gatedPublishedSchema, create: gatedPublishedReward }),
  rewardKind({ names: ["rememr1", "rememr1-released"], schema: rememr1RewardSchema, create: rememr1Reward }),
  rewardKind({
    names: ["memupdate"],
    schema: memUpdateRewardSchema,
    create: memUpdateReward,
    embedder: ({ embedder }) => embedder,
  }),
  rewardKind({
    names: ["memupdate-released"],
    schema: memUpdateReleasedSchema,
    create: memUpdateReleasedReward,
  }),
  rewardKind({ names: ["llm-judge"], schema: judgeRewardSchema, create: judgeReward }),
  rewardKind({
    names: ["remote"],
    schema: remoteRewardSchema,
    create: (config, dependencies) => remoteReward(config, dependencies),
    readsTokens: ({ sendTokens }) => sendTokens,
  }),
  rewardKind({
    names: ["store-probes"],
    schema: storeProbesRewardSchema,
    create: storeProbesReward,
    embedder: ({ found }) => (found.by === "search" ? found.embedder : undefined),
  }),
  rewardKind({
    names: ["stream"],
    schema: streamRewardSchema,
    create: streamReward,
    embedder: ({ embedder }) => embedder,
  }),
];

const moduleRewardSchema = z.strictObject({
  name: z.literal("module").describe("a reward of your own, which a file exports (`defineReward`)"),
  module: z
    .string()
    .min(1)
    .describe("TypeScript or JavaScript file that exports the reward, relative to the recipe"),
  settings: z.record(z.string(), z.unknown()).default({}).describe("the reward's own settings, by name"),
});

/** A reward by name, with the settings that it takes. */
export const rewardConfigSchema = z.discriminatedUnion("name", [
  answerRewardSchema,
  gatedRewardSchema,
  gatedPublishedSchema,
  rememr1RewardSchema,
  memUpdateRewardSchema,
  memUpdateReleasedSchema,
  judgeRewardSchema,
  remoteRewardSchema,
  storeProbesRewardSchema,
  streamRewardSchema,
  moduleRewardSchema,
]);

export type RewardConfig = z.output<typeof rewardConfigSchema>;
export type RewardConfigInput = z.input<typeof rewardConfigSchema>;

/** Returns whether the reward reads the token ids of conversations, and not only texts and lengths. */
export function rewardReadsTokens(config: RewardConfig, module?: RewardKind): boolean {
  return rewardKindOf(config, module).readsTokens?.(settingsOf(config, module)) ?? false;
}

/** Returns the embedder for a reward's search in stores; undefined when it does not search. */
export function rewardEmbedder(config: RewardConfig, module?: RewardKind): EmbedderConfig | undefined {
  return rewardKindOf(config, module).embedder?.(settingsOf(config, module));
}

/** What a reward is made with: what its kind asks for, and the kind itself where the settings name a module. */
export interface TrajectoryRewardDependencies extends RewardDependencies {
  /** What the module named in the settings exports; used by the reward `module` only. */
  readonly module?: RewardKind;
}

/**
 * @param dependencies models, environment, embedder, and what the module exports, for rewards that need them
 * @throws {RewardError} UNKNOWN_REWARD, BAD_CONFIG
 */
export function trajectoryReward(
  config: RewardConfig,
  dependencies: TrajectoryRewardDependencies = {},
): TrajectoryReward {
  const { module } = dependencies;
  return rewardKindOf(config, module).create(settingsOf(config, module), dependencies);
}

/** @throws {RewardError} UNKNOWN_REWARD */
function rewardKindOf({ name }: RewardConfig, module: RewardKind | undefined): RewardKind {
  const found = name === "module" ? module : kinds.find(({ names }) => names.includes(name));
  if (found !== undefined) return found;
  const problem =
    name === "module"
      ? "needs the exports of its module, but the reward's module was not loaded; load it, or use a built-in reward"
      : `is unknown; use one of ${kinds.flatMap(({ names }) => names).join(", ")}`;
  throw new RewardError("UNKNOWN_REWARD", `reward: "${name}" ${problem}`);
}

/** Parses the settings of a module's reward with its schema. @throws {RewardError} BAD_CONFIG */
function settingsOf(config: RewardConfig, module: RewardKind | undefined): object {
  if (config.name !== "module" || module === undefined) return config;
  const refuse = (problem: string) => new RewardError("BAD_CONFIG", `reward.settings: ${problem}`);
  return parseInput(module.schema, config.settings, refuse);
}
