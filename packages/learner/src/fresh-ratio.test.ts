import { loadBackend } from "@palimpsest/jit";
import type { Group } from "@palimpsest/trajectories";
import { expect, it } from "vitest";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import { createLearner } from "./learner.js";

/** The same groups as another sampler would record them: same tokens, log-probabilities off by its numerics. */
function sampledElsewhere(groups: readonly Group[], byNats: number): Group[] {
  return groups.map((group) => ({
    ...group,
    members: group.members.map(({ score, trajectory }) => ({
      score,
      trajectory: {
        ...trajectory,
        conversations: trajectory.conversations.map((conversation) => ({
          ...conversation,
          rolloutLogprobs: conversation.rolloutLogprobs.map((value) => value + byNats),
        })),
      },
    })),
  }));
}

/** Hash of the weights after each of two updates on groups that version 0 sampled. */
async function hashesAfter(freshRatio: "one" | "rollout", groups: readonly Group[]): Promise<string[]> {
  const learner = createLearner({
    backend: await loadBackend(),
    config: tinyConfig({ freshRatio }),
    model: tinyModel,
    parameters: tinyParameters(),
    objectives: ["policy"],
  });
  try {
    await learner.update(groups);
    const first = learner.weightsHash();
    await learner.update(groups);
    return [first, learner.weightsHash()];
  } finally {
    learner.close();
  }
}

it("freshRatio one: the sampler's numerics do not show in an update of fresh rows, and do in one of older rows", async () => {
  const groups = randomGroups(4);
  const elsewhere = sampledElsewhere(groups, 0.01);
  const [first, second] = await hashesAfter("one", groups);
  const [firstElsewhere, secondElsewhere] = await hashesAfter("one", elsewhere);
  expect(firstElsewhere).toBe(first);
  expect(secondElsewhere).not.toBe(second);
});

it("freshRatio rollout: they show in every update", async () => {
  const groups = randomGroups(4);
  const [first] = await hashesAfter("rollout", groups);
  const [firstElsewhere] = await hashesAfter("rollout", sampledElsewhere(groups, 0.01));
  expect(firstElsewhere).not.toBe(first);
});
