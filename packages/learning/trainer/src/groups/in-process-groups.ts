import { type Agent, toTrajectory } from "@palimpsest/agents";
import type { TaskSet } from "@palimpsest/datasets";
import type { TrajectoryReward } from "@palimpsest/rewards";
import {
  decodeTrajectory,
  decodeTrajectoryHead,
  encodeTrajectory,
  episodeSeed,
  type Group,
  type ScoredTrajectory,
  type Task,
  trajectoryIdOf,
} from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { refillsOf } from "../recipe/async-settings.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { groupIdOf } from "./group-requests.js";
import { sortedOut } from "./teaching-groups.js";

export interface GroupSource {
  readonly recipe: Recipe;
  readonly agent: Agent;
  readonly reward: TrajectoryReward;
  /** Whether the reward reads token ids; other rewards do not get them, as in a cluster. */
  readonly readsTokens: boolean;
  readonly tasks: TaskSet;
  /** Returns whether a group would change the weights; not called without `train.zeroVarianceRefills`. */
  readonly teaches: (group: Group) => boolean;
  readonly signal: AbortSignal | undefined;
}

export interface StepGroups {
  /** Groups to train. */
  readonly groups: readonly Group[];
  /** Groups that teach nothing, and were replaced up to `train.zeroVarianceRefills`. */
  readonly rejected: readonly Group[];
  /** Index of the run's first group that no step has taken. */
  readonly next: number;
  /** Reasons why episodes failed. */
  readonly failures: readonly string[];
}

/** Runs work when its turn has come. */
type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets this much work run at once, in the order of the requests. */
function turnsOf(most: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < most) running++;
    // Work that finishes passes its slot on to the work that has waited longest.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/**
 * Returns the scored groups of one step: tasks, seeds and their order are those of `train`, with as many concurrent episodes as
 * its rollout actors would run: `rollout.concurrency` of each.
 * @param step from 1
 * @param first index of the run's first group that no step has taken
 * @throws {PalimpsestError} INTERNAL if no group is left; the signal's reason
 */
export async function sampleStep(source: GroupSource, step: number, first: number): Promise<StepGroups> {
  const { rollout, train } = source.recipe;
  const { groupsPerStep, minGroupSize } = train;
  const refills = refillsOf(train);
  const turns = turnsOf(rollout.concurrency * rollout.actors);
  const failures: string[] = [];
  const kept: Group[] = [];
  const rejects = (group: Group) => refills > 0 && !source.teaches(group);
  let next = first;
  // As in the schedule of a cluster's run, each rejected group is followed by the run's next one (SCHEDULE-5).
  for (let end = first + groupsPerStep; next < end; ) {
    const indexes = Array.from({ length: end - next }, (_, place) => next + place);
    next = end;
    const groups = await Promise.all(indexes.map((index) => sampleGroup(source, index, { turns, failures })));
    source.signal?.throwIfAborted();
    kept.push(...groups.filter(({ members }) => members.length >= minGroupSize));
    end = first + groupsPerStep + Math.min(refills, kept.filter(rejects).length);
  }
  if (kept.length > 0 && refills === 0) return { groups: kept, rejected: [], next, failures };
  if (kept.length > 0) return { ...sortedOut(kept, (group) => !rejects(group), train), next, failures };
  throw new PalimpsestError(
    "INTERNAL",
    `every group of step ${step} failed; the first failure is: ${failures[0] ?? "unknown"}`,
  );
}

async function sampleGroup(
  source: GroupSource,
  index: number,
  { turns, failures }: { readonly turns: Turns; readonly failures: string[] },
): Promise<Group> {
  const { recipe, tasks, signal } = source;
  const { groupSize } = recipe.learner;
  const task = await tasks.open(index % tasks.count, signal);
  const groupId = groupIdOf("in-process", recipe.train, index);
  const seed = episodeSeed(recipe.seed, index);
  const episodes = Array.from({ length: groupSize }, async (_, episodeIndex) => {
    try {
      return await turns(async () => {
        signal?.throwIfAborted();
        const place = { groupId, episodeIndex, seed: episodeSeed(seed, episodeIndex) };
        return await sampleEpisode(source, task, place);
      });
    } catch (reason) {
      signal?.throwIfAborted();
      failures.push(reason instanceof Error ? reason.message : String(reason));
      return undefined;
    }
  });
  const members = (await Promise.all(episodes)).filter((member) => member !== undefined);
  return { groupId, taskId: task.id, groupSize, members };
}

async function sampleEpisode(
  { recipe, agent, reward, readsTokens, signal }: GroupSource,
  task: Task,
  {
    groupId,
    episodeIndex,
    seed,
  }: { readonly groupId: string; readonly episodeIndex: number; readonly seed: number },
): Promise<ScoredTrajectory> {
  const { question, document, records } = task;
  const result = await agent.run(
    { question, document, ...(records ? { records } : {}) },
    { seed, temperature: recipe.rollout.temperature, ...(signal ? { signal } : {}) },
  );
  // The trajectory is encoded as on the queues, so that numbers have the same precision and rewards see the same
  // fields.
  const bytes = encodeTrajectory(
    toTrajectory(agent.name, result, {
      trajectoryId: trajectoryIdOf(groupId, episodeIndex),
      groupId,
      taskId: task.id,
      episodeIndex,
      actorId: "in-process",
    }),
  );
  const trajectory = decodeTrajectory(bytes);
  const shown = readsTokens ? trajectory : decodeTrajectoryHead(bytes);
  return { trajectory, score: await reward(task, shown, signal ? { signal } : {}) };
}

/** Settings of a recipe that have no effect on a run in one process, which writes no files and evaluates nothing. */
export function settingsWithoutEffect({ evaluation, train, learnerActors }: Recipe): readonly string[] {
  const set: Readonly<Record<string, boolean>> = {
    evaluation: evaluation !== undefined,
    learnerActors: learnerActors > 1,
    "train.stopWhen": train.stopWhen !== undefined,
    "train.trackers": (train.trackers ?? []).length > 0,
    "train.tensorboard": train.tensorboard,
  };
  return Object.keys(set).filter((field) => set[field]);
}
