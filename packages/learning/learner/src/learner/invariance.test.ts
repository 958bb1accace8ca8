import { loadBackend } from "@palimpsest/jit";
import type { Conversation, Group } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import type { LearnerConfigInput } from "../config/config.js";
import { PRESET_NAMES, type PresetName } from "../config/preset.js";
import { stateName } from "../state/state.js";
import { createLearner } from "./create-learner.js";
import { aConversation } from "./groups.fixture.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";

const backend = await loadBackend();

/** Loss and whole gradient of one update: after one step the first moment is (1 − beta1) times the gradient. */
async function gradientOf(config: Partial<LearnerConfigInput>, groups: readonly Group[]) {
  const learner = createLearner({
    backend,
    config: tinyConfig({
      optimizer: { maxGradNorm: null },
      normTokens: 6,
      schedule: { learningRate: 1e-4 },
      ...config,
    }),
    model: tinyModel,
    parameters: tinyParameters(),
    referenceParameters: tinyParameters(2),
    objectives: ["policy"],
  });
  try {
    const metrics = await learner.update(groups);
    const { tensors } = learner.checkpoint({ consumedGroupIds: [], dataCursor: null });
    const moments = Object.entries(tensors)
      .filter(([name]) => name.startsWith(stateName("moment1", "")))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return { metrics, gradient: moments.flatMap(([, values]) => [...values].map((value) => value / 0.1)) };
  } finally {
    learner.close();
  }
}
type Result = Awaited<ReturnType<typeof gradientOf>>;

/** Relative to the loss, and to the gradient's norm. */
function expectSame(a: Result, b: Result, within = 1e-5) {
  const norm = Math.hypot(...a.gradient);
  expect(norm).toBeGreaterThan(1e-3);
  const distance = Math.hypot(...a.gradient.map((value, index) => value - (b.gradient[index] ?? Number.NaN)));
  expect(distance / norm).toBeLessThan(within);
  expect(Math.abs(a.metrics.loss - b.metrics.loss)).toBeLessThan(
    within * Math.max(Math.abs(a.metrics.loss), 0.1),
  );
}

const withConversations = (groups: readonly Group[], change: (conversation: Conversation) => Conversation) =>
  groups.map((group) => ({
    ...group,
    members: group.members.map((member) => ({
      ...member,
      trajectory: {
        ...member.trajectory,
        conversations: member.trajectory.conversations.map(change),
      },
    })),
  }));

const stepRewarded = (groups: readonly Group[]) =>
  groups.map((group) => ({
    ...group,
    members: group.members.map((member, index) => ({
      ...member,
      score: {
        ...member.score,
        stepRewards: member.trajectory.conversations.map((_, step) => (index + step) % 3),
      },
    })),
  }));

const whole = { buckets: [{ rows: 24, length: 12 }] };

describe("loss and gradient do not change, to 1e-5 of themselves,", () => {
  it.each<[PresetName]>(PRESET_NAMES.map((name) => [name]))(
    "with size of micro-batches, padding, packing and order of groups (%s)",
    async (preset) => {
      const groups = stepRewarded(randomGroups(11));
      const wanted = await gradientOf({ preset, ...whole }, groups);
      const turned = [...groups].reverse();
      const padded = { rows: 5, length: 20 };
      expectSame(wanted, await gradientOf({ preset, buckets: [padded] }, turned));
      const packed = { rows: 2, length: 40, packedRows: 12 };
      expectSame(wanted, await gradientOf({ preset, buckets: [packed] }, groups));
    },
  );

  it("with what stands at masked tokens, and with conversations masked whole", async () => {
    const groups = randomGroups(12);
    const masked = (logprob: number) =>
      withConversations(groups, (conversation) => ({
        ...conversation,
        sampledTokenIds: [...conversation.sampledTokenIds, 9, 10],
        rolloutLogprobs: [...conversation.rolloutLogprobs, logprob, logprob],
        lossMask: [...Array.from(conversation.sampledTokenIds, () => 1), 0, 0],
      }));
    const plain = await gradientOf(whole, groups);
    expectSame(plain, await gradientOf(whole, masked(-1)));
    expectSame(plain, await gradientOf(whole, masked(Number.NaN)));
    const silent = aConversation({ step: 9, lossMask: [0, 0], rolloutLogprobs: [Number.NaN, Number.NaN] });
    const withSilent = groups.map((group) => ({
      ...group,
      members: group.members.map((member) => ({
        ...member,
        trajectory: {
          ...member.trajectory,
          conversations: [...member.trajectory.conversations, silent],
        },
      })),
    }));
    expectSame(plain, await gradientOf(whole, withSilent));
  });
});
