import type { TaskSet } from "@palimpsest/datasets";
import { episodeSeed, type GroupRequest } from "@palimpsest/trajectories";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { DueGroup } from "./group-schedule.js";

export interface QuestionOrder {
  readonly runId: string;
  readonly recipe: Recipe;
  readonly tasks: TaskSet;
  /** Name of the agent that runs the episodes. */
  readonly agentName: string;
}

/**
 * Creates a group as it is dispatched. Id, task and seed depend only on its index (D1, D2): questions come in order, and start
 * again when they run out.
 */
export async function groupRequest(
  { runId, recipe, tasks, agentName }: QuestionOrder,
  { index, minPolicyVersion }: DueGroup,
  signal: AbortSignal,
): Promise<GroupRequest> {
  return {
    groupId: groupIdOf(runId, recipe.train, index),
    task: await tasks.open(index % tasks.count, signal),
    groupSize: recipe.learner.groupSize,
    agent: agentName,
    seed: episodeSeed(recipe.seed, index),
    minPolicyVersion,
    step: stepOf(recipe.train, index),
  };
}

/** Returns a group's id. Ids sort like indexes, which is the order in which a step trains its groups. */
export function groupIdOf(runId: string, train: StepSize, index: number): string {
  const place = index % train.groupsPerStep;
  const step = stepOf(train, index);
  return `${runId}-s${String(step).padStart(6, "0")}-g${String(place).padStart(4, "0")}`;
}

type StepSize = Pick<Recipe["train"], "groupsPerStep">;

/** Returns the step that would train the group if no group were replaced. */
const stepOf = ({ groupsPerStep }: StepSize, index: number) => Math.floor(index / groupsPerStep) + 1;
